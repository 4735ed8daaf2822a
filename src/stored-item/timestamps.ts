import { canonicalDateTime } from '../model/declare/date-time.ts'
import type { ModelDescription, TimestampField } from '../model/model-description.ts'
import type { StoredValues } from './stored-item.ts'

/** The values of a new item, with the time at which it is created. */
export function withCreationTime(model: ModelDescription, values: StoredValues): StoredValues {
  return withCurrentTime(model, model.timestampFields, values)
}

/** The values of an item to load, with the current time where they have none. */
export function withMissingTimes(model: ModelDescription, values: StoredValues): StoredValues {
  const missing = model.timestampFields.filter(({ name }) => values[name] === undefined)
  return withCurrentTime(model, missing, values)
}

/** The values of an existing item, with the time at which it changes. */
export function withChangeTime(model: ModelDescription, values: StoredValues): StoredValues {
  const changing = model.timestampFields.filter(({ timestamp }) => timestamp.kind === 'change')
  return withCurrentTime(model, changing, values)
}

/** The values with the times of others, because the service alone sets them. */
export function withTimesOf(
  { timestampFields }: ModelDescription,
  values: StoredValues,
  others: StoredValues,
): StoredValues {
  if (timestampFields.length === 0) return values
  const times = timestampFields.map(({ name }) => [name, others[name]])
  return { ...values, ...Object.fromEntries(times) }
}

/** One item has one clock, that of its first field. */
function withCurrentTime(
  { name: modelName, timestampFields }: ModelDescription,
  fields: readonly TimestampField[],
  values: StoredValues,
): StoredValues {
  if (fields.length === 0) return values
  const time: unknown = timestampFields[0]!.timestamp.now()
  const isValid = time instanceof Date && !Number.isNaN(time.getTime())
  const text = isValid ? canonicalDateTime(time.toISOString()) : undefined
  if (text === undefined)
    throw new TypeError(
      `The option 'now' of the timestamps of '${modelName}' must return a Date in the years 1 to 9999.`,
    )
  return { ...values, ...Object.fromEntries(fields.map(({ name }) => [name, text])) }
}
