import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import { z } from 'zod'
import { field, hash } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { toMany, toOne } from '../model/declare/relation.ts'
import { file, image } from '../model/declare/resource.ts'
import { list, struct } from '../model/declare/struct.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { copyValues, valuesToStore } from './copy-values.ts'
import { createStoredItem, readStoredValues } from './create-stored-item.ts'

const [note, album] = describeModels([
  model('note', {
    text: z.unknown().optional(),
    secret: field(z.unknown().optional(), { hidden: true }),
    cover: file({ hidden: true }),
    author: toOne('part', { optional: true }),
    parts: toMany('part'),
    hash: hash(),
  }),
  model('album', { pages: list(struct({ name: z.string(), scan: image() })) }),
  model('part', {}),
]) as readonly [ModelDescription, ModelDescription, ModelDescription]

const scan = new StoredResource(
  { contentType: 'image/png', size: 3, hash: 'ab'.repeat(32), fileName: null },
  'k-1',
)

const scalar = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.double(),
  fc.constantFrom<unknown>(null, undefined, -0, Number.NaN, new Date(0), () => 1),
)
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', '__proto__', 'toJSON', 'constructor'), tie('value')),
  ),
})).value

group('The values of a new item', () => {
  test('are those that are read back from it', () => {
    fc.assert(
      fc.property(value, value, (text, secret) => {
        const values = { id: 'n-1', text, secret, cover: scan, author: undefined, parts: ['p'] }
        const readBack = readStoredValues(note, createStoredItem(note, values, 1))
        // `toStrictEqual` takes a member named `constructor` for the type of an object.
        expect(isDeepStrictEqual(valuesToStore(note, values), readBack)).toBe(true)
      }),
    )
  })

  test('keep the binary resources inside values', () => {
    const values = { id: 'a-1', pages: [{ name: 'one', scan }] }
    const { pages } = valuesToStore(album, values) as unknown as typeof values
    expect(StoredResource.blobKeyOf(pages[0]!.scan)).toBe('k-1')
  })
})

group('A copy of values', () => {
  test('is equal, and shares nothing that can change', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (text) => {
        const values = { id: 'n-1', text, cover: scan, parts: ['p'] }
        const copy = copyValues(values)
        expect(copy).toStrictEqual(values)
        expect(copy.cover).toBe(scan)
        expect(copy.parts).not.toBe(values.parts)
        if (typeof text === 'object' && text !== null) expect(copy.text).not.toBe(text)
      }),
    )
  })
})
