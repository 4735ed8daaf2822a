import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { memory } from '../../store/memory/memory.ts'
import { modelText } from '../pull/model-text.ts'
import { guessModels } from './guess-models.ts'
import { guessedRouter } from './guessed-router.ts'

const folder = mkdtempSync(join(tmpdir(), 'guess-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(data: unknown): string {
  const file = join(folder, 'data.json')
  writeFileSync(file, typeof data === 'string' ? data : JSON.stringify(data))
  return file
}

/** The text of each member, by `model.member`. */
function guessed(data: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    guessModels(fileWith(data)).models.flatMap(({ name, members }) =>
      members.map((member) => [`${name}.${member.name}`, member.text]),
    ),
  )
}

/** What a client gets at a path. */
async function served(data: unknown, path: string): Promise<unknown> {
  const file = fileWith(data)
  const { models } = guessModels(file)
  const router = await guessedRouter(file, models, memory())
  onTestFinished(() => router.close())
  const response = await router.handle(new Request(`http://localhost${path}`))
  expect(response.status).toBe(200)
  return response.json()
}

describe('The guessed models of a JSON file', () => {
  it('have the narrowest schemas that all values satisfy', () => {
    const things = [
      {
        id: 1,
        text: 'Emma',
        whole: 3,
        real: 1.5,
        flag: true,
        day: '2024-02-29',
        instant: '2024-02-29T10:00:00Z',
        site: 'https://example.org/a',
        mail: 'jane@example.org',
        rare: 'x',
        empty: null,
        maybe: 'x',
        mixed: 1,
        tags: ['a', 'b'],
        nothing: [],
        address: { street: 'A', zip: '1' },
        rows: [{ n: 1 }, { n: 2.5, m: 'x' }],
        words: { 'a b': 1 },
      },
      {
        id: 2,
        text: '2024-02-29',
        whole: -1,
        real: 2,
        flag: false,
        day: '2024-01-01',
        instant: '2024-01-01T10:00:00.5+02:00',
        site: 'http://example.org',
        mail: 'a@example.org',
        empty: null,
        maybe: null,
        mixed: 'one',
        tags: [],
        nothing: [],
        address: { street: 'B' },
        rows: [],
        words: {},
      },
    ]
    expect(guessed({ things })).toEqual({
      'thing.text': 'z.string()',
      'thing.whole': 'z.int()',
      'thing.real': 'z.number()',
      'thing.flag': 'z.boolean()',
      'thing.day': 'z.iso.date()',
      'thing.instant': 'z.iso.datetime({ offset: true })',
      'thing.site': 'z.url()',
      'thing.mail': 'z.email()',
      'thing.rare': 'z.string().optional()',
      'thing.empty': 'z.unknown()',
      'thing.maybe': 'z.string().nullable()',
      'thing.mixed': 'z.union([z.int(), z.string()])',
      'thing.tags': 'z.array(z.string())',
      'thing.nothing': 'z.array(z.unknown())',
      'thing.address': 'z.object({ street: z.string(), zip: z.string().optional() })',
      'thing.rows': 'z.array(z.object({ n: z.number(), m: z.string().optional() }))',
      'thing.words': 'z.record(z.string(), z.int())',
    })
  })

  it('have relations where a member names a model and holds ids of it', () => {
    const data = {
      authors: [{ id: 7, name: 'Jane Austen' }],
      tags: [{ id: 'a' }, { id: 'b' }],
      books: [
        { id: 1, authorId: 7, main_author_id: 7, tagIds: ['a', 'b'], tags: 'free', editor: 7 },
        { id: 2, authorId: 7, tagIds: [] },
      ],
      notes: [
        { id: 1, book: 1 },
        { id: 2, book: null },
      ],
    }
    expect(guessed(data)).toEqual({
      'author.name': 'z.string()',
      'book.author': "toOne('author')",
      'book.mainAuthor': "toOne('author', { optional: true })",
      'book.tagIds': "toMany('tag')",
      'book.tags': 'z.string().optional()',
      'book.editor': 'z.int().optional()',
      'book.notes': "toMany('note', { inverse: 'book' })",
      'note.book': "toOne('book', { optional: true })",
    })
  })

  it('keep an id of no item as a field, and say where it is', () => {
    const data = { authors: [{ id: 1 }], books: [{ authorId: 1 }, { authorId: 9 }] }
    const { notes } = guessModels(fileWith(data))
    expect(guessed(data)).toEqual({ 'book.authorId': 'z.int()' })
    expect(notes).toEqual([
      "'authorId' stays a field: /books/1/authorId names no item of 'authors'.",
    ])
  })

  it('keep a list under the name of one item as a field', () => {
    const data = { authors: [{ id: 7 }, { id: 8 }], books: [{ author: [7, 8] }, { author: [7] }] }
    expect(guessed(data)).toEqual({ 'book.author': 'z.array(z.int())' })
  })

  it('serve the items with ids as text, filters and related items', async () => {
    const data = {
      authors: [{ id: 7, name: 'Jane Austen' }],
      books: [
        { id: 1, title: 'Emma', authorId: 7 },
        { title: 'Persuasion', authorId: 7 },
      ],
    }
    expect(await served(data, '/books?filter[title]=Persuasion&include=author')).toEqual({
      books: [{ id: '2', title: 'Persuasion', author: '7' }],
      authors: [{ id: '7', name: 'Jane Austen' }],
    })
  })

  it('have a list for a single object, an empty list, and a plural that is no other word', async () => {
    const data = { profile: { name: 'Shop' }, drafts: [], news: [{ id: 'n', text: 'x' }] }
    expect(await served(data, '/profiles')).toEqual({ profiles: [{ id: '1', name: 'Shop' }] })
    expect(await served(data, '/drafts')).toEqual({ drafts: [] })
    expect(await served(data, '/news')).toEqual({ news: [{ id: 'n', text: 'x' }] })
  })

  it('rename what is no name of a member, and say so', () => {
    const data = {
      'blog-posts': [{ id: 1, 'page count': 3, pageCount: 4, hash: 'x', snake_case: 1 }],
    }
    const { notes, models } = guessModels(fileWith(data))
    expect(models[0]!.members.map(({ name }) => name)).toEqual([
      'pageCount2',
      'pageCount',
      'hash2',
      'snake_case',
    ])
    expect(notes).toEqual([
      "'blog-posts' is at /blogPosts.",
      "/blog-posts: 'page count' becomes 'pageCount2'.",
      "/blog-posts: 'hash' becomes 'hash2'.",
    ])
  })

  it('serve 10 000 items', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({ id: index, n: index % 7 }))
    const page = (await served({ items }, '/items?filter[n]=3&page[limit]=1&sort=-id')) as object
    expect(page).toMatchObject({ items: [{ n: 3 }] })
  }, 60_000)

  it('are printed as a person would write them', () => {
    const [author] = guessModels(
      fileWith({ authors: [{ id: 1, name: 'A' }], books: [{ id: 1, authorId: 1 }] }),
    ).models
    expect(modelText({ ...author!, options: [] })).toEqual([
      "export const Author = model('author', {",
      '  name: z.string(),',
      "  books: toMany('book', { inverse: 'author' }),",
      '})',
    ])
  })
})

