import { randomUUID } from 'node:crypto'
import { createRouter, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import type { Store } from 'resourcery/store'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { type Disturbance, PostgresProxy } from '../support/postgres/postgres-proxy.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'

const Note = model('note', { text: z.string() })

describePostgres('A write whose connection is lost while it is committed', () => {
  let server: PostgresServer
  let proxy: PostgresProxy
  let store: Store
  let api: Client
  beforeAll(async () => {
    server = await PostgresServer.start()
    proxy = await PostgresProxy.before(server)
    // The proxy finds statements by their text, which is sent each time.
    store = postgres(proxy.url, { preparedStatements: false })
    const router = createRouter({ policy: rest(), store, idempotency: true, onError: () => {} })
    router.prepare(Note)
    await router.open()
    api = client(router)
  }, 120_000)
  afterAll(async () => {
    await store?.close()
    await proxy?.close()
    await server?.stop()
  })
  let key: Record<string, string>
  beforeEach(async () => {
    key = { 'idempotency-key': randomUUID() }
    await server.run("truncate notes; insert into notes (id, text) values ('a', 'old')")
  })

  const writes = {
    // One round trip without `begin` and `commit`, which commits by itself.
    POST: () => api.post('/notes', { note: { id: 'b', text: 'new' } }),
    'POST with a key': () => api.post('/notes', { note: { id: 'b', text: 'new' } }, key),
    PATCH: () => api.patch('/notes/a', { note: { text: 'new' } }),
    'PATCH with a key': () => api.patch('/notes/a', { note: { text: 'new' } }, key),
    DELETE: () => api.delete('/notes/a'),
  } as const
  const disturbances: readonly Omit<Disturbance, 'statement'>[] = [
    { kind: 'loseRequest' },
    { kind: 'loseResponse' },
    ...['40003', '57P05', '25P03', '57P01', '08006'].map((sqlState) => ({
      kind: 'report' as const,
      sqlState,
    })),
  ]
  const cases = Object.keys(writes).flatMap((name) =>
    disturbances.map((disturbance) => ({ name: name as keyof typeof writes, ...disturbance })),
  )
  const isThere = async (name: string) => {
    const id = name.startsWith('POST') ? 'b' : 'a'
    const text = (await api.get(`/notes/${id}`)).at('/note/text')
    return name === 'DELETE' ? text === undefined : text === 'new'
  }

  it.each(cases)('is never acknowledged: $name, $kind $sqlState', async ({ name, ...how }) => {
    const statement = name === 'POST' ? 'insert into' : 'commit'
    proxy.disturbance = { statement, ...how }
    const { status, errors, headers } = await writes[name]()
    expect([status, errors[0]?.code, headers.get('retry-after')]).toEqual([
      503,
      'outcome-unknown',
      '1',
    ])
    const isCommitted = how.kind !== 'loseRequest'
    expect(await isThere(name)).toBe(isCommitted)
    if (!name.includes('key')) return
    const again = await writes[name]()
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([
      name.startsWith('POST') ? 201 : 200,
      isCommitted ? 'true' : null,
    ])
    expect(await isThere(name)).toBe(true)
  })

  it('is carried out where the connection is lost before the commit was sent', async () => {
    for (const kind of ['loseRequest', 'loseResponse'] as const) {
      proxy.disturbance = { statement: 'begin', kind }
      const { status } = await api.patch('/notes/a', { note: { text: kind } })
      expect([status, (await api.get('/notes/a')).at('/note/text')]).toEqual([200, kind])
    }
  })
})
