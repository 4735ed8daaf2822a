import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import { z } from 'zod'
import { hash } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { toMany, toOne } from '../model/declare/relation.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createStoredItem } from './create-stored-item.ts'
import { linkageKeys, linkageOf, linkedIds, linkedIdsReader, rawLinkage } from './linkage.ts'

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

// Ids that a developer loads may hold anything, such as what looks like the end of an id or a text.
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

group('raw linkage', () => {
  for (const description of [plain, hashed]) {
    test(`is what parsing reads, or undefined, for the model ${description.name}`, () => {
      fc.assert(
        fc.property(items, (values) => {
          const item = createStoredItem(description, values, 1)
          const raw = rawLinkage(item, linkageKeys(description))
          const parsed = linkageOf(item)
          if (raw)
            expect(raw.map((json) => JSON.parse(json))).toEqual([parsed.author, parsed.parts])
        }),
        { numRuns: 2_000 },
      )
    })

    test(`has the ids that parsing reads, for the model ${description.name}`, () => {
      const readers = description.ownedRelations.map(
        (relation) => [relation, linkedIdsReader(description, relation)] as const,
      )
      fc.assert(
        fc.property(items, fc.boolean(), (values, isOfOtherModel) => {
          // The texts of a model whose relations had another order.
          const item = createStoredItem(isOfOtherModel ? other : description, values, 1)
          for (const [relation, idsOf] of readers)
            expect(idsOf(item)).toEqual(linkedIds(linkageOf(item), relation))
        }),
        { numRuns: 2_000 },
      )
    })

    test(`is read for all ids that clients may send, for the model ${description.name}`, () => {
      const clientId = fc.stringMatching(/^[A-Za-z0-9._~:@-]{1,12}$/)
      const usual = fc.record({
        id: clientId,
        author: fc.option(clientId),
        parts: fc.array(clientId, { maxLength: 4 }),
      })
      fc.assert(
        fc.property(usual, (values) => {
          const raw = rawLinkage(createStoredItem(description, values, 1), linkageKeys(description))
          expect(raw).toEqual([JSON.stringify(values.author), JSON.stringify(values.parts)])
        }),
      )
    })
  }

  test('is undefined if the text was written for other relations', () => {
    const item = createStoredItem(plain, { id: 'x', author: 'a', parts: ['b'] }, 1)
    expect(rawLinkage(item, linkageKeys(other))).toBeUndefined()
    expect(rawLinkage(item, linkageKeys(hashed))).toBeUndefined()
  })
})
