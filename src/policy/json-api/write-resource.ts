import { encodePathSegment } from '../../http/percent-encoding.ts'
import type {
  ItemAnnotations,
  Linkage,
  LinkedResource,
  OutgoingItem,
} from '../../serializer/outgoing-item.ts'
import { insertBaseAddress } from '../../stored-item/insert-base-address.ts'
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
 * A resource object (JSON:API 1.1, resource objects). What is stored goes out as the text it is,
 * but for the linkage.
 */
export function writeResource(
  form: ResourceTemplate,
  item: OutgoingItem,
  remarks: ItemAnnotations,
): string {
  const { id } = item.kind === 'stored' ? item.item : item
  const version = item.kind === 'stored' ? item.item.hash : item.version
  const idText = JSON.stringify(id)
  const segment = encodePathSegment(id)
  const attributes =
    item.kind === 'mapped'
      ? writeAttributes(item.attributes)
      : writeStoredAttributes(form, item.item, idText)
  const relationships = writeRelationships(form, item, id, segment, remarks)
  const links = `${form.selfLinkPrefix}${segment}"${form.resourceNames.length === 0 ? '' : writeResourceLinks(form, item)}}`
  return `${form.identifierPrefix}${idText}${attributes}${relationships}${links}${writeResourceMeta(version ?? undefined, remarks)}}`
}

/**
 * The version of a resource, and its cursor where a list is paged (Cursor Pagination profile, page
 * metadata of items).
 */
export function writeResourceMeta(
  version: string | undefined,
  { cursor }: ItemAnnotations,
): string {
  if (cursor === undefined) return version === undefined ? '' : `,"meta":{"version":"${version}"}`
  return `,"meta":${JSON.stringify({ ...(version !== undefined && { version }), page: { cursor } })}`
}

/** What stands between the id and the relations, as it is. */
function writeStoredAttributes(
  form: ResourceTemplate,
  { text, relationsOffset }: RawItem,
  idText: string,
): string {
  const start = '{"id":'.length + idText.length
  if (start === relationsOffset) return ''
  const values = text.slice(start + 1, relationsOffset)
  return `,"attributes":{${form.hasLinksInValues ? insertBaseAddress(values, form.urlPrefix) : values}}`
}

function writeAttributes(attributes: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(attributes)
  return text === '{}' ? '' : `,"attributes":${text}`
}

/**
 * The links to an item's binary resources: link objects that tell what they lead to, or null
 * (JSON:API 1.1, links).
 */
function writeResourceLinks(
  { resourceNames, urlPrefix }: ResourceTemplate,
  item: OutgoingItem,
): string {
  const held = item.kind === 'mapped' ? item.resources : linkageOf(item.item)
  let links = ''
  for (const wire of resourceNames) {
    const resource = held[wire] as LinkedResource | null | undefined
    if (resource === undefined) continue
    links += `,"${wire}":${resource === null ? 'null' : writeResourceLink(resource, item.kind === 'mapped' ? '' : urlPrefix)}`
  }
  return links
}

/** Put together by hand, for lists have many; addresses and hashes need no escapes. */
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
  // Read off the stored text where that can be done without parsing it.
  const raw = item.kind === 'stored' ? rawLinkage(item.item, storedLinkageKeys) : undefined
  const held = raw ? undefined : item.kind === 'stored' ? linkageOf(item.item) : item.relations
  let texts = ''
  for (let index = 0; index < ownedRelations.length; index++) {
    const relation = ownedRelations[index]!
    const linkage = raw ? raw[index] : held![relation.wire]
    // A relation that the item lacks is one that was not chosen.
    if (linkage === undefined) continue
    const told = collectedLinkage?.get(relation.field)?.get(id)
    texts += texts === '' ? '' : ','
    if (told?.kind === 'collected') texts += writePagedRelationship(relation, segment, told)
    else if (raw) texts += writeRawRelationship(relation, segment, raw[index]!)
    else texts += writeRelationship(relation, segment, linkage as Linkage)
  }
  for (const relation of inverseRelations) {
    if (item.kind === 'mapped' && !item.inverses.includes(relation.wire)) continue
    const told = collectedLinkage?.get(relation.field)?.get(id)
    texts += texts === '' ? '' : ','
    texts +=
      told?.kind === 'collected'
        ? writePagedRelationship(relation, segment, told)
        : writeLinksOnlyRelationship(relation, segment)
  }
  return texts === '' ? '' : `,"relationships":{${texts}}`
}
