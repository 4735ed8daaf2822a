import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { field, hash } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { toMany, toOne } from '../model/declare/relation.ts'
import { file } from '../model/declare/resource.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { bodyOf, createStoredItem } from './create-stored-item.ts'
import { textEditing } from './edit-texts.ts'
import { fingerprintEntries, migrateItem } from './migrate-item.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

const bookWith = (members: Parameters<typeof model>[1]): ModelDescription =>
  describeModels([model('book', members), model('author', {})])[0]!

const title = z.string()
const data = z.unknown()
const note = z.string().optional()
const secret = field(z.unknown(), { hidden: true })
const author = toOne('author', { optional: true })
const parts = toMany('book')
const members = { title, data, note, secret, author, parts, hash: hash() }
const before = bookWith(members)
const entries = new Set(fingerprintEntries(before))

const edited = {
  'renamed fields': bookWith({
    name: field(title, { was: 'title' }),
    data,
    n: field(note, { was: ['remark', 'note'] }),
    secret,
    author,
    parts,
    hash: hash(),
  }),
  'a renamed relation': bookWith({
    title,
    data,
    note,
    secret,
    writer: toOne('author', { optional: true, was: 'author' }),
    parts,
    hash: hash(),
  }),
  'new fields with defaults': bookWith({
    year: z.int().default(1_965),
    title,
    seen: z.string().default('n"ever'),
    data,
    note,
    secret,
    tags: z.array(z.string()).default([]),
    code: z.string().nullable().default(null),
    later: z.string().optional(),
    hiddenLater: field(z.string().optional(), { hidden: true }),
    author,
    parts,
    hash: hash(),
  }),
  'a former name that was declared': bookWith({ ...members, title: field(title, { was: 'name' }) }),
}

const others = {
  'a removed field': bookWith({ title, data, secret, author, parts, hash: hash() }),
  'a field that becomes hidden': bookWith({ ...members, title: field(title, { hidden: true }) }),
  'a field that becomes required': bookWith({ ...members, note: title }),
  'a new hidden field with a default': bookWith({
    ...members,
    seen: field(z.string().default('never'), { hidden: true }),
  }),
  'a renamed hidden field': bookWith({
    ...{ title, data, note, author, parts, hash: hash() },
    mystery: field(z.unknown(), { hidden: true, was: 'secret' }),
  }),
  'a field that was a relation': bookWith({ ...members, author: z.unknown() }),
  'a new relation': bookWith({ ...members, more: toMany('book') }),
  'a new file': bookWith({ ...members, cover: file() }),
  'a new field whose default takes a promise': bookWith({
    ...members,
    year: z
      .int()
      .default(1_965)
      .refine(async () => true),
  }),
  'no version': bookWith({ title, data, note, secret, author, parts }),
}

/** All but the version, which is random. */
function contentOf(item: StoredItem) {
  const { id, relationsOffset, hiddenText, revision } = item
  return { id, relationsOffset, hiddenText, revision, body: bodyOf(item) }
}

/** What a store makes of an edit; undefined if there is none. */
function editor(later: ModelDescription, writtenUnder: ReadonlySet<string> = entries) {
  const { edit, versionEnd } = textEditing(later, writtenUnder)!
  return (item: StoredItem): StoredItem | undefined => {
    const texts = edit(item)
    if (texts === undefined || texts === item) return texts && item
    const hash = item.hash && item.hash.slice(0, -versionEnd.length) + versionEnd
    return { ...item, ...texts, hash, revision: item.revision + 1 }
  }
}

const memberName = fc.constantFrom(
  'title',
  'note',
  'name',
  'n',
  'year',
  'author',
  'writer',
  '',
  '"',
)
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', ',"title":', '{', '}', '{"a":1,"note":2}'),
)
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, 1.5),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(memberName, tie('value'), { maxKeys: 4 }),
  ),
}))
const values = fc.record(
  {
    id: text,
    title: text,
    data: json,
    note: text,
    secret: json,
    author: fc.option(text),
    parts: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['id', 'title'] },
)

describe('texts are edited as they migrate', () => {
  test.each(Object.entries(edited))('%s', async (_, later) => {
    const edit = editor(later)
    let count = 0
    await fc.assert(
      fc.asyncProperty(values, async (stored) => {
        const item = createStoredItem(before, stored as StoredValues, 3)
        const result = edit(item)
        if (result === undefined) return
        count++
        const migrated = await migrateItem(later, item)
        expect(contentOf(result)).toEqual(contentOf(migrated))
        expect(result === item).toBe(migrated === item)
        expect(JSON.parse(result.text).hash).toBe(result.hash)
        expect(result.hash === item.hash).toBe(result === item)
      }),
    )
    expect(count).toBeGreaterThan(10)
  })
})

test.each(Object.entries(others))('%s is no edit', (_, later) => {
  expect(textEditing(later, entries)).toBeUndefined()
})

test('a version that no model has is none after an edit', async () => {
  const [was, is] = [
    bookWith({ title, author }),
    bookWith({ title, author, pages: z.int().default(1) }),
  ]
  const item = createStoredItem(was, { id: 'b', title: 'Dune', author: null }, 1)
  const result = editor(is, new Set(fingerprintEntries(was)))(item)!
  expect(result).toEqual(await migrateItem(is, item))
  expect(result.text).toBe('{"id":"b","title":"Dune","pages":1,"author":null}')
})

test('what only a migration can tell is left to it', () => {
  const edit = editor(edited['renamed fields'])
  const item = createStoredItem(before, { id: 'b', title: 'Dune' }, 1)
  expect(edit(item)).toBeDefined()
  const { hash } = item
  const short = { ...item, hash: 'short', text: item.text.replace(hash!, 'short') }
  expect(edit(short)).toBeUndefined()
  // A former model archived a member.
  expect(edit({ ...item, hiddenText: '{"n":"old"}' })).toBeUndefined()
  for (const data of [{ a: 1, name: 2 }, { a: [{ b: 1, n: 2 }] }])
    expect(edit(createStoredItem(before, { id: 'b', title: 'Dune', data }, 1))).toBeUndefined()
  // Not as the library writes it.
  const spaced = item.text.replace(',"title":', ', "title":')
  expect(
    edit({ ...item, text: `${spaced.slice(0, -1)},"data":{"a":1,"title":2}}` }),
  ).toBeUndefined()
})
