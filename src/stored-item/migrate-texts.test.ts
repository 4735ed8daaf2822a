import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { field, hash } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { toMany, toOne } from '../model/declare/relation.ts'
import { file } from '../model/declare/resource.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { bodyOf, createStoredItem } from './create-stored-item.ts'
import { migrateValues } from './migrate-item.ts'
import { migrateTexts } from './migrate-texts.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

const bookWith = (members: Parameters<typeof model>[1]): ModelDescription =>
  describeModels([model('book', members), model('author', {})])[0]!

const parts = toMany('book')
const before = bookWith({
  title: z.string(),
  data: z.unknown(),
  secret: field(z.unknown(), { hidden: true }),
  note: z.unknown(),
  author: toOne('author', { optional: true }),
  parts,
  hash: hash(),
})

const laterModels = {
  'the same': before,
  'a renamed field': bookWith({
    name: field(z.string(), { was: 'title' }),
    data: z.unknown(),
    secret: field(z.unknown(), { hidden: true }),
    author: toOne('author', { optional: true }),
    parts,
    hash: hash(),
  }),
  'a hidden field that is shown, and reverse': bookWith({
    title: field(z.string(), { hidden: true }),
    secret: z.unknown(),
    data: z.unknown(),
    hash: hash(),
  }),
  'new fields, with a default or null': bookWith({
    year: z.int().default(1_965),
    title: z.string(),
    data: z.unknown(),
    note: z.string().nullable().default(null),
    seen: field(z.string().default('never'), { hidden: true }),
    code: z.string().optional(),
    author: toOne('author', { optional: true }),
    parts,
    genres: toMany('book'),
  }),
  'a relation that was a field, and reverse': bookWith({
    author: z.unknown(),
    parts: z.unknown(),
    data: toOne('book', { optional: true }),
    secret: toMany('book'),
    hash: hash(),
  }),
  'no members': bookWith({}),
}

/** All but the version, which is random. */
function contentOf(item: StoredItem) {
  const { id, relationsOffset, hiddenText, revision } = item
  return { id, relationsOffset, hiddenText, revision, body: bodyOf(item) }
}

const name = fc.constantFrom('a', '1', '10', 'na"me', '\\', '__proto__', 'title', '')
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\"', ',"title":', ']}'))
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, -0),
    fc.array(text, { maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}))
const values = fc.record(
  {
    id: text,
    title: text,
    data: json,
    secret: json,
    note: json,
    author: fc.option(text),
    parts: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['id', 'title'] },
)

test.each(Object.entries(laterModels))('texts migrate as their values do: %s', async (_, later) => {
  await fc.assert(
    fc.asyncProperty(values, async (stored) => {
      const item = createStoredItem(before, stored as StoredValues, 3)
      const migrated = await migrateTexts(later, item)
      expect(contentOf(migrated!)).toEqual(contentOf(await migrateValues(later, item)))
      expect(migrated!.hash?.length).toBe(later.hashField ? 43 : undefined)
    }),
  )
})

test('each migrated item has a version of its own', async () => {
  const item = createStoredItem(before, { id: 'b-1', title: 'Dune' }, 1)
  const versions = Array.from({ length: 600 }, async () => (await migrateTexts(before, item))!.hash)
  expect(new Set(await Promise.all(versions)).size).toBe(600)
})

test('the values are read where slices of the text may say something else', async () => {
  const stored = createStoredItem(before, { id: 'b-1', title: 'Dune' }, 1)
  const withText = (text: string) => migrateTexts(before, { ...stored, text })
  expect(withText(stored.text)).toBeDefined()
  for (const text of [
    '{"id": "b-1","title":"Dune"}',
    '{"id":"b-1", "title":"Dune"}',
    '{"id":"b-1","title":"Dune",}',
    '{"id":"b-1","title":}',
    '{"id":"b-1","title":"Dune}',
    '{"id":"b-1","title":"Dune\\"}',
    '{"id":"b-1","data":[1}',
    '{"id":"b-1","data":1]}',
    '{"id":"b-1","cover":{"href":\t"/x"}}',
    '["b-1"]',
    '',
  ])
    expect(withText(text), text).toBeUndefined()
  for (const hiddenText of ['{"/":{"cover":"key"}}', '{"a": 1}'])
    expect(migrateTexts(before, { ...stored, hiddenText }), hiddenText).toBeUndefined()
  expect(migrateTexts(bookWith({ cover: file() }), stored)).toBeUndefined()
})
