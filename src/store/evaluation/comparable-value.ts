import type { ToOneField, ValueField } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { comparisonKey } from './evaluate.ts'

/** The value of a field in the form in which it is compared; null if the item has none. */
export function comparableValue(field: ValueField | ToOneField, values: StoredValues): Scalar {
  const value = Object.hasOwn(values, field.name)
    ? ((values[field.name] as Scalar | undefined) ?? null)
    : null
  return comparisonKey(field.kind === 'value' ? field.type : undefined, value)
}
