import { createRouter, field, hash, model, type Router, toMany, toOne } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { describePsql } from '../support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../support/postgres/postgres-server.ts'
import { psql } from '../support/postgres/psql.ts'
import { newDatabase, sharedServer } from '../support/postgres/shared-server.ts'
import { transactionsEndedIn } from '../support/postgres/transactions-ended.ts'

const captured = { changes: { capture: 'triggers' } } as const

class Author extends model('author', { name: z.string() }) {}
const Genre = model('genre', { name: z.string() }, { changes: false })
class Book extends model(
  'book',
  {
    title: z.string(),
    price: field(z.string().optional(), { column: 'price' }),
    tags: z.array(z.string()).optional(),
    soldAt: z.iso.datetime().optional(),
    secret: field(z.string().optional(), { hidden: true }),
    author: toOne<Author>('author', { optional: true }),
    genres: toMany('genre'),
    hash: hash(),
  },
  captured,
) {}

describePsql('Changes of other programs, which triggers log', () => {
  let database: TestDatabase
  const routers: Router[] = []
  let router: Router
  let store: Store
  let since: string
  const sql = (...commands: readonly string[]) => psql(database.name, ...commands)
  const service = (url = database.url) => {
    const at = postgres(url, { maxConnections: 4 })
    const created = createRouter({ policy: rest(), store: at, changes: true })
    routers.push(created)
    for (const prepared of [Author, Genre, Book]) created.prepare(prepared)
    return { router: created, store: at }
  }
  const entries = async (from = since) => {
    await transactionsEndedIn(database.name)
    const read = await store.changes!.read(from, 10_000)
    if (read.kind !== 'changes') throw new Error(read.kind)
    return read.entries
  }
  const words = async () =>
    (await entries()).map((entry) =>
      entry.kind === 'erased'
        ? `erased ${entry.model}`
        : `${entry.kind} ${entry.id} ${titleIn(entry.before?.text)}>${titleIn(entry.after?.text)}`,
    )

  beforeAll(async () => {
    database = await newDatabase()
    const first = service()
    router = first.router
    store = first.store
    await router.open()
    for (const id of ['g1', 'g2', 'g3']) await router.items(Genre).create({ id, name: id })
  }, 120_000)
  beforeEach(async () => {
    await sql('truncate books, authors, books_genres')
    await transactionsEndedIn(database.name)
    since = await store.changes!.end()
  })
  afterAll(async () => {
    for (const each of routers) await each.close()
    await database?.drop()
  })

  it('have the items as the service reads them', async () => {
    const api = client(router)
    const read = async () => JSON.stringify((await api.get('/books/a')).at('/book'))
    await sql(
      `insert into books (id, title, price, tags, sold_at, secret) values ('a', 'A "quoted"', '1.50', '["x", "y"]', '2026-01-02 03:04:05.678+02', 's')`,
    )
    const created = await read()
    await sql("update books set title = 'B' where id = 'a'")
    const updated = await read()
    await sql("delete from books where id = 'a'")
    expect(await entries()).toMatchObject([
      {
        kind: 'create',
        model: 'book',
        id: 'a',
        caller: null,
        before: null,
        after: { text: created, hiddenText: '{"secret":"s"}' },
      },
      { kind: 'update', id: 'a', before: { text: created }, after: { text: updated } },
      { kind: 'delete', id: 'a', before: { text: updated }, after: null },
    ])
  })

  it('stand together where one transaction makes them, and are none where it fails', async () => {
    await sql(
      `begin;
       insert into books (id, title) values ('a', 'A'), ('b', 'B');
       savepoint s; update books set title = 'lost'; rollback to s;
       update books set title = 'A2' where id = 'a';
       update books set title = title;
       insert into authors (id, name) values ('x', 'X');
       commit`,
      "begin; insert into books (id, title) values ('c', 'C'); rollback",
    )
    expect(await words()).toEqual(['create a >A', 'create b >B', 'update a A>A2'])
    expect(new Set((await entries()).map(({ transaction }) => transaction)).size).toBe(1)
  })

  it('are whole statements too, COPY and TRUNCATE', async () => {
    await sql(
      "insert into books (id, title) select 'b' || n, 'T' from generate_series(1, 300) n",
      "copy books (id, title) from program 'echo c,C' with (format csv)",
      'truncate books cascade',
    )
    const all = await words()
    expect(all.slice(0, 301).toSorted()).toEqual(
      [
        ...Array.from({ length: 300 }, (_, index) => `create b${index + 1} >T`),
        'create c >C',
      ].toSorted(),
    )
    // The join table is emptied too, which changes books.
    expect(all.slice(301)).toEqual(['erased book', 'erased book'])
  })

  it('are those of join tables, which change the owner', async () => {
    await sql(
      "insert into books (id, title) values ('a', 'A')",
      "insert into books_genres (book_id, genre_id, position) values ('a', 'g2', 0), ('a', 'g1', 1)",
      "update books_genres set genre_id = 'g3' where genre_id = 'g1'",
      "delete from books_genres where genre_id = 'g2'",
      "delete from books where id = 'a'",
    )
    const genres = (await entries()).map((entry) =>
      'after' in entry
        ? [entry.before, entry.after].map((item) => item && JSON.parse(item.text).genres)
        : entry.kind,
    )
    expect(genres).toEqual([
      [null, []],
      [[], ['g2', 'g1']],
      [
        ['g2', 'g1'],
        ['g2', 'g3'],
      ],
      [['g2', 'g3'], ['g3']],
      [['g3'], null],
    ])
  })

  it('have the caller that a program names, and another id where the key changes', async () => {
    await sql(
      "begin; set local resourcery.caller = 'ann'; insert into books (id, title) values ('a', 'A'); commit",
      "update books set id = 'b'",
    )
    expect(await entries()).toMatchObject([
      { kind: 'create', id: 'a', caller: 'ann' },
      { kind: 'delete', id: 'a', caller: null },
      { kind: 'create', id: 'b', caller: null },
    ])
  })

  it('are no second ones of what the service writes', async () => {
    const books = router.items(Book)
    await books.create({ id: 'a', title: 'A', genres: ['g1'] })
    await sql("update books set title = 'B'")
    await books.update('a', { title: 'C', genres: ['g2', 'g3'] })
    await books.delete('a')
    expect(await words()).toEqual(['create a >A', 'update a A>B', 'update a B>C', 'delete a C>'])
  })

  it('reach the feed, under the rules of its reader', async () => {
    const api = client(router)
    const page = async (query: string) => {
      await transactionsEndedIn(database.name)
      return (await api.get(`/books/changes?${query}`)).body as {
        readonly changes: readonly Readonly<Record<string, unknown>>[]
        readonly next: string
      }
    }
    const filter = 'filter[title]=A'
    const { next } = await page(filter)
    await sql(
      "insert into books (id, title, secret) values ('a', 'A', 'hidden'), ('b', 'B', null)",
      "update books set title = 'C' where id = 'a'",
    )
    const { changes } = await page(`${filter}&since=${next}`)
    expect(changes).toMatchObject([
      { kind: 'create', id: 'a', item: { title: 'A', genres: [] } },
      { kind: 'delete', id: 'a' },
    ])
    expect(JSON.stringify(changes)).not.toContain('hidden')
    await sql('truncate books cascade')
    expect((await page(`${filter}&since=${next}`)).changes).toMatchObject([{ kind: 'reset' }])
  })

  it('reach a consumer', async () => {
    const other = service().router
    const got: string[] = []
    let reached = (): void => {}
    const isReached = new Promise<void>((resolve) => {
      reached = resolve
    })
    other.consume('mailer', { models: [Book], from: 'now' }, async (changes) => {
      for (const { kind, id } of changes) got.push(`${kind} ${id}`)
      if (got.length === 2) reached()
    })
    await other.open()
    try {
      await sql("insert into books (id, title) values ('a', 'A')", "update books set title = 'B'")
      await isReached
      expect(got).toEqual(['create a', 'update a'])
    } finally {
      await other.close()
    }
  })

  it('can be erased', async () => {
    await sql("insert into books (id, title) values ('a', 'A')")
    await entries()
    await router.erase(Book, 'a')
    expect(await words()).toEqual(['erased book'])
  })

  it('let other programs write where the log is gone or a column has another name', async () => {
    const other = await newDatabase()
    const server = await sharedServer()
    const run = (text: string) => psql(other.name, text)
    const own = service(other.url).router
    try {
      await own.open()
      await own.close()
      await run('alter table books_genres rename book_id to owner_id')
      await run("insert into books (id, title) values ('a', 'A')")
      await run("insert into genres (id, name) values ('g', 'G')")
      await run("insert into books_genres (owner_id, genre_id) values ('a', 'g')")
      const logged = 'select kind, model, id from resourcery_changes order by 1, 2'
      expect(await server.run(logged, [], other.name)).toEqual([
        { kind: 'erased', model: 'book', id: '' },
        { kind: 'erased', model: 'book', id: '' },
      ])
      await run('drop table resourcery_changes, resourcery_changes_pending')
      await run("update books set title = 'B'")
    } finally {
      await own.close()
      await other.drop()
    }
  })
})

function titleIn(text: string | undefined): string {
  return text === undefined ? '' : (JSON.parse(text) as { title: string }).title
}
