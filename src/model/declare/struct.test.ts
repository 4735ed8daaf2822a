import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonSchemaOf, validate } from '../../schema/standard-schema.ts'
import { StoredResource } from '../stored-resource.ts'
import { audio, image } from './resource.ts'
import { list, struct } from './struct.ts'

const edition = struct({
  format: z.string().min(2),
  year: z.int().optional(),
  pages: z.int().default(1),
  scan: image({ description: 'The title page' }),
  sample: audio(),
})

describe('a struct', () => {
  it('validates its members, and leaves out what it does not have', () => {
    expect(validate(edition, { format: 'cloth', other: 1 })).toEqual({
      kind: 'valid',
      value: { format: 'cloth', pages: 1, scan: null, sample: null },
    })
  })

  it('tells every fault with the way to it', () => {
    expect(validate(list(edition), [{ format: 'a', year: 1.5 }, 7])).toMatchObject({
      kind: 'invalid',
      issues: [
        { path: [0, 'format'] },
        { path: [0, 'year'] },
        { path: [1], message: 'expected an object' },
      ],
    })
    expect(validate(edition, undefined)).toMatchObject({ kind: 'invalid' })
    expect(validate(struct({ a: z.string() }, { optional: true }), undefined)).toEqual({
      kind: 'valid',
      value: undefined,
    })
    expect(validate(list(edition), {})).toMatchObject({
      kind: 'invalid',
      issues: [{ message: 'expected an array' }],
    })
  })

  it('takes resources from the service only', () => {
    const scan = new StoredResource(
      { contentType: 'image/png', size: 1, hash: 'h', fileName: null },
      'key',
    )
    expect(validate(edition, { format: 'cloth', scan, sample: { ...scan, key: 'key' } })).toEqual({
      kind: 'valid',
      value: { format: 'cloth', pages: 1, scan, sample: null },
    })
  })

  it('waits for members that validate asynchronously', async () => {
    const slow = struct({
      name: z.string().refine(async (name) => name !== 'no', { message: 'not this' }),
    })
    expect(await validate(list(slow), [{ name: 'yes' }])).toEqual({
      kind: 'valid',
      value: [{ name: 'yes' }],
    })
    expect(await validate(list(slow), [{ name: 'no' }])).toMatchObject({
      issues: [{ path: [0, 'name'], message: 'not this' }],
    })
  })

  it('knows its JSON Schema, both ways', () => {
    const input = jsonSchemaOf(list(edition), 'input')
    const output = jsonSchemaOf(list(edition, { description: 'Printed' }), 'output')
    expect(input).toMatchObject({
      type: 'array',
      items: { type: 'object', required: ['format'], additionalProperties: false },
    })
    expect(output).toMatchObject({
      description: 'Printed',
      items: { required: ['format', 'pages', 'scan', 'sample'] },
    })
    expect(input).toMatchObject({
      items: { properties: { scan: { readOnly: true, description: 'The title page' } } },
    })
  })

  it('is refused with members that are none', () => {
    expect(() => struct({ 'a b': z.string() })).toThrow("'a b'")
    expect(() => struct({ a: 'text' as never })).toThrow("'a'")
  })
})

describe('a list with a thousand faults', () => {
  it('is looked through no further', () => {
    let looked = 0
    const counting = z.unknown().refine(() => {
      looked++
      return false
    })
    const validation = validate(list(counting), Array(50_000).fill(1))
    expect(validation).toMatchObject({ kind: 'invalid', issues: { length: 1_000 } })
    expect(looked).toBe(1_000)
  })
})
