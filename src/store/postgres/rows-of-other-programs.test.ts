import { createRouter, field, hash, model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import type { Store } from '../store.ts'
import { postgres } from './postgres-store.ts'

const Author = model('author', { name: z.string(), hash: hash() })
const Genre = model('genre', { name: z.string() })
const Book = model('book', {
  title: z.string(),
  pageCount: field(z.int().optional(), { index: true }),
  isbn: field(z.string().optional(), { unique: true }),
  published: z.iso.date().optional(),
  soldAt: z.iso.datetime({ offset: true }).optional(),
  notes: field(z.string().optional(), { hidden: true }),
  author: toOne('author', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
})

const stores: Store[] = []

function open(url: string, options: { readonly onError?: () => void } = {}) {
  const store = postgres(url, { maxConnections: 4 })
  stores.push(store)
  const router = createRouter({ policy: rest(), store, ...options })
  for (const prepared of [Author, Genre, Book]) router.prepare(prepared)
  return client(router)
}

describePostgres('Ordinary tables, which other programs read and write', () => {
  let database: TestDatabase
  let api: ReturnType<typeof client>
  const sql = async (text: string) =>
    (await sharedServer()).run(text, [], database.name) as Promise<Record<string, unknown>[]>
  const refusal = (text: string) => sql(text).then(String, (error: Error) => error.message)

  beforeAll(async () => {
    database = await newDatabase()
    api = open(database.url)
    await api.get('/books')
  }, 120_000)
  afterAll(async () => {
    for (const store of stores) await store.close()
    await database?.drop()
  })
  beforeEach(async () => {
    await sql('truncate books, authors, genres, books_genres')
    await api.post('/authors', { author: { id: 'ann', name: 'Ann' } })
    await api.post('/genres', { genre: { id: 'g-1', name: 'One' } })
    await api.post('/genres', { genre: { id: 'g-2', name: 'Two' } })
    const book = { id: 'b-1', title: 'Dune', pageCount: 5, author: 'ann', genres: ['g-2', 'g-1'] }
    expect((await api.post('/books', { book })).status).toBe(201)
  })

  it('have a column for each field, with the type of its values', async () => {
    await api.patch('/books/b-1', {
      book: { published: '1965-08-01', soldAt: '1965-08-01T12:00:00+02:00' },
    })
    expect(await sql('select title, page_count, author_id, published::text from books')).toEqual([
      { title: 'Dune', page_count: '5', author_id: 'ann', published: '1965-08-01' },
    ])
    expect(await sql("select sold_at = '1965-08-01 10:00Z' as same from books")).toEqual([
      { same: true },
    ])
    expect((await api.get('/books/b-1')).at('/book/soldAt')).toBe('1965-08-01T10:00:00Z')
    expect(await sql('select book_id, genre_id from books_genres order by position')).toEqual([
      { book_id: 'b-1', genre_id: 'g-2' },
      { book_id: 'b-1', genre_id: 'g-1' },
    ])
  })

  it.each([
    ['a column', "update books set title = 'Dune II' where id = 'b-1'"],
    ['a hidden column', "update books set notes = 'secret' where id = 'b-1'"],
    ['a row of a join table', "delete from books_genres where genre_id = 'g-1'"],
  ])(
    'are seen at once: a change of %s makes a new ETag, and 412 of the old one',
    async (_, change) => {
      const before = await api.get('/books/b-1')
      expect((await api.get('/books/b-1', { 'If-None-Match': before.etag })).status).toBe(304)
      await sql(change)
      const after = await api.get('/books/b-1', { 'If-None-Match': before.etag })
      expect(after.status).toBe(200)
      expect(after.etag).not.toBe(before.etag)
      const stale = await api.patch(
        '/books/b-1',
        { book: { title: 'X' } },
        { 'If-Match': before.etag },
      )
      expect(stale.status).toBe(412)
      const fresh = await api.patch(
        '/books/b-1',
        { book: { title: 'X' } },
        { 'If-Match': after.etag },
      )
      expect(fresh.status).toBe(200)
      expect(fresh.etag).toBe((await api.get('/books/b-1')).etag)
    },
  )

  it('have the version that a write returned, in every process', async () => {
    const created = await api.post('/books', { book: { id: 'b-2', title: 'Emma' } })
    const other = open(database.url)
    expect((await other.get('/books/b-2')).etag).toBe(created.etag)
  })

  it('may hold rows that another program adds', async () => {
    await sql("insert into books (id, title) values ('b-9', 'by hand')")
    await sql("insert into books_genres (book_id, genre_id) values ('b-9', 'g-1')")
    const { body } = await api.get('/books/b-9')
    expect(body).toMatchObject({ book: { title: 'by hand', author: null, genres: ['g-1'] } })
    expect((await api.get('/books?filter[pageCount]=5')).ids('books')).toEqual(['b-1'])
  })

  it('keep their rules for other programs too', async () => {
    expect(await refusal("insert into books (id) values ('b-3')")).toContain('not-null')
    expect(await refusal("update books set author_id = 'nobody'")).toContain('books_author_id_fkey')
    expect(await refusal("delete from genres where id = 'g-1'")).toContain('foreign key')
  })

  it('get 409 for a unique value that another program took', async () => {
    await sql("insert into books (id, title, isbn) values ('b-9', 'x', '1')")
    const taken = await api.patch('/books/b-1', { book: { isbn: '1' } })
    expect(taken.status).toBe(409)
    expect(taken.errors[0]).toMatchObject({
      code: 'value-taken',
      source: { pointer: '/book/isbn' },
    })
  })

  it('refuse what breaks a rule that the database alone knows, with 422', async () => {
    await sql('alter table books add constraint short check (length(title) < 10)')
    const long = await api.patch('/books/b-1', { book: { title: 'much too long' } })
    await sql('alter table books drop constraint short')
    expect(long.status).toBe(422)
    // The store reads the constraints when it opens.
    expect(long.errors[0]!.detail).toBe('The book violates a rule of the database.')
  })

  it('take relations of one item and changes of another at the same time', async () => {
    const create = (index: number) =>
      api.post('/books', { book: { id: `c-${index}`, title: 'x', author: 'bob' } })
    await api.post('/authors', { author: { id: 'bob', name: 'Bob' } })
    const [removed, ...created] = await Promise.all([
      api.delete('/authors/bob'),
      ...Array.from({ length: 10 }, (_, index) => create(index)),
    ])
    const orphans = await sql(
      "select 1 from books where author_id = 'bob' and not exists (select 1 from authors where id = 'bob')",
    )
    expect(orphans).toEqual([])
    expect(removed!.status).toBe(204)
    for (const { status } of created) expect([201, 422]).toContain(status)
  })

  it('lose no change of two writers', async () => {
    await Promise.all([
      ...Array.from({ length: 10 }, (_, index) =>
        api.patch('/books/b-1', { book: { pageCount: index } }),
      ),
      api.patch('/books/b-1', { book: { title: 'changed' } }),
      api.delete('/genres/g-1'),
    ])
    const { body } = await api.get('/books/b-1')
    expect(body).toMatchObject({ book: { title: 'changed', genres: ['g-2'] } })
  })

  it('are unavailable while the server cannot be reached', async () => {
    const away = open('postgres://localhost:1/nothing', { onError: () => {} })
    for (const path of ['/books', '/books/b-1']) {
      const response = await away.get(path)
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
    }
    expect((await away.post('/books', { book: { title: 'x' } })).status).toBe(503)
  })
})
