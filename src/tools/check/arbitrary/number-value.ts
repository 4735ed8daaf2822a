import fc from 'fast-check'
import type { SchemaObject } from './merge-schemas.ts'

/** Integers within the bounds of the schema, multiples of its `multipleOf`. */
export function integerValue(schema: SchemaObject): fc.Arbitrary<number> {
  const min =
    numberKeyword(schema, 'minimum') ??
    plusOne(numberKeyword(schema, 'exclusiveMinimum')) ??
    Number.MIN_SAFE_INTEGER
  const max =
    numberKeyword(schema, 'maximum') ??
    minusOne(numberKeyword(schema, 'exclusiveMaximum')) ??
    Number.MAX_SAFE_INTEGER
  const step = numberKeyword(schema, 'multipleOf') ?? 1
  return fc
    .integer({ min: Math.ceil(min / step), max: Math.floor(max / step) })
    .map((value) => value * step)
}

/** Numbers within the bounds of the schema, or some multiples of its `multipleOf`. */
export function numberValue(schema: SchemaObject): fc.Arbitrary<number> {
  const step = numberKeyword(schema, 'multipleOf')
  if (step !== undefined) return fc.integer({ min: 0, max: 1_000 }).map((value) => value * step)
  const min = numberKeyword(schema, 'exclusiveMinimum') ?? numberKeyword(schema, 'minimum') ?? -1e15
  const max = numberKeyword(schema, 'exclusiveMaximum') ?? numberKeyword(schema, 'maximum') ?? 1e15
  return fc.double({
    min,
    max: Math.max(min, max),
    minExcluded: schema.exclusiveMinimum !== undefined,
    maxExcluded: schema.exclusiveMaximum !== undefined,
    noNaN: true,
  })
}

/** The value of a keyword, if it is a number. */
export function numberKeyword(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}

function plusOne(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value + 1
}

function minusOne(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value - 1
}
