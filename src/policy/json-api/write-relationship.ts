import type { Linkage, OwnerLinkage } from '../../serializer/outgoing-item.ts'
import type { RelationTemplate } from './resource-template.ts'

/** A relationship object with linkage (JSON:API 1.1, resource object relationships). */
export function writeRelationship(
  template: RelationTemplate,
  segment: string,
  linkage: Linkage,
): string {
  return `${writeRelationshipLinks(template, segment)}},"data":${writeLinkage(template, linkage)}}`
}

/** The same from the stored JSON of ids, which contain no escapes. */
export function writeRawRelationship(
  template: RelationTemplate,
  segment: string,
  ids: string,
): string {
  const {
    selfLinkPrefix,
    relatedLinkPrefix,
    toOneDataPrefix,
    toManyDataPrefix,
    identifierSeparator,
  } = template
  if (ids.charCodeAt(0) === quote)
    return `${selfLinkPrefix}${segment}${relatedLinkPrefix}${segment}${toOneDataPrefix}${ids}}}`
  if (ids === 'null' || ids === '[]')
    return `${writeRelationshipLinks(template, segment)}},"data":${ids}}`
  const many = ids.slice(1, -1).replaceAll('","', identifierSeparator)
  return `${selfLinkPrefix}${segment}${relatedLinkPrefix}${segment}${toManyDataPrefix}${many}}]}`
}

/** A relationship object with links only. */
export function writeLinksOnlyRelationship(template: RelationTemplate, segment: string): string {
  return `${writeRelationshipLinks(template, segment)}}}`
}

/** A relationship object with collected linkage, and page links if the linkage is a page. */
export function writePagedRelationship(
  template: RelationTemplate,
  segment: string,
  { ids, page }: Extract<OwnerLinkage, { kind: 'collected' }>,
): string {
  const pages = page
    ? writePageLinks(`${template.relationshipAddress(segment)}?${page.query}`, page.after)
    : ''
  return `${writeRelationshipLinks(template, segment)}${pages}},"data":${writeLinkage(template, [...ids])}}`
}

function writePageLinks(first: string, after: string | undefined): string {
  const next = after === undefined ? 'null' : `"${first}&page%5Bafter%5D=${after}"`
  return `,"first":"${first}","prev":null,"next":${next}`
}

/** Without the closing brace, so that page links can follow. */
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
