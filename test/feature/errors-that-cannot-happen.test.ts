import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type BlobStore,
  createRouter,
  field,
  file,
  hash,
  model,
  type Router,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../spec/support/document-client.ts'
import { stores } from '../support/stores.ts'

/** What the schema of a title does with every value. */
let titles: 'accepted' | 'refused' | 'never settled' = 'accepted'
afterEach(() => {
  titles = 'accepted'
})

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  edited: toMany('book', { inverse: 'editor' }),
})
const Genre = model('genre', { name: z.string(), books: toMany('book', { inverse: 'genres' }) })
const Book = model('book', {
  title: z.string().refine((): boolean | Promise<boolean> => {
    if (titles === 'never settled') return new Promise<boolean>(() => {})
    return titles === 'accepted'
  }, 'it is refused'),
  isbn: field(z.string().optional(), { unique: true }),
  author: toOne('author'),
  editor: toOne('author', { optional: true, onDelete: 'set-null' }),
  genres: toMany('genre'),
  cover: file(),
  hash: hash(),
})

/** What a rule of a database about the values of an item leads to. */
const ofValues = ['invalid-member', 'related-not-found']

/** The errors that a file leaves out of those that it uses, because they cannot happen there. */
const leftOut: Readonly<Record<string, readonly string[]>> = {
  'operation/linkage/change-linkage.ts': ['unknown-member', 'invalid-resource'],
  'operation/linkage/relationship-delete.ts': [
    'related-not-found',
    'related-missing',
    'item-too-large',
    'invalid-member',
    'validation-timeout',
    'value-taken',
  ],
  'operation/linkage/relationship-post.ts': ['conflict', 'invalid-member', 'validation-timeout'],
  'operation/resource/delete-resource.ts': ['item-too-large'],
  'operation/resource/resource-change.ts': ['value-taken', ...ofValues],
  // The checks of whole items declare them; guesses-of-hidden-values.test.ts has them.
  'operation/write/change-item.ts': ['conflict', 'forbidden'],
  'operation/write/create-item.ts': ['conflict'],
  'operation/write/immutable-members.ts': ['invalid-member'],
  'operation/write/inverse-relations.ts': [...ofValues],
  'operation/write/remove-item.ts': ['value-taken', 'item-too-large', ...ofValues],
  // Of changes by lines; items-from-lines.test.ts has it.
  'pipeline/error-responses.ts': ['precondition-failed'],
}

it('These tests cover all errors that operations leave out', () => {
  const folder = fileURLToPath(new URL('../../src', import.meta.url))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const found = files.flatMap((path) => {
    if (!path.endsWith('.ts')) return []
    const text = readFileSync(join(folder, path), 'utf8')
    const lists = [...text.matchAll(/withoutErrors\(\w+, \[([^\]]*)\]/g)]
    const codes = lists.flatMap(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, code]) => code!),
    )
    return codes.length === 0 ? [] : [[path, codes] as const]
  })
  expect(Object.fromEntries(found)).toEqual(leftOut)
})

