import { action, createRouter, image, model, OutcomeUnknown, type Router, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { mediaType } from '../spec/support/document-client.ts'
import { client } from '../support/client.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { png } from '../support/resources.ts'

const Tag = model('tag', { name: z.string() })
class Book extends model('book', {
  title: z.string(),
  stock: z.int().default(0),
  tags: toMany('tag'),
  cover: image(),
}) {
  restock() {
    this.stock += 10
  }
  static {
    action(this, 'restock')
  }
}

/** A response in the form of the client's. */
const upload = async (router: Router) => {
  const response = await router.handle(
    new Request('http://localhost/books/e/cover', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: png(1),
    }),
  )
  const { status, headers } = response
  const { errors } = (await response.json()) as { readonly errors: readonly { code: string }[] }
  return { status, headers, errors }
}

describePostgres('A commit that waits for a standby that is away', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 120_000)
  afterAll(() => server?.stop())
  const waitFor = async (standby: string) => {
    await server.run(`alter system set synchronous_standby_names = '${standby}'`)
    await server.run('select pg_reload_conf()')
    if (standby !== '') while (!(await commitWaits()));
  }
  /** The server takes up its settings after `pg_reload_conf` has returned. */
  const commitWaits = async (): Promise<boolean> => {
    let isCommitted = false
    const committed = server.run("select pg_logical_emit_message(true, 'test', '')").then(() => {
      isCommitted = true
    })
    while (!isCommitted) {
      const [commit] = await waiting()
      if (!commit) continue
      await server.run('select pg_cancel_backend($1)', [commit.pid])
      await committed
      return true
    }
    return false
  }
  const waiting = () => server.run("select pid from pg_stat_activity where wait_event = 'SyncRep'")

  const open = async (statementTimeoutMs: number) => {
    // More writes wait at a time than a smaller pool lets begin.
    const store = postgres(server.url(), { statementTimeoutMs, maxConnections: 40 })
    const blobs = memoryBlobs()
    const routers = [
      createRouter({ policy: rest(), store, blobs, idempotency: true, onError: () => {} }),
      createRouter({ policy: jsonApi(), store, blobs, idempotency: true, onError: () => {} }),
    ] as const
    for (const router of routers) {
      router.prepare(Tag)
      router.prepare(Book)
      await router.open()
    }
    const [router] = routers
    return {
      store,
      router,
      books: router.items(Book),
      plain: client(router),
      documents: client(routers[1], 'http://localhost', mediaType),
    }
  }

  it('is never acknowledged, and the same key tells the truth later', async () => {
    await waitFor('')
    const { store, router, books, plain, documents } = await open(400)
    await plain.post('/tags', { tag: { id: 'new', name: 'New' } })
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      await plain.post('/books', { book: { id, title: 'Old' } })
    const key = (name: string) => ({ 'idempotency-key': name })
    const keyed = () => plain.post('/books', { book: { id: 'k', title: 'Keyed' } }, key('post'))
    const keyedAction = () => plain.post('/books/a/restock', undefined, key('action'))
    const tags = { data: [{ type: 'tags', id: 'new' }] }
    const batch = () =>
      documents.post(
        '/operations',
        {
          'atomic:operations': [
            { op: 'add', data: { type: 'tags', attributes: { name: 'Batch' } } },
          ],
        },
        { 'content-type': atomicType, accept: atomicType, ...key('batch') },
      )
    await waitFor('absent')
    const responses = await Promise.all([
      keyed(),
      keyedAction(),
      batch(),
      plain.post('/books', { book: { title: 'Unkeyed' } }),
      plain.patch('/books/b', { book: { title: 'New' } }),
      plain.put('/books/c', { book: { title: 'New' } }),
      plain.delete('/books/d'),
      upload(router),
      documents.post('/books/f/relationships/tags', tags),
      documents.patch('/books/g/relationships/tags', tags),
    ])
    expect(responses.map(({ status, errors }) => [status, errors[0]?.code])).toEqual(
      responses.map(() => [503, 'outcome-unknown']),
    )
    for (const { headers } of responses) expect(headers.get('retry-after')).toBe('1')
    for (const write of [
      () => books.create({ title: 'In code' }),
      () => books.update('h', { title: 'In code' }),
      () => router.transaction((items) => items(Book).create({ title: 'In code' })),
    ])
      await expect(write()).rejects.toThrow(OutcomeUnknown)
    // Reads go on, and see nothing that is not on the standby.
    expect((await plain.get('/books/b')).at('/book/title')).toBe('Old')
    // While the first one waits, a repetition does not get its result.
    expect((await keyed()).status).toBe(503)

    await waitFor('')
    await expect.poll(waiting, { timeout: 5_000 }).toEqual([])
    const replayed = await Promise.all([keyed(), keyedAction(), batch()])
    expect(
      replayed.map(({ status, headers }) => [status, headers.get('idempotency-replayed')]),
    ).toEqual([
      [201, 'true'],
      [200, 'true'],
      [200, 'true'],
    ])
    expect((await plain.get('/books/a')).at('/book/stock')).toBe(10)
    expect((await plain.get('/books/b')).at('/book/title')).not.toBe('Old')
    expect((await plain.get('/books/d')).status).toBe(404)
    // The picture was not deleted, because the item may refer to it.
    expect((await plain.get('/books/e/cover')).status).toBe(200)
    await store.close()
  }, 60_000)

  it('is not aborted for a client who leaves, nor acknowledged when an administrator aborts it', async () => {
    await waitFor('')
    const { store, books, plain, router } = await open(20_000)
    await plain.post('/books', { book: { id: 'left', title: 'Old' } })
    await waitFor('absent')
    const client = new AbortController()
    const leaving = router.handle(
      new Request('http://localhost/books/left', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ book: { title: 'New' } }),
        signal: client.signal,
      }),
    )
    await expect.poll(waiting, { timeout: 5_000 }).toHaveLength(1)
    client.abort()
    const patched = plain.patch('/books/a', { book: { title: 'Aborted' } })
    const created = books.create({ title: 'Aborted' }).catch((error) => error)
    await expect.poll(waiting, { timeout: 5_000 }).toHaveLength(3)
    // What the client left is still waiting.
    await new Promise((resolve) => setTimeout(resolve, 300))
    const pids = await waiting()
    expect(pids).toHaveLength(3)
    for (const { pid } of pids) await server.run('select pg_cancel_backend($1)', [pid])
    const { status, errors } = await patched
    expect([status, errors[0]!.code]).toEqual([503, 'outcome-unknown'])
    expect(await created).toBeInstanceOf(OutcomeUnknown)
    expect((await leaving).status).toBe(503)
    await waitFor('')
    await store.close()
  }, 60_000)

  it('is not acknowledged by a repetition either while the standby is away, where its wait was ended', async () => {
    await waitFor('')
    const { store, plain } = await open(400)
    const keyed = () =>
      plain.post('/books', { book: { id: 'w', title: 'Keyed' } }, { 'idempotency-key': 'waited' })
    await waitFor('absent')
    expect((await keyed()).status).toBe(503)
    const [commit] = await waiting()
    await server.run('select pg_cancel_backend($1)', [commit!.pid])
    await expect.poll(waiting).toEqual([])
    // It can be read, and a failover would lose it.
    expect((await plain.get('/books/w')).status).toBe(200)
    const { status, errors, headers } = await keyed()
    expect([status, errors[0]?.code, headers.get('retry-after')]).toEqual([
      503,
      'outcome-unknown',
      '1',
    ])
    await waitFor('')
    const replayed = await keyed()
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    await store.close()
  }, 60_000)

  it('is not acknowledged by a request that finds its change done, either', async () => {
    await waitFor('')
    const { store, plain } = await open(400)
    await plain.post('/books', { book: { id: 'u', title: 'Old' } })
    const change = () => plain.patch('/books/u', { book: { title: 'New' } })
    await waitFor('absent')
    expect((await change()).status).toBe(503)
    const [commit] = await waiting()
    await server.run('select pg_cancel_backend($1)', [commit!.pid])
    await expect.poll(waiting).toEqual([])
    expect((await plain.get('/books/u')).at('/book/title')).toBe('New')
    const { status, errors } = await change()
    expect([status, errors[0]?.code]).toEqual([503, 'outcome-unknown'])
    await waitFor('')
    expect((await change()).status).toBe(200)
    await store.close()
  }, 60_000)

  it('uses up no connections of the server, however long the standby is away', async () => {
    await waitFor('')
    const store = postgres(server.url(), { maxConnections: 4, statementTimeoutMs: 400 })
    const router = createRouter({ policy: rest(), store, onError: () => {} })
    router.prepare(Tag)
    const api = client(router)
    const post = () => api.post('/tags', { tag: { name: 'New' } })
    expect((await post()).status).toBe(201)
    await waitFor('absent')
    const codes = async (count: number) => {
      const responses = await Promise.all(Array.from({ length: count }, post))
      for (const { headers } of responses) expect(headers.get('retry-after')).toBe('1')
      return responses.map(({ status, errors }) => `${status} ${errors[0]!.code}`)
    }
    // Three transactions run at a time, and further ones begin where less than two were given up.
    const first = await codes(12)
    const given = first.filter((code) => code === '503 outcome-unknown').length
    expect(given).toBeGreaterThanOrEqual(2)
    expect(given).toBeLessThanOrEqual(4)
    expect(new Set(first)).toEqual(new Set(['503 outcome-unknown', '503 store-unavailable']))
    expect(await waiting()).toHaveLength(given)
    for (let round = 0; round < 5; round++) {
      expect(new Set(await codes(10))).toEqual(new Set(['503 store-unavailable']))
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(await waiting()).toHaveLength(given)
    expect((await api.get('/tags')).status).toBe(200)
    await waitFor('')
    await expect.poll(async () => (await post()).status, { timeout: 8_000 }).toBe(201)
    await store.close()
  }, 60_000)

  it('is unknown when the server ends while it commits', async () => {
    await waitFor('')
    const { store, plain } = await open(20_000)
    await waitFor('absent')
    const created = plain.post('/books', { book: { title: 'Ended' } })
    await expect.poll(waiting, { timeout: 5_000 }).toHaveLength(1)
    await server.kill()
    const { status, errors } = await created
    expect([status, errors[0]!.code]).toEqual([503, 'outcome-unknown'])
    await server.start()
    await waitFor('')
    expect((await plain.post('/books', { book: { title: 'Later' } })).status).toBe(201)
    await store.close()
  }, 60_000)
})
