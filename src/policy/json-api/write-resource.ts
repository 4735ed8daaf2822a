import { encodePathSegment } from '../../http/percent-encoding.ts'
import type {
  ItemAnnotations,
  Linkage,
  LinkedResource,
  OutgoingItem,
} from '../../serializer/outgoing-item.ts'
import { insertBaseAddress } from '../../stored-item/insert-base-address.ts'
import { rawValues } from '../../stored-item/lazy-item.ts'
import { linkageOf, rawLinkage } from '../../stored-item/linkage.ts'
import type { RawItem } from '../../stored-item/stored-item.ts'
import type { ResourceTemplate } from './resource-template.ts'
import {
  writeLinksOnlyRelationship,
  writePagedRelationship,
  writeRawRelationship,
  writeRelationship,
} from './write-relationship.ts'

/**
 * A resource object (JSON:API 1.1, resource objects). The attributes of a stored item are copied
 * from its JSON without parsing.
 */
export function writeResource(
  template: ResourceTemplate,
  item: OutgoingItem,
  annotations: ItemAnnotations,
): string {
  const { id } = item.kind === 'stored' ? item.item : item
  const version = item.kind === 'stored' ? item.item.hash : item.version
  const idText = JSON.stringify(id)
  const segment = encodePathSegment(id)
  const attributes =
    item.kind === 'mapped'
      ? writeAttributes(item.attributes)
      : writeStoredAttributes(template, item.item, idText)
  const relationships = writeRelationships(template, item, id, segment, annotations)
  const links = `${template.selfLinkPrefix}${segment}"${template.resourceNames.length === 0 ? '' : writeResourceLinks(template, item)}}`
  return `${template.identifierPrefix}${idText}${attributes}${relationships}${links}${writeResourceMeta(version ?? undefined, annotations)}}`
}

/**
 * The `meta` of a resource: its version, and its cursor in a paginated list (Cursor Pagination
 * profile, item page metadata).
 */
export function writeResourceMeta(
  version: string | undefined,
  { cursor }: ItemAnnotations,
): string {
  if (cursor === undefined) return version === undefined ? '' : `,"meta":{"version":"${version}"}`
  return `,"meta":${JSON.stringify({ ...(version !== undefined && { version }), page: { cursor } })}`
}

/** Copies the text between the id and the relations. */
function writeStoredAttributes(template: ResourceTemplate, item: RawItem, idText: string): string {
  const values = rawValues(item, idText)
  if (values === '') return ''
  return `,"attributes":{${template.hasLinksInValues ? insertBaseAddress(values, template.urlPrefix) : values}}`
}

function writeAttributes(attributes: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(attributes)
  return text === '{}' ? '' : `,"attributes":${text}`
}

/** Links to the binary resources of an item: link objects or null (JSON:API 1.1, links). */
function writeResourceLinks(
  { resourceNames, urlPrefix }: ResourceTemplate,
  item: OutgoingItem,
): string {
  const resources = item.kind === 'mapped' ? item.resources : linkageOf(item.item)
  let links = ''
  for (const wire of resourceNames) {
    const resource = resources[wire] as LinkedResource | null | undefined
    if (resource === undefined) continue
    links += `,"${wire}":${resource === null ? 'null' : writeResourceLink(resource, item.kind === 'mapped' ? '' : urlPrefix)}`
  }
  return links
}

/** Faster than `JSON.stringify`; URLs and hashes need no escapes. */
function writeResourceLink(
  { href, contentType, size, hash, fileName }: LinkedResource,
  base: string,
): string {
  const type = JSON.stringify(contentType)
  const name = fileName === null ? 'null' : JSON.stringify(fileName)
  return `{"href":"${base}${href}","type":${type},"meta":{"contentType":${type},"size":${size},"hash":"${hash}","fileName":${name}}}`
}

function writeRelationships(
  { ownedRelations, inverseRelations, storedLinkageKeys }: ResourceTemplate,
  item: OutgoingItem,
  id: string,
  segment: string,
  { collectedLinkage }: ItemAnnotations,
): string {
  const raw = item.kind === 'stored' ? rawLinkage(item.item, storedLinkageKeys) : undefined
  const parsed = raw ? undefined : item.kind === 'stored' ? linkageOf(item.item) : item.relations
  let json = ''
  for (let index = 0; index < ownedRelations.length; index++) {
    const relation = ownedRelations[index]!
    const linkage = raw ? raw[index] : parsed![relation.wire]
    // `fields` did not select the relation.
    if (linkage === undefined) continue
    const collected = collectedLinkage?.get(relation.field)?.get(id)
    json += json === '' ? '' : ','
    if (collected?.kind === 'collected')
      json += writePagedRelationship(relation, segment, collected)
    else if (raw) json += writeRawRelationship(relation, segment, raw[index]!)
    else json += writeRelationship(relation, segment, linkage as Linkage)
  }
  for (const relation of inverseRelations) {
    if (item.kind === 'mapped' && !item.inverses.includes(relation.wire)) continue
    const collected = collectedLinkage?.get(relation.field)?.get(id)
    json += json === '' ? '' : ','
    json +=
      collected?.kind === 'collected'
        ? writePagedRelationship(relation, segment, collected)
        : writeLinksOnlyRelationship(relation, segment)
  }
  return json === '' ? '' : `,"relationships":{${json}}`
}
