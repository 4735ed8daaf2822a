import type { ModelDescription } from '../model/model-description.ts'
import type { Scalar } from '../query/query-plan.ts'
import { createStoredItem, readStoredValues } from './create-stored-item.ts'
import {
  withDerivedValues,
  withDerivedValuesOfChange,
  withFormerDerivedValues,
} from './derived-values.ts'
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
 * @param derive makes what is derived from the rollups. Default: it fails where their functions do
 */
export function withRollups(
  model: ModelDescription,
  item: StoredItem,
  rollups: RollupValues,
  revision: number = item.revision,
  derive: typeof withFormerDerivedValues = withDerivedValues,
): StoredItem {
  const values = readStoredValues(model, item)
  if (hasRollups(values, rollups)) return item
  const changed = createStoredItem(model, derive(model, { ...values, ...rollups }), revision)
  return keepUndeclaredMembers(model, changed, item)
}

/** The same item with another version, where that of its values would tell something. */
export function withNewVersion(
  model: ModelDescription,
  item: StoredItem,
  revision: number,
): StoredItem {
  const values = readStoredValues(model, item)
  return keepUndeclaredMembers(model, createStoredItem(model, values, revision), item)
}

/** The item with the rollups of another state of it: only the items of a relation change them. */
export function withRollupsOf(
  model: ModelDescription,
  item: StoredItem,
  current: StoredItem,
): StoredItem {
  if (model.rollupFields.length === 0) return item
  const stored = readStoredValues(model, current)
  return withRollups(model, item, rollupsOf(model, stored), item.revision, (_, values) =>
    withDerivedValuesOfChange(model, values, () => stored),
  )
}

/**
 * The same to compare a state that the item had before, for which its functions may fail now.
 */
export function withRollupsForComparison(
  model: ModelDescription,
  former: StoredItem,
  current: StoredItem,
): StoredItem {
  if (model.rollupFields.length === 0) return former
  const rollups = rollupsOf(model, readStoredValues(model, current))
  return withRollups(model, former, rollups, former.revision, withFormerDerivedValues)
}

/** The values of a former state, with the rollups of another one and what is derived from them. */
export function formerValuesWithRollupsOf(
  model: ModelDescription,
  former: StoredValues,
  others: StoredValues,
): StoredValues {
  const rollups = rollupsOf(model, others)
  return hasRollups(former, rollups)
    ? former
    : withFormerDerivedValues(model, { ...former, ...rollups })
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
