import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/** Finds the related items that the paths of a condition lead to. */
export interface ItemSource {
  get(model: ModelDescription, id: string): StoredValues | undefined
  /** The related items whose relation holds this id. */
  itemsReferencing(field: InverseField, id: string): readonly StoredValues[]
}

/**
 * A source for one state of the items: `get` and `all` must not change while it is used.
 *
 * ```ts
 * const tables = new Map<string, Map<string, StoredValues>>()
 * const source = itemSource(
 *   ({ name }, id) => tables.get(name)?.get(id),
 *   ({ name }) => tables.get(name)?.values() ?? [],
 * )
 * ```
 */
export function itemSource(
  get: (model: ModelDescription, id: string) => StoredValues | undefined,
  all: (model: ModelDescription) => Iterable<StoredValues>,
): ItemSource {
  const indexes = new Map<InverseField['inverseOf'], ReadonlyMap<string, readonly StoredValues[]>>()
  return {
    get,
    itemsReferencing(field, id) {
      let index = indexes.get(field.inverseOf)
      if (!index) {
        index = indexBy(field.inverseOf.name, all(field.relatedModel))
        indexes.set(field.inverseOf, index)
      }
      return index.get(id) ?? []
    },
  }
}

/** Created once for each query, which then reads each related item once. */
function indexBy(
  relation: string,
  items: Iterable<StoredValues>,
): ReadonlyMap<string, readonly StoredValues[]> {
  const index = new Map<string, StoredValues[]>()
  for (const values of items) {
    for (const id of new Set([values[relation]].flat())) {
      if (typeof id !== 'string') continue
      const withSameId = index.get(id)
      if (withSameId) withSameId.push(values)
      else index.set(id, [values])
    }
  }
  return index
}
