import type { ModelDescription, ToOneField, ValueField } from '../../model/model-description.ts'
import { isScalar } from '../../model/value-type.ts'
import type { Condition, Scalar } from '../../query/query-plan.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { comparisonKey } from '../evaluation/evaluate.ts'

/** Names the items that have one value in one field. */
export type LockValue = string

/** The fields by whose values the items of a model are locked. */
export interface LockFields {
  /** The value that all items have which satisfy the condition; undefined if it names none. */
  valueIn(condition: Condition): LockValue | undefined
  /** The values of an item, one for each field that has one. */
  valuesOf(item: StoredItem): readonly LockValue[]
}

/**
 * Relations to one item, and fields with an index: a rule over several items reads by them. A write
 * locks each of them, so other fields would only make it slower.
 *
 * @param comparesByCodePoint false where different texts may be equal, such as in columns of other
 * programs that ignore case; texts are no locks then
 */
export function lockFields(model: ModelDescription, comparesByCodePoint: boolean): LockFields {
  const indexed = new Set<unknown>([
    ...model.indexes.flatMap(({ keys }) => keys.map(({ field }) => field)),
    ...model.uniqueSets.flatMap((set) => set.fields),
  ])
  const isLockedBy = (field: ValueField): boolean =>
    (field.isIndexed || field.isUnique || indexed.has(field)) &&
    isScalar(field.type) &&
    (comparesByCodePoint || field.type.kind !== 'text')
  const fields: ReadonlyMap<string, ValueField | ToOneField> = new Map(
    [
      ...model.ownedRelations.filter((relation) => relation.kind === 'toOne'),
      ...model.valueFields.filter(isLockedBy),
    ].map((field) => [field.name, field]),
  )
  const lockValue = (field: ValueField | ToOneField, value: unknown): LockValue | undefined => {
    if (value === null || value === undefined) return undefined
    const type = field.kind === 'value' ? field.type : undefined
    return `${field.storage.column}=${JSON.stringify(comparisonKey(type, value as Scalar))}`
  }
  const valueIn = (condition: Condition): LockValue | undefined => {
    if (condition.kind === 'and') {
      for (const part of condition.conditions) {
        const value = valueIn(part)
        if (value !== undefined) return value
      }
      return undefined
    }
    const equality = equalityOf(condition)
    // A guard makes the value null where it does not hold, and null locks nothing.
    const field = equality?.names.length === 1 ? fields.get(equality.names[0]!) : undefined
    return field && lockValue(field, equality!.value)
  }
  return {
    valueIn,
    valuesOf(item) {
      const values = readStoredValues(model, item)
      return [...fields.values()].flatMap((field) => {
        const value = Object.hasOwn(values, field.name)
          ? lockValue(field, values[field.name])
          : undefined
        return value === undefined ? [] : [value]
      })
    },
  }
}

function equalityOf(
  condition: Condition,
): { readonly names: readonly string[]; readonly value: Scalar } | undefined {
  if (condition.kind === 'compare' && condition.operator === 'equal')
    return { names: condition.path.names, value: condition.value }
  if (condition.kind === 'oneOf' && condition.values.length === 1)
    return { names: condition.path.names, value: condition.values[0]! }
  return undefined
}
