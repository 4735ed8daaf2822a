import { encodePathSegment } from '../../http/header-value.ts'
import type { Linkage, LinkedResource, Outgoing, Remarks } from '../../serializer/outgoing.ts'
import { withAddresses } from '../../store/addresses.ts'
import { linkageOf, linkageTexts } from '../../store/linkage.ts'
import type { ItemText } from '../../store/stored-item.ts'
import type { ResourceForm } from './resource-form.ts'
import { heldText, linkedText, rawHeldText, toldText } from './write-relationship.ts'

/** A resource object (JSON:API 1.1, resource objects). What is stored goes out as the text it is, but for the linkage. */
export function resourceText(form: ResourceForm, item: Outgoing, remarks: Remarks): string {
  const { id } = item.kind === 'stored' ? item.item : item
  const version = item.kind === 'stored' ? item.item.hash : item.version
  const idText = JSON.stringify(id)
  const segment = encodePathSegment(id)
  const attributes = item.kind === 'made' ? madeAttributes(item.attributes) : storedAttributes(form, item.item, idText)
  const relationships = relationshipsText(form, item, id, segment, remarks)
  const links = `${form.toSelf}${segment}"${form.resources.length === 0 ? '' : resourceLinks(form, item)}}`
  return `${form.open}${idText}${attributes}${relationships}${links}${metaText(version ?? undefined, remarks)}}`
}

/** The version of a resource, and its cursor where a list is paged (Cursor Pagination profile, page metadata of items). */
export function metaText(version: string | undefined, { cursor }: Remarks): string {
  if (cursor === undefined) return version === undefined ? '' : `,"meta":{"version":"${version}"}`
  return `,"meta":${JSON.stringify({ ...(version !== undefined && { version }), page: { cursor } })}`
}

/** What stands between the id and the relations, as it is. */
function storedAttributes(form: ResourceForm, { text, split }: ItemText, idText: string): string {
  const start = '{"id":'.length + idText.length
  if (start === split) return ''
  const values = text.slice(start + 1, split)
  return `,"attributes":{${form.linksInValues ? withAddresses(values, form.base) : values}}`
}

function madeAttributes(attributes: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(attributes)
  return text === '{}' ? '' : `,"attributes":${text}`
}

/** The links to an item's binary resources: link objects that tell what they lead to, or null (JSON:API 1.1, links). */
function resourceLinks({ resources, base }: ResourceForm, item: Outgoing): string {
  const held = item.kind === 'made' ? item.resources : linkageOf(item.item)
  let links = ''
  for (const wire of resources) {
    const resource = held[wire] as LinkedResource | null | undefined
    if (resource === undefined) continue
    links += `,"${wire}":${resource === null ? 'null' : linkText(resource, item.kind === 'made' ? '' : base)}`
  }
  return links
}

/** Put together by hand, for lists have many; addresses and hashes need no escapes. */
function linkText({ href, contentType, size, hash, fileName }: LinkedResource, base: string): string {
  const type = JSON.stringify(contentType)
  const name = fileName === null ? 'null' : JSON.stringify(fileName)
  return `{"href":"${base}${href}","type":${type},"meta":{"contentType":${type},"size":${size},"hash":"${hash}","fileName":${name}}}`
}

function relationshipsText(
  { owned, inverse, inStored }: ResourceForm,
  item: Outgoing,
  id: string,
  segment: string,
  { linked }: Remarks,
): string {
  // Read off the stored text where that can be done without parsing it.
  const raw = item.kind === 'stored' ? linkageTexts(item.item, inStored) : undefined
  const held = raw ? undefined : item.kind === 'stored' ? linkageOf(item.item) : item.relations
  let texts = ''
  for (let index = 0; index < owned.length; index++) {
    const relation = owned[index]!
    const linkage = raw ? raw[index] : held![relation.wire]
    // A relation that the item lacks is one that was not chosen.
    if (linkage === undefined) continue
    const told = linked?.get(relation.field)?.get(id)
    texts += texts === '' ? '' : ','
    if (told?.kind === 'told') texts += toldText(relation, segment, told)
    else if (raw) texts += rawHeldText(relation, segment, raw[index]!)
    else texts += heldText(relation, segment, linkage as Linkage)
  }
  for (const relation of inverse) {
    if (item.kind === 'made' && !item.inverses.includes(relation.wire)) continue
    const told = linked?.get(relation.field)?.get(id)
    texts += texts === '' ? '' : ','
    texts += told?.kind === 'told' ? toldText(relation, segment, told) : linkedText(relation, segment)
  }
  return texts === '' ? '' : `,"relationships":{${texts}}`
}
