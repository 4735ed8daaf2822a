import pg from 'pg'
import { createRouter, field, model, toOne } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { PostgresDatabase } from '../../src/store/postgres/database.ts'
import { client } from '../support/client.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../support/postgres/shared-server.ts'

const Author = model('author', { name: z.string() })
const Book = model('book', {
  code: field(z.string(), { unique: true }),
  author: toOne('author'),
})
const Shelf = model('shelf', { name: z.string() })

describePostgres('Lists that take long, on PostgreSQL', () => {
  it('keep no connection from reads by id and from writes', async () => {
    const database = await newDatabase()
    const store = postgres(database.url, {
      lockTimeoutMs: 60_000,
      listTimeoutMs: 60_000,
      acquireTimeoutMs: 60_000,
    })
    const router = createRouter({ policy: rest(), store })
    router.prepare(Author)
    router.prepare(Book)
    router.prepare(Shelf)
    const api = client(router)
    await api.post('/authors', { author: { id: 'a', name: 'A' } })
    await api.post('/books', { book: { id: 'b', code: 'one', author: 'a' } })
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    // Lists that compare the names of authors wait for this, as if they computed.
    await other.query('begin; lock table authors')
    const list = "/books?filter=contains(author.name,'A')"
    const lists = [1, 2, 3, 4, 5, 6].flatMap(() => [
      api.get(list),
      api.get(`${list}&withCount=true`),
      api.get('/authors'),
    ])
    const waiting = async () => {
      const sql = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = $1"
      return (await (await sharedServer()).run(sql, [database.name])).length
    }
    await expect.poll(waiting, { timeout: 8_000 }).toBe(4)
    expect((await api.get('/books/b')).status).toBe(200)
    expect((await api.patch('/books/b', { book: { code: 'two' } })).status).toBe(200)
    expect((await api.post('/shelves', { shelf: { id: 's', name: 'S' } })).status).toBe(201)
    expect((await api.delete('/shelves/s')).status).toBe(204)
    expect(await waiting()).toBe(4)
    await other.query('commit')
    for (const { status } of await Promise.all(lists)) expect(status).toBe(200)
    await other.end()
    await store.close()
    await database.drop()
  }, 60_000)

  it('are not those by ids and unique values', async () => {
    const database = await newDatabase()
    const store = postgres(database.url)
    const router = createRouter({ policy: rest(), store })
    router.prepare(Author)
    router.prepare(Book)
    const api = client(router)
    await api.post('/authors', { author: { id: 'a', name: 'A' } })
    const reads = vi.spyOn(PostgresDatabase.prototype, 'read')
    const isLong = async (path: string) => {
      reads.mockClear()
      expect((await api.get(path)).status).toBe(200)
      return reads.mock.calls.map(([statements]) => statements.some((one) => one.isLong))
    }
    expect(await isLong('/authors/a')).toEqual([false])
    expect(await isLong('/books?filter[code]=one')).toEqual([false])
    expect(await isLong('/books?filter[id]=b')).toEqual([false])
    expect(await isLong('/books?filter[author]=a')).toEqual([true])
    expect(await isLong('/authors?filter[name]=A&withCount=true')).toContain(true)
    vi.restoreAllMocks()
    await store.close()
    await database.drop()
  })
})
