import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnyModel,
  createRouter,
  field,
  hash,
  model,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../../test/support/client.ts'
import { type Database, loadDriver } from '../driver.ts'
import { type SqliteOptions, sqlite } from '../sqlite.ts'

const Author = model('author', { name: z.string(), hash: hash() })
const Genre = model('genre', { name: z.string() })
const Book = model('book', {
  title: z.string(),
  pageCount: field(z.int().optional(), { index: true }),
  price: z.number().optional(),
  inStock: z.boolean().optional(),
  isbn: field(z.string().optional(), { unique: true }),
  soldAt: field(z.iso.datetime({ offset: true }).optional(), { index: true }),
  tags: z.array(z.string()).optional(),
  size: z.object({ width: z.number() }).optional(),
  notes: field(z.string().optional(), { hidden: true }),
  author: toOne('author', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
})

describe('Ordinary tables of SQLite, which other programs read and write', () => {
  let folder: string
  let file: string
  let routers: Router[]
  let other: Database
  let api: Client

  function open(
    options: SqliteOptions = { layout: 'tables' },
    models: readonly AnyModel[] = [Author, Genre, Book],
  ) {
    const store = sqlite(file, { durability: 'normal', ...options } as SqliteOptions)
    const router = createRouter({ policy: rest(), store, onError: () => {} })
    for (const prepared of models) router.prepare(prepared)
    routers.push(router)
    return { router, api: client(router) }
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
    file = join(folder, 'books.db')
    routers = []
    api = open().api
    await api.post('/authors', { author: { id: 'ann', name: 'Ann' } })
    await api.post('/genres', { genre: { id: 'g-1', name: 'One' } })
    await api.post('/genres', { genre: { id: 'g-2', name: 'Two' } })
    const book = { id: 'b-1', title: 'Dune', pageCount: 5, author: 'ann', genres: ['g-2', 'g-1'] }
    expect((await api.post('/books', { book })).status).toBe(201)
    other = (await loadDriver()).open(file, { readOnly: false })
    other.exec('pragma foreign_keys = on')
    other.exec('pragma busy_timeout = 5000')
  })
  afterEach(async () => {
    other.close()
    for (const router of routers) await router.close()
    await rm(folder, { recursive: true, force: true })
  })
  const rows = (sql: string) => other.prepare(sql).all([])

  it('have a column for each field', async () => {
    await api.patch('/books/b-1', {
      book: { inStock: true, price: 1e-12, soldAt: '1965-08-01T12:00:00+02:00', tags: ['a'] },
    })
    expect(rows('select title, page_count, in_stock, sold_at, tags, author_id from books')).toEqual(
      [['Dune', 5, 1, '1965-08-01T10:00:00Z', '["a"]', 'ann']],
    )
    expect((await api.get('/books/b-1')).at('/book/price')).toBe(1e-12)
    expect(rows('select book_id, genre_id from books_genres order by position')).toEqual([
      ['b-1', 'g-2'],
      ['b-1', 'g-1'],
    ])
  })

  it.each([
    ['a column', "update books set title = 'Dune II' where id = 'b-1'"],
    ['a hidden column', "update books set notes = 'secret' where id = 'b-1'"],
    ['a row of a join table', "delete from books_genres where genre_id = 'g-1'"],
  ])('show a change of %s at once, with another version', async (_, sql) => {
    const before = await api.get('/books/b-1')
    other.exec(sql)
    const after = await api.get('/books/b-1')
    expect(after.etag).not.toBe(before.etag)
    const change = { book: { pageCount: 6 } }
    expect((await api.patch('/books/b-1', change, { 'if-match': before.etag })).status).toBe(412)
    expect((await api.patch('/books/b-1', change, { 'if-match': after.etag })).status).toBe(200)
  })

  it('keep the versions of items over a restart, and in another process', async () => {
    const { etag } = await api.get('/books/b-1')
    expect((await open().api.get('/books/b-1')).etag).toBe(etag)
  })

  it('compare date-times as instants, however other programs wrote them', async () => {
    other.exec(
      "insert into books (id, title, sold_at) values ('b-2', 'x', '2024-05-01T14:00:00.50+02:00'), ('b-3', 'x', '2024-05-01T09:00:00Z')",
    )
    expect((await api.get('/books/b-2')).at('/book/soldAt')).toBe('2024-05-01T12:00:00.5Z')
    const list = await api.get('/books?filter[soldAt]=2024-05-01T12:00:00.5Z')
    expect(list.ids('books')).toEqual(['b-2'])
    const first = await api.get('/books?sort=soldAt&page[limit]=2')
    expect(first.ids('books')).toEqual(['b-1', 'b-3'])
    expect(
      (await api.get(first.link('next')!.replace('http://localhost', ''))).ids('books'),
    ).toEqual(['b-2'])
  })

  it('have date-times as the functions of SQLite write them, in UTC', async () => {
    other.exec(
      "insert into books (id, title, sold_at) values ('b-2', 'x', '2026-11-23 06:28:43'), ('b-3', 'x', '2026-11-23T06:28:42Z')",
    )
    expect((await api.get('/books/b-2')).at('/book/soldAt')).toBe('2026-11-23T06:28:43Z')
    expect(
      (await api.get('/books?filter[soldAt]=2026-11-23T07:28:43%2B01:00')).ids('books'),
    ).toEqual(['b-2'])
    expect((await api.get('/books?sort=-soldAt&page[limit]=2')).ids('books')).toEqual([
      'b-2',
      'b-3',
    ])
    const changed = await api.patch('/books/b-2', { book: { title: 'y' } })
    expect(changed.status, changed.text).toBe(200)
  })

  it('refuse what a rule of the file forbids, with 422', async () => {
    other.exec(
      "create trigger no_evil before insert on books when new.title = 'Evil' begin select raise(abort, 'no'); end",
    )
    const refused = await api.post('/books', { book: { id: 'b-2', title: 'Evil' } })
    expect(refused.status).toBe(422)
  })

  it('respond with what a trigger changed', async () => {
    other.exec(
      'create trigger shout after insert on books begin update books set title = upper(new.title) where id = new.id; end',
    )
    const created = await api.post('/books', { book: { id: 'b-2', title: 'quiet' } })
    expect(created.at('/book/title')).toBe('QUIET')
    expect((await api.get('/books/b-2')).etag).toBe(created.etag)
  })

  it('have foreign keys, which bind other programs too', () => {
    expect(() =>
      other.exec("insert into books (id, title, author_id) values ('b-9', 'x', 'nobody')"),
    ).toThrow('FOREIGN KEY constraint failed')
  })

  it('commit other transactions of a group whose commit a foreign key stops', async () => {
    other.exec(
      "create trigger lost after insert on books when new.title = 'Lost' begin update books set author_id = 'nobody' where id = new.id; end",
    )
    const titles = ['One', 'Two', 'Lost', 'Three', 'Four']
    const responses = await Promise.all(
      titles.map((title) => api.post('/books', { book: { id: `t-${title}`, title } })),
    )
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 422, 201, 201])
  })

  it('add columns, with the defaults of the model', async () => {
    const More = model('genre', { name: z.string(), rank: z.int().default(3) })
    const later = open({ layout: 'tables' }, [Author, More, Book]).api
    expect((await later.get('/genres/g-1')).at('/genre/rank')).toBe(3)
    await later.post('/genres', { genre: { id: 'g-3', name: 'Three', rank: 9 } })
    expect(rows("select rank from genres where id = 'g-3'")).toEqual([[9]])
  })

  it('are not opened as documents, nor documents as tables', async () => {
    const documents = open({ layout: 'documents' }).router
    await expect(documents.open()).rejects.toThrow(
      `The SQLite file '${file}' keeps items in the layout 'tables'. Open it with sqlite(file, { layout: 'tables' }), or choose another file.`,
    )
    file = join(folder, 'documents.db')
    await open({ layout: 'documents' }).router.open()
    await expect(open().router.open()).rejects.toThrow(
      `The SQLite file '${file}' keeps items in the layout 'documents'. Open it with sqlite(file), without { layout: 'tables' }, or choose another file.`,
    )
  })

  it('leave tables of other programs alone', async () => {
    other.exec('create table reviews (id text primary key, text text)')
    const { router } = open({ layout: 'tables' }, [model('review', { text: z.string() })])
    await expect(router.open()).rejects.toThrow(
      "The column 'text' of 'reviews' may be NULL, but the field 'text' of the model 'review' requires a value.",
    )
    const fitting = open({ layout: 'tables' }, [model('review', { text: z.string().optional() })])
    await fitting.router.open()
    expect(other.prepare("select name from pragma_table_info('reviews')").all([])).toHaveLength(2)
  })

  // Other load on the machine may hold the event loop too.
  it('read large tables in worker threads, so that no other request waits', {
    retry: 3,
  }, async () => {
    other.exec(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) insert or ignore into books (id, title) select 'n-' || i, 'Title ' || i || ' ' || hex(randomblob(20)) from n",
    )
    let longestMs = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last)
      last = performance.now()
    }, 1)
    const lists = await Promise.all([
      api.get('/books?sort=-title&page[limit]=5'),
      api.get('/books?filter[title][contains]=Title 77777 &page[limit]=5'),
    ])
    clearInterval(timer)
    expect(lists.map(({ status }) => status)).toEqual([200, 200])
    expect(lists[1]!.ids('books')).toEqual(['n-77777'])
    expect(longestMs).toBeLessThan(150)
  })

  it('are not blamed for keys of other tables with the same columns', async () => {
    other.exec('create table logs (id integer primary key)')
    other.exec('insert into logs values (1)')
    other.exec('create trigger log before insert on genres begin insert into logs values (1); end')
    const refused = await api.post('/genres', { genre: { id: 'g-3', name: 'Three' } })
    expect(refused.status).toBe(422)
  })

  it('get indexes of their own names when they are renamed', async () => {
    const Volume = model(
      'volume',
      { title: z.string(), isbn: field(z.string().optional(), { unique: true }) },
      { was: 'book' },
    )
    const NewBook = model('book', { isbn: field(z.string().optional(), { unique: true }) })
    const renamed = open({ layout: 'tables' }, [Volume]).api
    expect((await renamed.get('/volumes/b-1')).status).toBe(200)
    const reused = open({ layout: 'tables' }, [Volume, NewBook]).api
    for (const status of [201, 409]) {
      const id = `n-${status}`
      expect((await reused.post('/books', { book: { id, isbn: '1' } })).status).toBe(status)
      const volume = { id, title: 'V', isbn: '1' }
      expect((await reused.post('/volumes', { volume })).status).toBe(status)
    }
    const again = open({ layout: 'tables' }, [Volume, NewBook]).api
    expect((await again.get('/volumes/b-1')).status).toBe(200)
  })
})
