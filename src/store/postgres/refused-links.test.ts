import pg from 'pg'
import { createRouter, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../../../test/spec/support/atomic.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const Publisher = model('publisher', {
  books: toMany('book', { inverse: 'publisher' }),
  bookCount: rollup('books', { count: true }),
})
const Author = model(
  'author',
  {
    books: toMany('book', { inverse: 'author' }),
    bookCount: rollup('books', { count: true }),
  },
  { ids: 'client', upsert: true },
)
const Book = model('book', {
  isFinal: z.boolean(),
  author: toOne('author', { optional: true, onDelete: 'set-null' }),
  publisher: toOne('publisher', { optional: true, onDelete: 'set-null' }),
})

const authorWith = (id: string, books: readonly string[]) => {
  const data = books.map((book) => ({ type: 'books', id: book }))
  return { type: 'authors', id, relationships: { books: { data } } }
}

const change = (id: string, books: readonly string[]) => ({
  op: 'update',
  data: authorWith(id, books),
})

const link = (op: 'add' | 'remove', id: string, book: string) => ({
  op,
  ref: { type: 'authors', id, relationship: 'books' },
  data: [{ type: 'books', id: book }],
})

describePostgres('A change of an inverse relation of an item with rollups', () => {
  let database: TestDatabase
  let router: Router
  let other: pg.Client
  beforeAll(async () => {
    database = await newDatabase()
    router = createRouter({ policy: jsonApi(), store: postgres(database.url) })
    for (const each of [Publisher, Author]) router.prepare(each)
    router.prepare(Book).use({ query: { update: (query) => query.where('isFinal').equal(false) } })
    await router.open()
    await router.items(Publisher).create({ id: 'p' })
    for (const id of ['a', 'b', 'c']) await router.items(Author).create({ id })
    const books = router.items(Book)
    await books.create({ id: 'final', isFinal: true, author: 'a', publisher: null })
    await books.create({ id: 'draft', isFinal: false, author: 'b', publisher: 'p' })
    await books.create({ id: 'other', isFinal: false, author: null, publisher: null })
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
  }, 120_000)
  afterAll(async () => {
    await other?.end()
    await router?.close()
    await database?.drop()
  })

  const send = async (
    method: string,
    path: string,
    data: unknown,
    headers: Record<string, string> = {},
  ): Promise<number> => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { 'content-type': 'application/vnd.api+json', ...headers },
      body: JSON.stringify({ data }),
    })
    return (await router.handle(request)).status
  }

  const setBooks = (
    id: string,
    books: readonly string[],
    headers?: Record<string, string>,
  ): Promise<number> => send('PATCH', `/authors/${id}`, authorWith(id, books), headers)

  const sendBatch = async (operations: readonly unknown[]): Promise<number> => {
    const request = new Request('http://localhost/operations', {
      method: 'POST',
      headers: { 'content-type': atomicType, accept: atomicType },
      body: JSON.stringify({ 'atomic:operations': operations }),
    })
    return (await router.handle(request)).status
  }

  it.each([
    ['leaves', 'a', []],
    ['joins', 'b', ['draft', 'final']],
    ['leaves where others join', 'a', ['other']],
  ])('waits for no item that the caller may not write and that %s', async (_, id, books) => {
    await other.query("begin; select 1 from books where id = 'final' for update")
    expect(await setBooks(id, books)).toBe(403)
    await other.query('commit')
  })

  it('waits for no related items where its version is not the current one', async () => {
    await other.query('begin; select 1 from books for update')
    expect(await setBooks('b', [], { 'if-match': '"other"' })).toBe(412)
    await other.query('commit')
  })

  it('waits for no related items where it is missing, although a replacement would create it', async () => {
    await other.query("begin; select 1 from books where id = 'other' for update")
    const books = [{ type: 'books', id: 'other' }]
    expect(await setBooks('missing', ['other'])).toBe(404)
    expect(await send('POST', '/authors/missing/relationships/books', books)).toBe(404)
    await other.query('commit')
  })

  it('waits in a batch for no related items of one that is missing', async () => {
    await other.query("begin; select 1 from books where id = 'other' for update")
    expect(await sendBatch([change('c', []), change('missing', ['other'])])).toBe(404)
    expect(await sendBatch([link('add', 'missing', 'other'), change('c', [])])).toBe(404)
    await other.query('commit')
  })

  it('waits in a batch that creates it, before it is created', async () => {
    await other.query("begin; select 1 from books where id = 'other' for update")
    const batch = sendBatch([
      { op: 'add', data: { type: 'authors', id: 'new' } },
      link('add', 'new', 'other'),
    ])
    const rows = async (sql: string) => (await other.query(sql)).rows.length
    await expect.poll(() => rows('select 1 from pg_locks where not granted')).toBe(1)
    const writers = "select 1 from pg_locks where mode = 'RowExclusiveLock' and relation = "
    expect(await rows(`${writers} 'authors'::regclass`)).toBe(0)
    await other.query('commit')
    expect(await batch).toBe(200)
    await router.items(Author).delete('new')
  })

  it('waits in a batch neither for related items that stay, nor for those that it removes and that are not related', async () => {
    await other.query("begin; select 1 from books where id = 'draft' for update")
    expect(await sendBatch([change('b', ['draft', 'other']), change('a', ['final'])])).toBe(200)
    expect(await sendBatch([link('add', 'b', 'draft'), link('remove', 'b', 'other')])).toBe(204)
    expect(await sendBatch([link('remove', 'a', 'draft'), link('add', 'b', 'draft')])).toBe(204)
    await other.query('commit')
    expect(await router.items(Author).get('b')).toMatchObject({ bookCount: 1 })
  })

  it('waits neither for related items that stay nor for items whose number of them stays', async () => {
    await other.query("begin; select 1 from books where id = 'final' for update")
    await other.query('select 1 from publishers for update')
    expect(await setBooks('a', ['final', 'draft'])).toBe(200)
    await other.query('commit')
    expect(await router.items(Author).get('a')).toMatchObject({ bookCount: 2 })
    expect(await router.items(Author).get('b')).toMatchObject({ bookCount: 0 })
  })
})
