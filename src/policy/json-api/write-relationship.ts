import type { Linkage, OwnerLinkage } from '../../serializer/outgoing-item.ts'
import type { RelationTemplate } from './resource-template.ts'

/**
 * A relationship object with the linkage that an item holds (JSON:API 1.1, resource object
 * relationships).
 */
export function writeRelationship(
  form: RelationTemplate,
  segment: string,
  linkage: Linkage,
): string {
  return `${writeRelationshipLinks(form, segment)}},"data":${writeLinkage(form, linkage)}}`
}

/**
 * The same of the JSON of identifiers in which nothing is escaped: their quotes can be counted on.
 */
export function writeRawRelationship(form: RelationTemplate, segment: string, ids: string): string {
  const {
    selfLinkPrefix,
    relatedLinkPrefix,
    toOneDataPrefix,
    toManyDataPrefix,
    identifierSeparator,
  } = form
  if (ids.charCodeAt(0) === quote)
    return `${selfLinkPrefix}${segment}${relatedLinkPrefix}${segment}${toOneDataPrefix}${ids}}}`
  if (ids === 'null' || ids === '[]')
    return `${writeRelationshipLinks(form, segment)}},"data":${ids}}`
  const many = ids.slice(1, -1).replaceAll('","', identifierSeparator)
  return `${selfLinkPrefix}${segment}${relatedLinkPrefix}${segment}${toManyDataPrefix}${many}}]}`
}

/** A relationship object with links alone. */
export function writeLinksOnlyRelationship(form: RelationTemplate, segment: string): string {
  return `${writeRelationshipLinks(form, segment)}}}`
}

/**
 * Of a relation of which a window is told, there are links to further pages of it (JSON:API 1.1,
 * resource linkage, and pagination).
 */
export function writePagedRelationship(
  form: RelationTemplate,
  segment: string,
  { ids, page }: Extract<OwnerLinkage, { kind: 'collected' }>,
): string {
  const pages = page
    ? writePageLinks(`${form.relationshipAddress(segment)}?${page.query}`, page.after)
    : ''
  return `${writeRelationshipLinks(form, segment)}${pages}},"data":${writeLinkage(form, [...ids])}}`
}

function writePageLinks(first: string, after: string | undefined): string {
  const next = after === undefined ? 'null' : `"${first}&page%5Bafter%5D=${after}"`
  return `,"first":"${first}","prev":null,"next":${next}`
}

/** Without the brace at the end, for more links to follow. */
function writeRelationshipLinks(
  { selfLinkPrefix, relatedLinkPrefix, wire }: RelationTemplate,
  segment: string,
): string {
  return `${selfLinkPrefix}${segment}${relatedLinkPrefix}${segment}/${wire}"`
}

function writeLinkage({ identifierPrefix }: RelationTemplate, linkage: Linkage): string {
  if (linkage === null) return 'null'
  if (typeof linkage === 'string') return `${identifierPrefix}${JSON.stringify(linkage)}}`
  return `[${linkage.map((id) => `${identifierPrefix}${JSON.stringify(id)}}`).join(',')}]`
}

const quote = 0x22
