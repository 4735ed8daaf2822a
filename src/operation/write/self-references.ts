import type { ModelView } from '../../model/model-view.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/**
 * Relations from a new item to itself: they are not looked up, because the item is not stored yet.
 */
export function selfReferences({ model }: ModelView, id: string): StoredValues {
  const ownRelations = model.ownedRelations.filter((field) => field.relatedModel === model)
  return { id, ...Object.fromEntries(ownRelations.map((field) => [field.name, [id]])) }
}

/** Does the new item refer to itself, by the id that it got while the document was read? */
export function refersToItself({ newId, relations }: ItemPayload): boolean {
  return (
    newId !== undefined &&
    [...relations.values()].some(
      (linkage) =>
        (linkage.kind === 'one' && linkage.id.value === newId) ||
        (linkage.kind === 'many' && linkage.ids.some(({ value }) => value === newId)),
    )
  )
}
