import type { ModelDescription } from '../model/model-description.ts'
import type { Scalar } from '../query/query-plan.ts'
import { createStoredItem, readStoredValues } from './create-stored-item.ts'
import { withDerivedValues } from './derived-values.ts'
import { isSameValue } from './same-value.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'
import { keepUndeclaredMembers } from './undeclared-members.ts'

/** The values of rollups, by the names of their fields. */
export type RollupValues = Readonly<Record<string, Scalar | undefined>>

/** The values of rollups as an item has them. */
function rollupsOf({ rollupFields }: ModelDescription, values: StoredValues): RollupValues {
  return Object.fromEntries(
    rollupFields.map(({ name }) => [name, values[name] as Scalar | undefined]),
  )
}

/**
 * The item with these values of rollups; the item itself if it has them.
 *
 * ```ts
 * const changed = withRollups(book, item, { reviewCount: 3, rating: 4.5 })
 * ```
 *
 * @param revision of the item if it changes. Default: its own
 */
export function withRollups(
  model: ModelDescription,
  item: StoredItem,
  rollups: RollupValues,
  revision: number = item.revision,
): StoredItem {
  const values = readStoredValues(model, item)
  if (hasRollups(values, rollups)) return item
  const changed = createStoredItem(
    model,
    withDerivedValues(model, { ...values, ...rollups }),
    revision,
  )
  return keepUndeclaredMembers(model, changed, item)
}

/** The item with the rollups of another state of it: only the items of a relation change them. */
export function withRollupsOf(
  model: ModelDescription,
  item: StoredItem,
  current: StoredItem,
): StoredItem {
  if (model.rollupFields.length === 0) return item
  return withRollups(model, item, rollupsOf(model, readStoredValues(model, current)))
}

/** The values with the rollups of others. */
export function valuesWithRollupsOf(
  model: ModelDescription,
  values: StoredValues,
  others: StoredValues,
): StoredValues {
  return model.rollupFields.length === 0 ? values : { ...values, ...rollupsOf(model, others) }
}

/** Null is a value: a new item has it, and one from before the field has none. */
function hasRollups(values: StoredValues, rollups: RollupValues): boolean {
  return Object.entries(rollups).every(([name, value]) => isSameValue(values[name], value))
}
