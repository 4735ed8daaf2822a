import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import { z } from 'zod'
import { hash, toMany, toOne } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createStoredItem } from './create-stored-item.ts'
import { linkageKeys, linkageOf, rawLinkage } from './linkage.ts'

const fields = {
  note: z.unknown().optional(),
  author: toOne('part', { optional: true }),
  parts: toMany('part'),
}
const [plain, hashed, other] = describeModels([
  model('plain', fields),
  model('hashed', { ...fields, hash: hash() }),
  model('other', {
    note: z.unknown().optional(),
    parts: toMany('part'),
    author: toOne('part', { optional: true }),
  }),
  model('part', {}),
]) as readonly [ModelDescription, ModelDescription, ModelDescription, ModelDescription]

// Identifiers that are loaded may be anything: also what looks like the end of one, or of the text.
const odd = fc.constantFrom(
  'a',
  'b-2',
  ']',
  ']}',
  '],"hash":"',
  '","',
  '},',
  'null',
  '[',
  '{"',
  '\\',
  '😀',
  ',"parts":',
  '',
)
const id = fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 6 }))
const items = fc.record({
  id,
  note: fc.option(fc.oneof(fc.json(), fc.constant({ author: 'x', parts: ['y'] })), {
    nil: undefined,
  }),
  author: fc.option(id),
  parts: fc.array(id, { maxLength: 4 }),
})

group('linkage texts', () => {
  for (const one of [plain, hashed]) {
    test(`say what parsing says, or nothing, of a ${one.name}`, () => {
      fc.assert(
        fc.property(items, (values) => {
          const item = createStoredItem(one, values, 1)
          const texts = rawLinkage(item, linkageKeys(one))
          const held = linkageOf(item)
          if (texts)
            expect(texts.map((text) => JSON.parse(text))).toEqual([held.author, held.parts])
        }),
        { numRuns: 2_000 },
      )
    })

    test(`are there for the identifiers that clients may send, of a ${one.name}`, () => {
      const sent = fc.stringMatching(/^[A-Za-z0-9._~:@-]{1,12}$/)
      const usual = fc.record({
        id: sent,
        author: fc.option(sent),
        parts: fc.array(sent, { maxLength: 4 }),
      })
      fc.assert(
        fc.property(usual, (values) => {
          const texts = rawLinkage(createStoredItem(one, values, 1), linkageKeys(one))
          expect(texts).toEqual([JSON.stringify(values.author), JSON.stringify(values.parts)])
        }),
      )
    })
  }

  test('are left to parsing where the text was written for other relations', () => {
    const item = createStoredItem(plain, { id: 'x', author: 'a', parts: ['b'] }, 1)
    expect(rawLinkage(item, linkageKeys(other))).toBeUndefined()
    expect(rawLinkage(item, linkageKeys(hashed))).toBeUndefined()
  })
})
