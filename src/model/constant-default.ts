import { jsonSchemaOf } from '../schema/standard-schema.ts'
import type { ValueField } from './model-description.ts'

/** Has the field a default that is the same at each call? The current time is not. */
export function hasConstantDefault(field: ValueField): boolean {
  const { default: defaultValue } = field.output
  return (
    defaultValue !== undefined && hasStableDefaults(field, 'output') && !isCurrentTime(defaultValue)
  )
}

/** Do the defaults in a schema stay the same when it is exported again? */
export function hasStableDefaults(field: ValueField, direction: 'input' | 'output'): boolean {
  const text = JSON.stringify(field[direction])
  return (
    !text.includes('"default":') || JSON.stringify(jsonSchemaOf(field.schema, direction)) === text
  )
}

const currentTimeRangeMs = 36 * 3_600_000

export function isCurrentTime(value: unknown): boolean {
  if (typeof value === 'number') return isNearNow(value) || isNearNow(value * 1000)
  return (
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}/.test(value) &&
    isNearNow(Date.parse(value.slice(0, 10)))
  )
}

function isNearNow(time: number): boolean {
  return Math.abs(time - Date.now()) < currentTimeRangeMs
}
