import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import { type PostgresOptions, postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { describeReplica } from '../support/postgres/describe-postgres.ts'
import { PostgresProxy } from '../support/postgres/postgres-proxy.ts'
import { PostgresReplica } from '../support/postgres/postgres-replica.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'

const Note = model('note', { text: z.string() })

const demote = async (server: PostgresServer) => {
  await server.stop()
  await writeFile(join(server.folder, 'data/standby.signal'), '')
  await server.start()
}
const promote = async (server: PostgresServer) => {
  await server.run('select pg_promote()')
  await rm(join(server.folder, 'data/standby.signal'), { force: true })
}

describeReplica('A service whose primary becomes a standby', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 120_000)
  afterAll(() => server?.stop())

  const open = async (url: string, options?: PostgresOptions) => {
    const store = postgres(url, options)
    const errors: unknown[] = []
    const router = createRouter({ policy: rest(), store, onError: (error) => errors.push(error) })
    router.prepare(Note)
    await router.open()
    const api = client(router)
    const write = async () => {
      const responses = await Promise.all([
        api.post('/notes', { note: { text: 'one' } }),
        api.patch('/notes/a', { note: { text: `${Math.random()}` } }),
      ])
      for (const { status, headers } of responses.filter(({ status }) => status >= 300)) {
        expect(status).toBe(503)
        expect(headers.get('retry-after')).toBe('1')
      }
      return responses.every(({ status }) => status < 300)
    }
    /** Reads keep connections busy, so that none becomes old enough to be closed. */
    const traffic = async (durationMs: number) => {
      const outcomes: boolean[] = []
      const statuses: number[] = []
      for (const end = performance.now() + durationMs; performance.now() < end; await wait(50)) {
        const reads = await Promise.all([1, 2, 3].map(() => api.get('/notes/a')))
        statuses.push(...reads.map(({ status }) => status))
        outcomes.push(await write())
      }
      return { writes: new Set(outcomes), reads: new Set(statuses) }
    }
    await api.post('/notes', { note: { id: 'a', text: 'first' } })
    await Promise.all(Array.from({ length: 8 }, () => api.get('/notes')))
    return { api, store, write, traffic }
  }
  const firstSuccess = async (write: () => Promise<boolean>) => {
    const began = performance.now()
    await expect.poll(write, { timeout: 10_000, interval: 50 }).toBe(true)
    return performance.now() - began
  }

  it('answers with 503 while it is one, and writes once it is promoted', async () => {
    const { store, write, traffic } = await open(server.url(), { failoverWaitMs: 100 })
    expect(await write()).toBe(true)
    await demote(server)
    // A standby may lack what a client has written.
    expect(await traffic(1_000)).toEqual({ writes: new Set([false]), reads: new Set([503]) })
    await promote(server)
    const firstMs = await firstSuccess(write)
    console.log(`First success ${firstMs.toFixed(0)} ms after the promotion of the same server.`)
    expect(firstMs).toBeLessThan(3_000)
    expect(await traffic(300)).toEqual({ writes: new Set([true]), reads: new Set([200]) })
    await store.close()
  }, 60_000)

  it('uses the new primary at once where its address leads there', async () => {
    const replica = await PostgresReplica.startFrom(server)
    const proxy = await PostgresProxy.before(server)
    const { api, store, write, traffic } = await open(proxy.url, { failoverWaitMs: 1_000 })
    expect(await write()).toBe(true)
    await replica.catchUp()
    await demote(server)
    await promote(replica)
    expect(await traffic(1_000)).toEqual({ writes: new Set([false]), reads: new Set([503]) })
    // No connection is left that leads to the former primary.
    await expect.poll(() => proxy.openCount, { timeout: 5_000 }).toBe(0)
    const waiting = Promise.all([write(), api.get('/notes/a')])
    await wait(100)
    proxy.target = replica
    const began = performance.now()
    const [isWritten, { status }] = await waiting
    expect([isWritten, status]).toEqual([true, 200])
    const firstMs = performance.now() - began
    console.log(`First success ${firstMs.toFixed(0)} ms after the address leads to the primary.`)
    expect(firstMs).toBeLessThan(1_000)
    expect(await traffic(300)).toEqual({ writes: new Set([true]), reads: new Set([200]) })
    await store.close()
    await proxy.close()
    await replica.stop()
    await promote(server)
  }, 60_000)

  it('closes all connections to a server that says that it is a standby', async () => {
    const proxy = await PostgresProxy.before(server)
    const { api, store, write } = await open(proxy.url)
    const busy = api.get('/notes/a')
    proxy.report('in_hot_standby', 'off')
    expect(proxy.openCount).toBeGreaterThan(0)
    proxy.report('in_hot_standby', 'on')
    expect((await busy).status).toBe(200)
    await expect.poll(() => proxy.openCount, { timeout: 5_000 }).toBe(0)
    expect(await write()).toBe(true)
    await store.close()
    await proxy.close()
  })

  it('keeps requests waiting while it is restarted, and loses none', async () => {
    const { api, store, write } = await open(server.url())
    await server.stop()
    const outcomes = Promise.all(
      Array.from({ length: 30 }, async (_, index) =>
        index % 2 === 0 ? write() : (await api.get('/notes')).status === 200,
      ),
    )
    await wait(500)
    await server.start()
    expect(new Set(await outcomes)).toEqual(new Set([true]))
    await store.close()
  }, 60_000)
})
