import { AsyncLocalStorage } from 'node:async_hooks'
import { Socket } from 'node:net'
import { createRouter, model, type Router, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { OutcomeUnknown } from '../store-failures.ts'
import { PostgresConnection } from './connection.ts'

// Without classes of their own, whose instances would need the related items.
const Author = model('author', { name: z.string() })
const Book = model('book', { title: z.string(), author: toOne('author') })

describePostgres('The round trips of a request', () => {
  let database: TestDatabase
  let store: ReturnType<typeof postgres>
  let routers: readonly Router[]
  let api: Client

  const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)
  /**
   * Those that the request waits for. Meanwhile a service sweeps its log, and notifies other
   * processes of changes, at most once in a while.
   */
  const roundTrips = async (request: () => Promise<unknown>): Promise<number> => {
    const ofRequest = new AsyncLocalStorage<true>()
    const { run: runStatements } = PostgresConnection.prototype
    let count = 0
    const runs = vi.spyOn(PostgresConnection.prototype, 'run').mockImplementation(function (
      this: PostgresConnection,
      ...args
    ) {
      const [statements] = args
      const notifies = statements.some(({ sql }) => sql.startsWith('select pg_notify'))
      if (ofRequest.getStore() && !notifies) count++
      return runStatements.apply(this, args)
    })
    await ofRequest.run(true, request)
    runs.mockRestore()
    return count
  }
  /** The statements that a request runs. */
  const statementsOf = async (request: () => Promise<unknown>): Promise<readonly string[]> => {
    const runs = vi.spyOn(PostgresConnection.prototype, 'run')
    await request()
    const statements = runs.mock.calls.flatMap(([batch]) => batch.map(({ sql }) => sql))
    runs.mockRestore()
    return statements
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

  it('are one packet each', async () => {
    // Other test files of this process may have connections that end meanwhile.
    const ofRequest = new AsyncLocalStorage<true>()
    const { write } = Socket.prototype
    let packets = 0
    vi.spyOn(Socket.prototype, 'write').mockImplementation(function (
      this: Socket,
      ...args: unknown[]
    ) {
      if (ofRequest.getStore()) packets++
      return Reflect.apply(write, this, args)
    })
    await ofRequest.run(true, () => api.post('/api/books', bookWith('lady-susan', 'austen')))
    expect(packets).toBe(1)
    await ofRequest.run(true, () => api.get('/api/books/lady-susan'))
    expect(packets).toBe(2)
  })

  it('have no begin and commit for a new item, and count its related items in one statement', async () => {
    const created = () => api.post('/api/books', bookWith('sanditon', 'austen'))
    const statements = await statementsOf(created)
    expect(statements.map((sql) => sql.split(' ', 1)[0])).toEqual(['select', 'insert', 'select'])
  })

  it('write a new item also where the database makes transactions read-only by default', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const other = postgres(url.href)
    const router = createRouter({ policy: rest(), basePath: '/api', store: other })
    router.prepare(Author)
    router.prepare(Book)
    const response = await client(router).post('/api/books', bookWith('the-watsons', 'austen'))
    expect(response.status).toBe(201)
    await other.close()
  })

  it('are two for a change: the item is read, and then written and committed', async () => {
    const changed = () => api.patch('/api/books/emma', { book: { title: 'Emma Woodhouse' } })
    expect(await roundTrips(changed)).toBe(2)
    expect((await api.get('/api/books/emma')).at('/book/title')).toBe('Emma Woodhouse')
  })

  it('are as many with the log of changes, which is written with the item', async () => {
    const other = await newDatabase()
    const logged = postgres(other.url, { maxConnections: 1 })
    const router = createRouter({ policy: rest(), store: logged, changes: true })
    router.prepare(Author)
    await router.open()
    const authors = router.items(Author)
    await authors.create({ id: 'bronte', name: 'Anne' })
    const created = () => authors.create({ id: 'austen', name: 'Jane' })
    expect(await roundTrips(created)).toBe(1)
    const changed = () => authors.update('austen', { name: 'Jane Austen' })
    expect(await roundTrips(changed)).toBe(2)
    await router.close()
    await logged.close()
    await other.drop()
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
    runs.mockRejectedValueOnce(new OutcomeUnknown('The connection was lost.'))
    const response = await api.post('/api/books', bookWith('lost', 'austen'))
    expect(response.status).toBe(503)
    const inserts = runs.mock.calls.filter(([statements]) =>
      statements.some(({ sql }) => sql.startsWith('insert')),
    )
    expect(inserts.length).toBe(1)
  })
})
