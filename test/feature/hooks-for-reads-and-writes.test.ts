import {
  createRouter,
  file,
  type Middleware,
  model,
  type QueryHook,
  type Router,
  refuse,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Book = model(
  'book',
  {
    title: z.string(),
    owner: z.string().default('ada'),
    author: toOne('author', { optional: true }),
    cover: file(),
  },
  { upsert: true },
)

const reader = 'application/vnd.api+json'
const atomicType = `${reader}; ext="https://jsonapi.org/ext/atomic"`

type Sent = readonly [method: string, path: string, body?: unknown]

const book = (id: string) => ({ type: 'books', id })

const plainReads: readonly Sent[] = [
  ['GET', '/books'],
  ['GET', '/books/b'],
  ['GET', '/books/b/cover'],
]
const plainWrites: readonly Sent[] = [
  ['POST', '/books', { book: { title: 'x' } }],
  ['PATCH', '/books/b', { book: { title: 'x' } }],
  ['PUT', '/books/b', { book: { title: 'x' } }],
  ['PUT', '/books/new', { book: { title: 'x' } }],
  ['POST', '/books/b/touch'],
  ['POST', '/books/b/cover', 'bytes'],
  ['DELETE', '/books/b/cover'],
  ['DELETE', '/books/b'],
]
const jsonReads: readonly Sent[] = [
  ['GET', '/books/b/author'],
  ['GET', '/books/b/relationships/author'],
  ['GET', '/authors/a/books'],
]
const jsonWrites: readonly Sent[] = [
  ['PATCH', '/books/b/relationships/author', { data: null }],
  ['POST', '/authors/a/relationships/books', { data: [book('c')] }],
  ['DELETE', '/authors/a/relationships/books', { data: [book('b')] }],
  ['PATCH', '/authors/a/relationships/books', { data: [book('c')] }],
]
const operations = [
  { op: 'add', data: { type: 'books', attributes: { title: 'x' } } },
  { op: 'update', data: { ...book('b'), attributes: { title: 'x' } } },
  { op: 'update', ref: { ...book('b'), relationship: 'author' }, data: null },
  { op: 'remove', ref: book('b') },
]

describe.each(stores)('The hooks of reads and writes, on $name', ({ make }) => {
  let store: Store
  let plain: Client
  let json: Client
  let atomic: Client
  let router: Router

  beforeEach(async () => {
    store = await make()
  })

  const serve = async (...middleware: Middleware[]) => {
    const blobs = memoryBlobs()
    const [first, second] = [rest(), jsonApi()].map((policy) => {
      const made = createRouter({ policy, store, blobs })
      made.prepare(Author)
      const prepared = made.prepare(Book).itemOperation('touch', ({ item }) => {
        item.title += '!'
      })
      for (const each of middleware) prepared.use(each)
      return made
    })
    router = first!
    plain = client(router)
    json = client(second!, undefined, reader)
    atomic = client(second!, undefined, atomicType)
    await router.load(Author, [{ id: 'a', name: 'Mary' }])
    await router.load(Book, [
      { id: 'b', title: 'Frankenstein', author: 'a' },
      { id: 'c', title: 'The Last Man', owner: 'bob' },
    ])
    const content = { bytes: Buffer.from('cover'), contentType: 'text/plain' }
    await router.loadResource(Book, { id: 'b', path: 'cover' }, content)
  }

  const statusesOf = async (api: () => Client, requests: readonly Sent[]) => {
    const statuses: number[] = []
    for (const [method, path, body] of requests) {
      const headers =
        typeof body === 'string' ? { 'content-type': 'application/octet-stream' } : undefined
      statuses.push((await api().send(method, path, body, headers)).status)
    }
    return new Set(statuses)
  }

  const batchStatuses = async () => {
    const statuses: number[] = []
    for (const operation of operations)
      statuses.push((await atomic.post('/operations', { 'atomic:operations': [operation] })).status)
    return new Set(statuses)
  }

  it('let a request hook of writes refuse every change, and no read', async () => {
    await serve({
      request: { write: () => refuse('unauthorized', 'Sign in to write.') },
      declares: { errors: ['unauthorized'] },
    })
    expect(await statusesOf(() => plain, plainReads)).toEqual(new Set([200]))
    expect(await statusesOf(() => json, jsonReads)).toEqual(new Set([200]))
    expect(await statusesOf(() => plain, plainWrites)).toEqual(new Set([401]))
    expect(await statusesOf(() => json, jsonWrites)).toEqual(new Set([401]))
    expect(await batchStatuses()).toEqual(new Set([401]))
  })

  it('let a request hook of reads refuse every read, and changes of what is stored', async () => {
    await serve({
      request: { read: () => refuse('unauthorized', 'Sign in to read.') },
      declares: { errors: ['unauthorized'] },
    })
    expect(await statusesOf(() => plain, plainReads)).toEqual(new Set([401]))
    expect(await statusesOf(() => json, jsonReads)).toEqual(new Set([401]))
    expect(await statusesOf(() => plain, plainWrites.slice(1))).toEqual(new Set([401]))
    expect((await plain.post('/books', { book: { title: 'x' } })).status).toBe(201)
    expect((await plain.get('/authors?include=books')).status).toBe(401)
  })

  const ownBooks: QueryHook = (query) => query.where('owner').equal('ada')

  it('hide items from every path by a query hook of reads', async () => {
    await serve({ query: { read: ownBooks } })
    expect((await plain.get('/books')).ids('books')).toEqual(['b'])
    for (const [method, path] of [
      ['GET', '/books/c'],
      ['DELETE', '/books/c'],
    ] as const)
      expect((await plain.send(method, path)).status).toBe(404)
    expect((await plain.patch('/books/c', { book: { title: 'x' } })).status).toBe(404)
    // Nothing is said about what is written.
    expect((await plain.patch('/books/b', { book: { owner: 'bob' } })).status).toBe(200)
  })

  it('keep items from every change by a query hook of writes, also as outcome', async () => {
    await serve({ query: { write: ownBooks } })
    expect((await plain.get('/books')).ids('books')).toEqual(['b', 'c'])
    const title = (await plain.get('/books/c')).at('/book/title')
    const onOther = plainWrites
      .filter(([, path]) => path.startsWith('/books/b'))
      .map(([method, path, body]): Sent => [method, path.replace('/books/b', '/books/c'), body])
    expect(await statusesOf(() => plain, onOther)).toEqual(new Set([403]))
    expect((await plain.get('/books/c')).at('/book/title')).toBe(title)
    expect((await json.post('/authors/a/relationships/books', { data: [book('c')] })).status).toBe(
      403,
    )
    const taken = { book: { title: 'x', owner: 'bob' } }
    expect((await plain.post('/books', taken)).status).toBe(403)
    expect((await plain.put('/books/new', taken)).status).toBe(403)
    expect((await plain.patch('/books/b', { book: { owner: 'bob' } })).status).toBe(403)
    expect((await plain.put('/books/b', taken)).status).toBe(403)
    expect((await plain.patch('/books/b', { book: { title: 'x' } })).status).toBe(200)
    expect((await plain.post('/books', { book: { title: 'x' } })).status).toBe(201)
  })

  it('leave the outcome of a change to others with a query hook of updates', async () => {
    await serve({ query: { update: ownBooks } })
    expect((await plain.patch('/books/c', { book: { title: 'x' } })).status).toBe(403)
    expect((await plain.patch('/books/b', { book: { owner: 'bob' } })).status).toBe(200)
  })

  it('tell who may see an item that it cannot be changed, and others nothing', async () => {
    await serve({
      query: {
        read: (query, { request }) =>
          request.headers['x-user'] === 'bob' ? query : query.where('id').notEqual('c'),
        update: (query) => query.where('id').notEqual('c'),
      },
    })
    const bob = { 'x-user': 'bob' }
    const text = /^You may see this book, but not (?:change|delete|call 'touch' on) it\.$/
    const document = { data: { ...book('c'), attributes: { title: 'x' } } }
    const linkage = { data: null }
    const operationsOnBook = [
      { op: 'update', ...document },
      { op: 'remove', ref: book('c') },
      { op: 'update', ref: { ...book('c'), relationship: 'author' }, ...linkage },
    ]
    for (const [headers, status] of [
      [bob, 403],
      [{}, 404],
    ] as const) {
      const responses = [
        await plain.patch('/books/c', { book: { title: 'x' } }, headers),
        await plain.delete('/books/c', headers),
        await plain.post('/books/c/touch', undefined, headers),
        await json.patch('/books/c', document, headers),
        await json.patch('/books/c/relationships/author', linkage, headers),
      ]
      for (const operation of operationsOnBook)
        responses.push(
          await atomic.post('/operations', { 'atomic:operations': [operation] }, headers),
        )
      expect(responses.map((response) => response.status)).toEqual(responses.map(() => status))
      for (const { errors } of responses)
        expect(text.test(errors[0]!.detail ?? '')).toBe(status === 403)
    }
    expect((await plain.put('/books/c', { book: { title: 'x' } }, bob)).status).toBe(403)
    expect((await plain.get('/books/c')).status).toBe(404)
    expect((await plain.get('/books/c', bob)).at('/book/title')).toBe('The Last Man')
    expect((await plain.patch('/books/nothing', { book: { title: 'x' } }, bob)).status).toBe(404)
  })

  it('guard PUT by a request hook of updates', async () => {
    await serve({
      request: { update: () => refuse('forbidden', 'Nobody changes books.') },
      declares: { errors: ['forbidden'] },
    })
    expect(await statusesOf(() => plain, plainWrites.slice(1))).toEqual(new Set([403]))
  })
})
