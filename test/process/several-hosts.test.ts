import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import {
  type PostgresOptions,
  type PostgresServers,
  postgres,
  postgresBlobs,
} from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { describeReplica } from '../support/postgres/describe-postgres.ts'
import { PostgresProxy } from '../support/postgres/postgres-proxy.ts'
import { PostgresReplica } from '../support/postgres/postgres-replica.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'

const Note = model('note', { text: z.string() })

describeReplica('A service with several hosts', () => {
  let first: PostgresServer
  let second: PostgresReplica
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    first = await PostgresServer.start()
    second = await PostgresReplica.startFrom(first)
  }, 120_000)
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    for (const server of [second, first]) if (server?.isRunning) await server.stop()
  })

  const proxies = async () => {
    const both = await Promise.all([first, second].map((server) => PostgresProxy.before(server)))
    closing.push(() => Promise.all(both.map((proxy) => proxy.close())))
    return both as [PostgresProxy, PostgresProxy]
  }
  const open = async (servers: string | PostgresServers, options?: PostgresOptions) => {
    const store = postgres(servers, options)
    const router = createRouter({ policy: rest(), store, onError: () => {} })
    router.prepare(Note)
    await router.open()
    closing.push(async () => {
      await router.close()
      await store.close()
    })
    const api = client(router)
    return { api, write: async () => (await api.post('/notes', { note: { text: 'x' } })).status }
  }

  it('writes to and reads from the one that is the primary, whichever is named first', async () => {
    for (const hosts of [
      [first.folder, second.folder],
      [second.folder, first.folder],
    ]) {
      const { api, write } = await open('postgres://postgres@localhost/postgres', { hosts })
      expect(await write()).toBe(201)
      await second.pauseReplay()
      const { status, headers } = await api.post('/notes', { note: { text: 'now' } })
      expect(status).toBe(201)
      expect((await api.get(headers.get('location')!)).status).toBe(200)
      await second.resumeReplay()
    }
  })

  it('keeps files there too', async () => {
    const blobs = postgresBlobs('postgres://postgres@localhost/postgres', {
      hosts: [second.folder, first.folder],
    })
    await blobs.open?.()
    const bytes = Buffer.from('file')
    const key = await blobs.write(
      (async function* () {
        yield bytes
      })(),
    )
    const chunks: Uint8Array[] = []
    for await (const chunk of (await blobs.read(key))!) chunks.push(chunk)
    expect(Buffer.concat(chunks)).toEqual(bytes)
    await blobs.close?.()
  })

  it('reads from the standbys where its replicas are these, also while there is no primary', async () => {
    const [one, two] = await proxies()
    const primary = `postgres://postgres@${one.host},${two.host}/postgres`
    const { api, write } = await open({ primary, replicas: 'standbys' })
    const id = (await api.post('/notes', { note: { text: 'old' } })).at('/note/id')
    await second.catchUp()
    await second.pauseReplay()
    const { headers } = await api.post('/notes', { note: { text: 'new' } })
    const location = headers.get('location')!
    expect((await api.get(location)).status).toBe(404)
    const position = { 'resourcery-position': headers.get('resourcery-position')! }
    expect((await api.get(location, position)).status).toBe(200)
    one.isOpen = false
    const began = performance.now()
    expect((await api.get(`/notes/${id}`)).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(1_000)
    const writing = write()
    await wait(300)
    one.isOpen = true
    expect(await writing).toBe(201)
    await second.resumeReplay()
  })

  it('goes on within a second of a promotion, and its writes wait for it', async () => {
    const [one, two] = await proxies()
    const url = `postgres://postgres@${one.host},${two.host}/postgres`
    const { api, write } = await open(url)
    expect(await write()).toBe(201)
    await Promise.all(Array.from({ length: 8 }, () => api.get('/notes')))
    await second.catchUp()
    // Nothing is lost, so that all that is refused is refused without need.
    await first.stop()
    const outcomes: number[] = []
    let isOver = false
    const traffic = Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        while (!isOver) {
          outcomes.push(index % 3 ? await write() : (await api.get('/notes')).status)
          await wait(5)
        }
      }),
    )
    await wait(700)
    const { length } = outcomes
    await second.run('select pg_promote()')
    const promotedAt = performance.now()
    await expect
      .poll(() => outcomes.length, { interval: 10, timeout: 5_000 })
      .toBeGreaterThan(length)
    const firstMs = performance.now() - promotedAt
    console.log(`First success ${firstMs.toFixed(0)} ms after the promotion of another host.`)
    expect(firstMs).toBeLessThan(1_000)
    await wait(300)
    isOver = true
    await traffic
    expect(new Set(outcomes)).toEqual(new Set([200, 201]))
    expect(one.openCount).toBe(0)
    expect(two.openCount).toBeGreaterThan(0)
  }, 60_000)

  it('gives up all connections to a host that stops responding', async () => {
    // After the promotion above, the second one is the primary, and gets a standby.
    const third = await PostgresReplica.startFrom(second)
    const { api, write } = await open('postgres://postgres@localhost/postgres', {
      hosts: [second.folder, third.folder],
      statementTimeoutMs: 500,
      connectTimeoutMs: 500,
    })
    await Promise.all(Array.from({ length: 8 }, () => api.get('/notes')))
    await third.catchUp()
    second.pause()
    closing.push(async () => second.resume())
    const [outcome] = await Promise.all([write(), wait(2_500)])
    expect(outcome).toBe(503)
    // All others wait for the new primary.
    const waiting = Promise.all([write(), api.get('/notes'), write()])
    // A service that starts now asks the standby again while the other one does not respond.
    const hosts = [second.folder, third.folder]
    const starting = open('postgres://postgres@localhost/postgres', { hosts })
    await wait(600)
    await third.run('select pg_promote()')
    const began = performance.now()
    const [created, { status }, last] = await waiting
    expect([created, status, last]).toEqual([201, 200, 201])
    const started = await starting
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(await started.write()).toBe(201)
    // A service that starts now finds it beside the one that does not respond.
    const startedAt = performance.now()
    const other = await open('postgres://postgres@localhost/postgres', { hosts })
    expect([await other.write(), performance.now() - startedAt < 3_000]).toEqual([201, true])
    second.resume()
    for (const close of closing.splice(0).reverse()) await close()
    await third.stop()
  }, 60_000)
})
