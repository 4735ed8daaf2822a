import type { Linkage, LinkedTo } from '../../serializer/outgoing.ts'
import type { RelationForm } from './resource-form.ts'

// Each text begins with the comma that parts it from the one before.

/** A relationship object with its linkage (JSON:API 1.1, resource object relationships). */
export function relationshipText(form: RelationForm, segment: string, linkage: string): string {
  return `${linksText(form, segment)}},"data":${linkage}}`
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
export function linksText({ open, toRelated, afterLinks }: RelationForm, segment: string): string {
  return open + segment + toRelated + segment + afterLinks
}

export function linkageText({ identifier }: RelationForm, linkage: Linkage): string {
  if (linkage === null) return 'null'
  if (typeof linkage === 'string') return `${identifier}${JSON.stringify(linkage)}}`
  return `[${linkage.map((id) => `${identifier}${JSON.stringify(id)}}`).join(',')}]`
}

/** The same of the JSON of identifiers in which nothing is escaped: their quotes can be counted on. */
export function rawLinkageText({ identifier, betweenIds }: RelationForm, ids: string): string {
  if (ids === 'null' || ids === '[]') return ids
  if (ids.charCodeAt(0) === quote) return `${identifier}${ids}}`
  return `[${identifier}${ids.slice(1, -1).replaceAll('","', betweenIds)}}]`
}

const quote = 0x22
