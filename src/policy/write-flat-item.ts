import type { ModelDescription } from '../model/model-description.ts'
import type { OutgoingItem } from '../serializer/outgoing-item.ts'
import { insertBaseAddress } from '../stored-item/insert-base-address.ts'

/**
 * Writes an item as one object, in which values, ids of relations and links of binary resources
 * stand side by side, as stores keep it.
 *
 * ```ts
 * writeFlatItem(book, outgoing, 'https://example.org/api') // {"id":"dune","title":"Dune",…}
 * ```
 *
 * @param base the base URL and the mount path
 */
export function writeFlatItem(model: ModelDescription, item: OutgoingItem, base: string): string {
  if (item.kind === 'stored') {
    const { text } = item.item
    return model.resourcePaths.length === 0 ? text : insertBaseAddress(text, base)
  }
  const { id, attributes, relations, resources, hash } = item
  return JSON.stringify({
    id,
    ...attributes,
    ...relations,
    ...resources,
    ...(hash !== undefined && { hash }),
  })
}
