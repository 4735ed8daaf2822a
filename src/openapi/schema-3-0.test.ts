import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../schema/json-schema.ts'
import { toSchema30 } from './schema-3-0.ts'

const nothing = { type: 'object', nullable: true, enum: [null] }

describe('A schema in OpenAPI 3.0', () => {
  it.each<[string, JsonSchema, object]>([
    [
      'null beside a type as nullable',
      { type: ['string', 'null'] },
      { type: 'string', nullable: true },
    ],
    [
      'null among alternatives as the one value of one',
      { anyOf: [{ $ref: '#/a' }, { type: 'null' }] },
      { anyOf: [{ $ref: '#/a' }, nothing] },
    ],
    [
      'null beside one other kind of value as nullable',
      { description: 'A', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
      { description: 'A', type: 'string', enum: ['a', null], nullable: true },
    ],
    [
      'several types as alternatives',
      { type: ['string', 'number', 'null'] },
      { anyOf: [{ type: 'string' }, { type: 'number' }, nothing] },
    ],
    ['a constant as the one value', { const: 'a' }, { enum: ['a'] }],
    [
      'the first example alone',
      { type: 'string', examples: ['a', 'b'] },
      { type: 'string', example: 'a' },
    ],
    [
      'limits that are not reached as flags',
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', minimum: 0, exclusiveMinimum: true },
    ],
    [
      'references without siblings',
      { $ref: '#/a', description: 'A' },
      { description: 'A', allOf: [{ $ref: '#/a' }] },
    ],
    ['bytes as a format', { contentMediaType: 'image/png' }, { type: 'string', format: 'binary' }],
    [
      'a tuple as an array of any of its items',
      { type: 'array', prefixItems: [{ type: 'string' }], items: false },
      { type: 'array', items: { type: 'string' } },
    ],
    ['an array of anything with items', { type: 'array' }, { type: 'array', items: {} }],
    [
      'objects open where patterns of names were allowed',
      { type: 'object', patternProperties: { '^@': {} }, additionalProperties: false },
      { type: 'object' },
    ],
    [
      'what it knows at any depth',
      { type: 'object', properties: { a: { const: 1 } } },
      { type: 'object', properties: { a: { enum: [1] } } },
    ],
    [
      'nothing that it does not know',
      { type: 'string', contentEncoding: 'x', if: {}, 'x-own': 1 },
      { type: 'string', 'x-own': 1 },
    ],
  ])('writes %s', (_, schema, wanted) => {
    expect(toSchema30(schema)).toEqual(wanted)
  })
})