describe.each(stores)('Errors that an operation does not declare, on $name', ({ make }) => {
  let store: Store
  let router: Router
  let api: Client
  let blobs: BlobStore

  const open = (options: Partial<RouterOptions> = {}): { router: Router; api: Client } => {
    const opened = createRouter({
      policy: jsonApi(),
      store,
      blobs,
      timeouts: { validationMs: 50 },
      ...options,
    })
    for (const entry of [Author, Genre, Book]) opened.prepare(entry)
    return { router: opened, api: client(opened) }
  }
  const books = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'books', id })) })
  const genres = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'genres', id })) })
  const author = (id: string) => ({ data: { type: 'authors', id } })
  const change = (attributes: object) => ({ data: { type: 'books', id: 'b', attributes } })
  const setCover = (router: Router) =>
    router.handle(
      new Request('http://localhost/books/b/cover', {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: 'bytes',
      }),
    )
  const codesOf = ({ errors }: { errors: readonly { code?: string }[] }) =>
    errors.map(({ code }) => code)

  beforeEach(async () => {
    store = await make()
    blobs = memoryBlobs()
    ;({ router, api } = open())
    await router.load(
      Author,
      ['a', 'c', 'e'].map((id) => ({ id, name: id })),
    )
    await router.load(
      Genre,
      ['g', 'h'].map((id) => ({ id, name: id })),
    )
    await router.load(
      Book,
      ['b', 'd'].map((id) => ({
        id,
        title: id,
        isbn: `isbn-${id}`,
        author: 'a',
        editor: 'e',
        genres: ['g'],
      })),
    )
  })

  it.each(['refused', 'never settled'] as const)(
    'adding and removing ids does not validate the item, whose title would be %s',
    async (outcome) => {
      titles = outcome
      const control = await api.patch('/books/b', change({ title: 'x' }))
      expect(codesOf(control)).toEqual([
        outcome === 'refused' ? 'invalid-member' : 'validation-timeout',
      ])
      const path = '/books/b/relationships/genres'
      expect((await api.post(path, genres('h'))).status).toBe(204)
      expect((await api.delete(path, genres('g'))).status).toBe(204)
      const inverse = '/genres/g/relationships/books'
      expect((await api.post(inverse, books('b'))).status).toBe(204)
      expect((await api.delete(inverse, books('b'))).status).toBe(204)
    },
  )

  it('adding items that require another one takes them over, and leaves no conflict', async () => {
    const path = '/authors/a/relationships/books'
    expect(codesOf(await api.patch(path, books('b')))).toEqual(['conflict'])
    expect((await api.post('/authors/c/relationships/books', books('b', 'd'))).status).toBe(204)
    const created = await api.post('/authors', {
      data: {
        type: 'authors',
        attributes: { name: 'N' },
        relationships: { books: books('b', 'd') },
      },
    })
    expect(created.status).toBe(201)
  })

  it('removing ids ignores those of missing items', async () => {
    const path = '/books/b/relationships/genres'
    expect(codesOf(await api.post(path, genres('nothing')))).toEqual(['related-missing'])
    expect((await api.delete(path, genres('nothing'))).status).toBe(204)
    const inverse = '/authors/e/relationships/edited'
    expect((await api.delete(inverse, books('nothing'))).status).toBe(204)
  })

  it('the body of a relationship holds ids only', async () => {
    const others = { attributes: { unknown: 1, cover: 'no resource' }, unknown: 1 }
    const path = '/books/b/relationships/author'
    expect((await api.patch(path, { ...author('c'), ...others })).status).toBe(204)
  })

  it('no value changes with a relation or a resource, so no rule about values refuses it', async () => {
    expect(codesOf(await api.patch('/books/b', change({ isbn: 'isbn-d' })))).toEqual([
      'value-taken',
    ])
    const done = [
      await api.patch('/books/b/relationships/author', author('c')),
      await api.patch('/books/b/relationships/genres', genres('h')),
      await api.post('/books/b/relationships/genres', genres('g')),
      await api.delete('/books/b/relationships/genres', genres('h')),
      await api.post('/authors/c/relationships/books', books('d')),
      await api.delete('/authors/e/relationships/edited', books('b')),
      await setCover(router),
      await api.delete('/books/b/cover'),
      await api.delete('/authors/e'),
    ]
    expect(done.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204, 200, 204, 204])
  })

  it('clearing a relation or a resource of an item at the size limit is no growth', async () => {
    expect((await setCover(router)).status).toBe(200)
    const description = router.rules.find(
      (rule) => rule.operation === 'GetItem' && rule.view.model.name === 'book',
    )!
    if (description.operation !== 'GetItem') throw new Error('not the rule of an item')
    const sizes: number[] = []
    for (const id of ['b', 'd']) {
      const item = await store.find(description.view.model, {
        kind: 'compare',
        path: { names: ['id'] },
        operator: 'equal',
        value: id,
      })
      sizes.push(Buffer.byteLength(item!.text) + Buffer.byteLength(item!.hiddenText ?? ''))
    }
    const limited = open({ limits: { maxItemBytes: Math.min(...sizes) } })
    const grown = await limited.api.patch('/books/d', {
      data: { type: 'books', id: 'd', attributes: { title: 'dd' } },
    })
    expect(codesOf(grown)).toEqual(['item-too-large'])
    const done = [
      await limited.api.delete('/authors/e/relationships/edited', books('b')),
      await limited.api.delete('/books/b/relationships/genres', genres('g')),
      await limited.api.delete('/books/b/cover'),
      await limited.api.delete('/authors/e'),
    ]
    expect(done.map(({ status }) => status)).toEqual([204, 204, 204, 204])
    expect((await limited.api.get('/books/d')).one.relationships?.editor?.data).toBeNull()
  })
})