describe('A file that cannot be served', () => {
  it.each<readonly [what: string, data: unknown, message: RegExp]>([
    ['no JSON', '{\n  "books": [1,]\n}', /\nline 2, column 15: Expected .*, got '\]'\.$/],
    ['a repeated member', '{ "a": [{ "b": 1, "b": 2 }] }', /\n\/a\/0\/b: /],
    ['a number that loses digits', '{ "a": [{ "b": 12345678901234567890 }] }', /\n\/a\/0\/b: /],
    ['no object', [1], /must hold an object whose members are arrays .*; got an array\.$/],
    ['no members', {}, /it has no members\.$/],
    [
      'a number as a list',
      { version: 1 },
      /\n\/version: expected an array of objects, or an object; got a number\.$/,
    ],
    [
      'a text as an item',
      { books: [{}, 'x'] },
      /\n\/books\/1: expected an object; got a string\.$/,
    ],
    [
      'two equal ids',
      { books: [{ id: 1 }, { id: '1' }] },
      /\n\/books\/1\/id: '1' is the id of item 0, too\.$/,
    ],
    [
      'an id with a slash',
      { books: [{ id: 'a/b' }] },
      /\n\/books\/0\/id: 'a\/b' is not an id\. An id has 1 to 128/,
    ],
    [
      'an object as an id',
      { books: [{ id: {} }] },
      /\n\/books\/0\/id: expected a text or a whole number; got an object\.$/,
    ],
    ['a name without letters', { '123': [] }, /\n\/123: '123' cannot be the name of a list/],
    ['two lists of one name', { 'a-b': [], aB: [] }, /\n\/aB: 'aB' cannot be the name of a list/],
    ['a slash in a name', { 'a/1~': [2] }, /\n\/a~11~0\/0: expected an object; got a number\.$/],
  ])('says so of %s', (_, data, message) => {
    expect(() => guessModels(fileWith(data))).toThrow(message)
  })
})
