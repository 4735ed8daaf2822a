import fc from 'fast-check'
import type { Schema } from './whole-schema.ts'

/** Whole numbers within the bounds of the schema, in its steps. */
export function integerValue(schema: Schema): fc.Arbitrary<number> {
  const least = numberIn(schema, 'minimum') ?? plusOne(numberIn(schema, 'exclusiveMinimum')) ?? Number.MIN_SAFE_INTEGER
  const most = numberIn(schema, 'maximum') ?? minusOne(numberIn(schema, 'exclusiveMaximum')) ?? Number.MAX_SAFE_INTEGER
  const step = numberIn(schema, 'multipleOf') ?? 1
  return fc.integer({ min: Math.ceil(least / step), max: Math.floor(most / step) }).map((value) => value * step)
}

/** Numbers within the bounds of the schema, or some in its steps. */
export function numberValue(schema: Schema): fc.Arbitrary<number> {
  const step = numberIn(schema, 'multipleOf')
  if (step !== undefined) return fc.integer({ min: 0, max: 1_000 }).map((value) => value * step)
  const min = numberIn(schema, 'exclusiveMinimum') ?? numberIn(schema, 'minimum') ?? -1e15
  const max = numberIn(schema, 'exclusiveMaximum') ?? numberIn(schema, 'maximum') ?? 1e15
  return fc.double({
    min,
    max: Math.max(min, max),
    minExcluded: schema.exclusiveMinimum !== undefined,
    maxExcluded: schema.exclusiveMaximum !== undefined,
    noNaN: true,
  })
}

/** What a word of the schema says, where it says a number. */
export function numberIn(schema: Schema, word: string): number | undefined {
  const value = schema[word]
  return typeof value === 'number' ? value : undefined
}

function plusOne(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value + 1
}

function minusOne(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value - 1
}
