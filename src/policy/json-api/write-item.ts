import { encodePathSegment } from '../../http/header-value.ts'
import type { Linkage, Linked, LinkedResource, LinkedTo, Outgoing, Remarks } from '../../serializer/outgoing.ts'
import { withAddresses } from '../../store/addresses.ts'
import { linkageOf } from '../../store/linkage.ts'
import type { StoredItem } from '../../store/stored-item.ts'
import type { RelationForm, ResourceForm } from './resource-form.ts'

/** A resource object (JSON:API 1.1, resource objects). What is stored goes out as the text it is, but for the linkage. */
export function resourceText(form: ResourceForm, item: Outgoing, base: string, remarks: Remarks): string {
  const { id } = item.kind === 'stored' ? item.item : item
  const hash = item.kind === 'stored' ? item.item.hash : item.version
  const idText = JSON.stringify(id)
  const self = base + form.path + encodePathSegment(id)
  const attributes =
    item.kind === 'made' ? madeAttributes(item.attributes) : storedAttributes(form, item.item, idText, base)
  const linked = remarks.linked?.size ? remarks.linked : undefined
  const held = heldBy(form, item)
  const relationships = relationshipsText(form, item, held, self, linked, id)
  const links = `"links":{"self":"${self}"${resourceLinks(form, item, held, base)}}`
  return `${form.open}${idText}${attributes}${relationships},${links}${metaText(hash ?? undefined, remarks)}}`
}

/** The version of a resource, and its cursor where a list is paged (Cursor Pagination profile, page metadata of items). */
export function metaText(version: string | undefined, { cursor }: Remarks): string {
  if (cursor === undefined) return version === undefined ? '' : `,"meta":{"version":"${version}"}`
  return `,"meta":${JSON.stringify({ ...(version !== undefined && { version }), page: { cursor } })}`
}

/** What stands between the id and the relations, as it is. */
function storedAttributes(form: ResourceForm, { text, split }: StoredItem, idText: string, base: string): string {
  const start = '{"id":'.length + idText.length
  if (start === split) return ''
  const values = text.slice(start + 1, split)
  return `,"attributes":{${form.linksInValues ? withAddresses(values, base) : values}}`
}

function madeAttributes(attributes: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(attributes)
  return text === '{}' ? '' : `,"attributes":${text}`
}

/** What stands behind the values: relations and binary resources, by wire name. */
function heldBy({ owned, resources }: ResourceForm, item: Outgoing): Readonly<Record<string, unknown>> {
  if (item.kind === 'made') return item.relations
  return owned.length === 0 && resources.length === 0 ? {} : linkageOf(item.item)
}

/** The links to an item's binary resources: link objects that tell what they lead to, or null (JSON:API 1.1, links). */
function resourceLinks(
  { resources }: ResourceForm,
  item: Outgoing,
  held: Readonly<Record<string, unknown>>,
  base: string,
): string {
  let links = ''
  for (const wire of resources) {
    const resource = (item.kind === 'made' ? item.resources : held)[wire] as LinkedResource | null | undefined
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
  { owned, inverse }: ResourceForm,
  item: Outgoing,
  held: Readonly<Record<string, unknown>>,
  self: string,
  linked: Linked | undefined,
  id: string,
): string {
  if (owned.length === 0 && inverse.length === 0) return ''
  const texts: string[] = []
  for (const form of owned) {
    const linkage = held[form.wire] as Linkage | undefined
    // A relation that the item lacks is one that was not chosen.
    if (linkage === undefined) continue
    const told = linked?.get(form.field)?.get(id)
    if (told?.kind === 'told') texts.push(toldText(form, self, told))
    else texts.push(`${linksText(form, self)}},"data":${linkageText(form, linkage)}}`)
  }
  for (const form of inverse) {
    if (item.kind === 'made' && !item.inverses.includes(form.wire)) continue
    const told = linked?.get(form.field)?.get(id)
    texts.push(told?.kind === 'told' ? toldText(form, self, told) : `${linksText(form, self)}}}`)
  }
  return texts.length === 0 ? '' : `,"relationships":{${texts.join(',')}}`
}

/** A relation of which a window is told has links to further pages of it (JSON:API 1.1, resource linkage, and pagination). */
function toldText(form: RelationForm, self: string, { ids, further }: Extract<LinkedTo, { kind: 'told' }>): string {
  const pages = further ? pagesText(`${self}${form.toRelationship}?${further.query}`, further.after) : ''
  return `${linksText(form, self)}${pages}},"data":${linkageText(form, [...ids])}}`
}

function pagesText(first: string, after: string | undefined): string {
  const next = after === undefined ? 'null' : `"${first}&page%5Bafter%5D=${after}"`
  return `,"first":"${first}","prev":null,"next":${next}`
}

/** Without the brace at the end, for more links to follow. */
function linksText({ open, toRelated, afterLinks }: RelationForm, self: string): string {
  return open + self + toRelated + self + afterLinks
}

function linkageText({ identifier }: RelationForm, linkage: Linkage): string {
  if (linkage === null) return 'null'
  if (typeof linkage === 'string') return `${identifier}${JSON.stringify(linkage)}}`
  return `[${linkage.map((id) => `${identifier}${JSON.stringify(id)}}`).join(',')}]`
}
