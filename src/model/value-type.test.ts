import { expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonSchema } from '../schema/json-schema.ts'
import { valueTypeOf } from './value-type.ts'

it.each<readonly [string, z.ZodType, unknown]>([
  [
    'an enumeration',
    z.enum(['on', 'off']),
    { kind: 'text', format: undefined, values: ['on', 'off'] },
  ],
  [
    'one that may be null',
    z.enum(['on', 'off']).nullish(),
    { kind: 'text', format: undefined, values: ['on', 'off'] },
  ],
  ['a single value', z.literal('on'), { kind: 'text', format: undefined, values: ['on'] }],
  ['whole numbers', z.literal([1, 2]), { kind: 'integer', values: [1, 2] }],
  ['numbers', z.literal([1, 2.5]), { kind: 'number', values: [1, 2.5] }],
  [
    'a union of them',
    z.union([z.literal('on'), z.enum(['off', 'on'])]),
    { kind: 'text', format: undefined, values: ['on', 'off'] },
  ],
  [
    'a union with any other text',
    z.union([z.enum(['on', 'off']), z.string()]),
    { kind: 'text', format: undefined },
  ],
  [
    'a union with dates',
    z.union([z.iso.date(), z.literal('unknown')]),
    { kind: 'text', format: undefined },
  ],
  ['dates, or none', z.iso.date().nullable(), { kind: 'text', format: 'date' }],
  [
    'dates of two kinds',
    z.union([z.iso.date(), z.iso.datetime()]),
    { kind: 'text', format: undefined },
  ],
  [
    'a union of whole numbers and others',
    z.union([z.literal(1), z.literal(2.5)]),
    { kind: 'number', values: [1, 2.5] },
  ],
  ['true alone', z.literal(true), { kind: 'boolean' }],
  ['texts and numbers', z.literal(['on', 1]), { kind: 'opaque' }],
  [
    'a list of them',
    z.array(z.enum(['on'])),
    { kind: 'array', items: { kind: 'text', format: undefined, values: ['on'] } },
  ],
])('the values there are, of %s', (_, schema, type) => {
  expect(valueTypeOf(z.toJSONSchema(schema) as JsonSchema)).toEqual(type)
})
