import { createRouter, model, type Router, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { PostgresConnection } from './connection.ts'
import { ConnectionLost } from './postgres-error.ts'

// Without classes of their own, whose instances would need the related items.
const Author = model('author', { name: z.string() })
const Book = model('book', { title: z.string(), author: toOne('author') })

describePostgres('The round trips of a request', () => {
  let database: TestDatabase
  let store: ReturnType<typeof postgres>
  let routers: readonly Router[]
  let api: Client

  const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)
  const roundTrips = async (request: () => Promise<unknown>): Promise<number> => {
    const runs = vi.spyOn(PostgresConnection.prototype, 'run')
    await request()
    const count = runs.mock.calls.length
    runs.mockRestore()
    return count
  }
  const bookWith = (id: string, author: string) => ({ book: { id, title: 'Emma', author } })

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(database.url, { maxConnections: 1 })
    routers = [
      createRouter({ policy: rest(), basePath: '/api', store }),
      createRouter({ policy: jsonApi(), basePath: '/json-api', store }),
    ]
    for (const router of routers) {
      router.prepare(Author)
      router.prepare(Book)
      await router.open()
    }
    api = client(routers[0]!)
    await api.post('/api/authors', { author: { id: 'austen', name: 'Jane Austen' } })
  }, 120_000)
  afterEach(() => vi.restoreAllMocks())
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })

  it('is one for an item, and one for a new item with its relations', async () => {
    const created = () => api.post('/api/books', bookWith('emma', 'austen'))
    expect(await roundTrips(created)).toBe(1)
    expect(await roundTrips(() => api.get('/api/books/emma'))).toBe(1)
  })

  it('are two for a change: the item is read, and then written and committed', async () => {
    const changed = () => api.patch('/api/books/emma', { book: { title: 'Emma Woodhouse' } })
    expect(await roundTrips(changed)).toBe(2)
    expect((await api.get('/api/books/emma')).at('/book/title')).toBe('Emma Woodhouse')
  })

  it('store nothing where a related item is missing', async () => {
    const response = await api.post('/api/books', bookWith('persuasion', 'nobody'))
    expect(response.status).toBe(422)
    expect((await api.get('/api/books/persuasion')).status).toBe(404)
  })

  it('are repeated where the statements of a connection do not fit a changed table', async () => {
    await api.post('/api/books', bookWith('before', 'austen'))
    await run('alter table books alter column title type varchar(200)')
    expect((await api.post('/api/books', bookWith('after', 'austen'))).status).toBe(201)
  })

  it('store nothing where the database hides the new row', async () => {
    await run(`create function hide() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger hide before insert on books for each row when (new.title = 'Hidden') execute function hide()`)
    const response = await api.post('/api/books', {
      book: { id: 'hidden', title: 'Hidden', author: 'austen' },
    })
    expect(response.status).toBe(422)
  })

  it('of all operations of a batch are committed together', async () => {
    const add = (id: string, author: string) => ({
      op: 'add',
      data: {
        type: 'books',
        id,
        attributes: { title: 'Emma' },
        relationships: { author: { data: { type: 'authors', id: author } } },
      },
    })
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const response = await client(routers[1]!).post(
      '/json-api/operations',
      { 'atomic:operations': [add('one', 'austen'), add('two', 'nobody')] },
      { 'content-type': type, accept: type },
    )
    expect(response.status).toBe(404)
    expect((await api.get('/api/books/one')).status).toBe(404)
  })

  it('are not repeated where the connection is lost after the commit was sent', async () => {
    const runs = vi.spyOn(PostgresConnection.prototype, 'run')
    runs.mockRejectedValueOnce(new ConnectionLost('The connection was lost.'))
    const response = await api.post('/api/books', bookWith('lost', 'austen'))
    expect(response.status).toBe(503)
    const inserts = runs.mock.calls.filter(([statements]) =>
      statements.some(({ sql }) => sql.startsWith('insert')),
    )
    expect(inserts.length).toBe(1)
  })
})

describePostgres('Values that the database does not have', () => {
  it('are in no row: a cursor of another list, and characters without a code', async () => {
    const server = await sharedServer()
    const name = `latin_${process.pid}`
    await server.run(
      `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    )
    await server.run('create table films (id uuid primary key, title text not null)', [], name)
    await server.run(
      "insert into films select gen_random_uuid(), 'a' from generate_series(1, 3)",
      [],
      name,
    )
    const router = createRouter({ policy: jsonApi(), store: postgres(server.url(name)) })
    router.prepare(model('film', { title: z.string() }))
    const films = client(router, undefined, 'application/vnd.api+json')
    const other = createRouter({ policy: jsonApi(), store: memory() })
    other.prepare(model('note', { title: z.string() }, { ids: 'client' }))
    try {
      const notes = client(other, undefined, 'application/vnd.api+json')
      for (const id of ['x', 'y'])
        await notes.post('/notes', { data: { type: 'notes', id, attributes: { title: 'a' } } })
      const next = (await notes.get('/notes?page[size]=1')).at('/links/next') as string
      const cursor = new URL(next, 'http://localhost').searchParams.get('page[after]')!
      const page = await films.get(`/films?page[size]=1&page[after]=${cursor}`)
      expect([page.status, page.ids('data')]).toEqual([200, []])
      const attributes = { title: 'b' }
      for (const response of [
        await films.get('/films/%E6%97%A5'),
        await films.patch('/films/%E6%97%A5', { data: { type: 'films', id: '日', attributes } }),
      ])
        expect(response.status).toBe(404)
      const filtered = await films.get('/films?filter[title]=%F0%9F%98%80')
      expect([filtered.status, filtered.ids('data')]).toEqual([200, []])
    } finally {
      await router.close()
      await server.run(`drop database ${name} with (force)`)
    }
  })
})
