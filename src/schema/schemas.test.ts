import { describe, expect, it } from 'vitest'
import { closeSchema } from './close-schema.ts'
import { extractLocalRefs } from './extract-local-refs.ts'
import { component, type JsonSchema } from './json-schema.ts'
import { mergePatchSchema } from './merge-patch-schema.ts'
import { nullable, withoutNull } from './nullable.ts'

const text: JsonSchema = { type: 'string' }
const other = component('Other', 'part', () => ({
  type: 'object',
  properties: { a: text },
  required: ['a'],
}))

describe('nullable', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ['a type', text, { type: ['string', 'null'] }],
    ['several types', { type: ['string', 'number'] }, { type: ['string', 'number', 'null'] }],
    ['values', { type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'alternatives',
      { anyOf: [text, { type: 'number' }] },
      { anyOf: [text, { type: 'number' }, { type: 'null' }] },
    ],
    ['a constant', { const: 'a' }, { anyOf: [{ const: 'a' }, { type: 'null' }] }],
    ['a component', other, { anyOf: [other, { type: 'null' }] }],
    ['what takes anything', {}, {}],
    [
      'what takes null already',
      { anyOf: [text, { type: 'null' }] },
      { anyOf: [text, { type: 'null' }] },
    ],
  ])('adds null to %s', (_, schema, wanted) => {
    expect(nullable(schema)).toEqual(wanted)
  })

  it('keeps what is said of the schema where that stays the outer one', () => {
    expect(nullable({ const: 'a', description: 'A', readOnly: true })).toEqual({
      description: 'A',
      readOnly: true,
      anyOf: [{ const: 'a' }, { type: 'null' }],
    })
  })

  it.each<[JsonSchema]>([
    [text],
    [{ anyOf: [text, { type: 'number' }] }],
    [{ type: 'string', enum: ['a'] }],
  ])('is undone by notNull: %j', (schema) => {
    expect(withoutNull(nullable(schema))).toEqual(schema)
  })
})

describe('patchOf', () => {
  const struct: JsonSchema = {
    type: 'object',
    properties: { a: { type: ['string', 'null'] }, b: { type: 'number', default: 1 }, c: other },
    required: ['a'],
    minProperties: 1,
  }

  it('asks for no member, removes by null what may be absent, and fills nothing in (RFC 7396)', () => {
    expect(mergePatchSchema(struct)).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['number', 'null'] } },
    })
    expect(mergePatchSchema(struct)).not.toHaveProperty('required')
    expect(mergePatchSchema(struct)).not.toHaveProperty('minProperties')
    expect(JSON.stringify(mergePatchSchema(struct))).not.toContain('default')
  })

  it('goes on behind components, which it names after them, once', () => {
    const [one, again] = [mergePatchSchema(other), mergePatchSchema(other)]
    expect(one).toBe(again)
    expect(one.component).toMatchObject({ name: 'OtherPatch' })
    expect(one.component?.schema()).toEqual({ type: 'object', properties: { a: text } })
  })

  it('leaves arrays as they are, for they are replaced whole', () => {
    const array: JsonSchema = {
      type: 'array',
      items: { type: 'object', properties: { a: text }, required: ['a'] },
    }
    expect(mergePatchSchema(array)).toEqual(array)
  })

  it('lets a part fit several alternatives, and members of records go', () => {
    expect(mergePatchSchema({ oneOf: [struct, text] })).toHaveProperty('anyOf')
    expect(mergePatchSchema({ type: 'object', additionalProperties: text })).toEqual({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
    })
  })
})

describe('closed', () => {
  it('takes no members but those that are named, at any depth', () => {
    const inner: JsonSchema = { type: 'object', properties: { a: text } }
    expect(
      closeSchema({ type: 'object', properties: { list: { type: 'array', items: inner } } }),
    ).toEqual({
      type: 'object',
      properties: { list: { type: 'array', items: { ...inner, additionalProperties: false } } },
      additionalProperties: false,
    })
  })

  it('leaves open what says that it is, what is no object, and the parts of an intersection', () => {
    for (const schema of [
      { type: 'object', properties: { a: text }, additionalProperties: {} },
      { type: 'object', additionalProperties: text },
      { allOf: [{ type: 'object', properties: { a: text } }] },
      text,
    ] as const)
      expect(closeSchema(schema)).toEqual(schema)
  })

  it('follows what it refers to, but for what the service sends and takes back as it was', () => {
    const { component: follows } = closeSchema(other)
    expect(follows).toMatchObject({ name: 'Other', rank: 'part' })
    expect(follows?.schema()).toEqual({ ...other.component?.schema(), additionalProperties: false })
    expect(closeSchema(other)).toBe(closeSchema(other))
    const sent = component('Sent', 'service', () => ({ type: 'object', properties: { a: text } }))
    expect(closeSchema(sent)).toBe(sent)
  })

  it('passes over names of a pattern where it is told one', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { a: text },
      additionalProperties: false,
    }
    expect(closeSchema(schema, '^@')).toEqual({
      type: 'object',
      properties: { a: text },
      propertyNames: { anyOf: [{ enum: ['a'] }, { pattern: '^@' }] },
    })
    expect(closeSchema({ type: 'object', properties: {} }, '^@').propertyNames).toEqual({
      pattern: '^@',
    })
  })
})

describe('withoutLocalRefs', () => {
  it('leaves a schema as it is that refers to nothing', () => {
    expect(extractLocalRefs({ type: 'array', items: text }, 'Tags')).toEqual({
      type: 'array',
      items: text,
    })
  })

  it('makes components of definitions', () => {
    const schema = extractLocalRefs(
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/two words' } },
        $defs: { 'two words': text },
      },
      'Book',
    )
    expect(schema).not.toHaveProperty('$defs')
    expect(schema.properties?.a?.component).toMatchObject({ name: 'BookTwoWords' })
    expect(schema.properties?.a?.component?.schema()).toEqual(text)
  })

  it('makes a component of a schema that refers to itself, which refers to that', () => {
    const schema = extractLocalRefs({ type: 'array', items: { $ref: '#' } }, 'Tree')
    expect(schema.component?.name).toBe('Tree')
    expect(schema.component?.schema().items).toEqual(schema)
  })
})
