import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ValueSource } from './value-source.ts'

/** So many numbers differ where the bounds have room for them. */
const usualRange = 1_000

/**
 * A number within the bounds. It counts up from item to item, so that numbers differ as long as the
 * bounds have room.
 */
export function makeNumber(schema: JsonSchema, { number }: ValueSource): number | undefined {
  const step =
    typeof schema.multipleOf === 'number'
      ? schema.multipleOf
      : isFraction(schema)
        ? rangeOf(schema) / usualRange
        : 1
  const [low, high] = boundsOf(schema, step)
  const first = Math.ceil(low / step)
  const count = Math.floor(high / step) - first + 1
  // Without the rounding errors of steps such as 0.1.
  return count < 1 ? undefined : Number(((first + (number % count)) * step).toPrecision(15))
}

/** Is there no room for whole numbers? */
function isFraction(schema: JsonSchema): boolean {
  if (schema.type === 'integer') return false
  const [low, high] = boundsOf(schema, 1)
  return Math.ceil(low) > Math.floor(high)
}

function rangeOf(schema: JsonSchema): number {
  const low = schema.minimum ?? schema.exclusiveMinimum ?? 0
  const high = schema.maximum ?? schema.exclusiveMaximum ?? low + 1
  return Math.max(high - low, Number.MIN_VALUE)
}

/** From 0 where that leaves room, because readers expect such numbers. */
function boundsOf(schema: JsonSchema, step: number): readonly [low: number, high: number] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  const low = Math.max(minimum, (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) + step)
  const high = Math.min(maximum, (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY) - step)
  const room = usualRange * step
  if (low <= 0 && high >= room) return [0, high]
  return [low > -room ? low : Math.max(low, high - room), high]
}
