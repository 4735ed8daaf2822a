import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import { z } from 'zod'
import { describe } from '../model/describe.ts'
import type { ModelDescription } from '../model/description.ts'
import { hash, toMany, toOne } from '../model/field.ts'
import { model } from '../model/model.ts'
import { storedItem } from './item-text.ts'
import { linkageKeys, linkageOf, linkageTexts } from './linkage.ts'

const fields = { note: z.unknown().optional(), author: toOne('part', { optional: true }), parts: toMany('part') }
const [plain, hashed, other] = describe([
  model('plain', fields),
  model('hashed', { ...fields, hash: hash() }),
  model('other', { note: z.unknown().optional(), parts: toMany('part'), author: toOne('part', { optional: true }) }),
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
  id: id,
  note: fc.option(fc.oneof(fc.json(), fc.constant({ author: 'x', parts: ['y'] })), { nil: undefined }),
  author: fc.option(id),
  parts: fc.array(id, { maxLength: 4 }),
})

group('linkage texts', () => {
  for (const one of [plain, hashed]) {
    test(`say what parsing says, or nothing, of a ${one.name}`, () => {
      fc.assert(
        fc.property(items, (values) => {
          const item = storedItem(one, values, 1)
          const texts = linkageTexts(item, linkageKeys(one))
          const held = linkageOf(item)
          if (texts) expect(texts.map((text) => JSON.parse(text))).toEqual([held.author, held.parts])
        }),
        { numRuns: 2_000 },
      )
    })

    test(`are there for the identifiers that clients may send, of a ${one.name}`, () => {
      const sent = fc.stringMatching(/^[A-Za-z0-9._~:@-]{1,12}$/)
      const usual = fc.record({ id: sent, author: fc.option(sent), parts: fc.array(sent, { maxLength: 4 }) })
      fc.assert(
        fc.property(usual, (values) => {
          const texts = linkageTexts(storedItem(one, values, 1), linkageKeys(one))
          expect(texts).toEqual([JSON.stringify(values.author), JSON.stringify(values.parts)])
        }),
      )
    })
  }

  test('are left to parsing where the text was written for other relations', () => {
    const item = storedItem(plain, { id: 'x', author: 'a', parts: ['b'] }, 1)
    expect(linkageTexts(item, linkageKeys(other))).toBeUndefined()
    expect(linkageTexts(item, linkageKeys(hashed))).toBeUndefined()
  })
})
