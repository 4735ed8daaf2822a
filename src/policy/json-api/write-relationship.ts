import type { Linkage, LinkedTo } from '../../serializer/outgoing.ts'
import type { RelationForm } from './resource-form.ts'

/** A relationship object with the linkage that an item holds (JSON:API 1.1, resource object relationships). */
export function heldText(form: RelationForm, segment: string, linkage: Linkage): string {
  return `${linksText(form, segment)}},"data":${linkageText(form, linkage)}}`
}

/** The same of the JSON of identifiers in which nothing is escaped: their quotes can be counted on. */
export function rawHeldText(form: RelationForm, segment: string, ids: string): string {
  const { open, toRelated, toOne, toMany, betweenIds } = form
  if (ids.charCodeAt(0) === quote) return `${open}${segment}${toRelated}${segment}${toOne}${ids}}}`
  if (ids === 'null' || ids === '[]') return `${linksText(form, segment)}},"data":${ids}}`
  const many = ids.slice(1, -1).replaceAll('","', betweenIds)
  return `${open}${segment}${toRelated}${segment}${toMany}${many}}]}`
}

/** A relationship object with links alone. */
export function linkedText(form: RelationForm, segment: string): string {
  return `${linksText(form, segment)}}}`
}

/** Of a relation of which a window is told, there are links to further pages of it (JSON:API 1.1, resource linkage, and pagination). */
export function toldText(
  form: RelationForm,
  segment: string,
  { ids, further }: Extract<LinkedTo, { kind: 'told' }>,
): string {
  const pages = further ? pagesText(`${form.address(segment)}?${further.query}`, further.after) : ''
  return `${linksText(form, segment)}${pages}},"data":${linkageText(form, [...ids])}}`
}

function pagesText(first: string, after: string | undefined): string {
  const next = after === undefined ? 'null' : `"${first}&page%5Bafter%5D=${after}"`
  return `,"first":"${first}","prev":null,"next":${next}`
}

/** Without the brace at the end, for more links to follow. */
function linksText({ open, toRelated, wire }: RelationForm, segment: string): string {
  return `${open}${segment}${toRelated}${segment}/${wire}"`
}

function linkageText({ identifier }: RelationForm, linkage: Linkage): string {
  if (linkage === null) return 'null'
  if (typeof linkage === 'string') return `${identifier}${JSON.stringify(linkage)}}`
  return `[${linkage.map((id) => `${identifier}${JSON.stringify(id)}}`).join(',')}]`
}

const quote = 0x22
