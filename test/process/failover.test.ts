import { rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { PostgresReplica } from '../support/postgres/postgres-replica.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'

const Note = model('note', { text: z.string() })

/** An address that leads to a server, as a name does whose address changes. */
class Address {
  target: PostgresServer
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  constructor(target: PostgresServer) {
    this.target = target
    this.#server = createServer((socket) => {
      const { folder, port } = this.target
      const other = connect(`${folder}/.s.PGSQL.${port}`)
      for (const [from, to] of [
        [socket, other],
        [other, socket],
      ] as const) {
        this.#sockets.add(from)
        from.on('error', () => to.destroy()).on('close', () => to.destroy())
        from.pipe(to)
      }
    })
  }

  async url(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo
    return `postgres://postgres@127.0.0.1:${port}/postgres`
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

const demote = async (server: PostgresServer) => {
  await server.stop()
  await writeFile(join(server.folder, 'data/standby.signal'), '')
  await server.start()
}
const promote = async (server: PostgresServer) => {
  await server.run('select pg_promote()')
  await rm(join(server.folder, 'data/standby.signal'), { force: true })
}

describePostgres('A service whose primary becomes a standby', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  }, 120_000)
  afterAll(() => server?.stop())

  const open = async (url: string) => {
    const store = postgres(url)
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
      for (const end = performance.now() + durationMs; performance.now() < end; await wait(50)) {
        await Promise.all([1, 2, 3].map(() => api.get('/notes/a')))
        outcomes.push(await write())
      }
      return outcomes
    }
    await api.post('/notes', { note: { id: 'a', text: 'first' } })
    await Promise.all(Array.from({ length: 8 }, () => api.get('/notes')))
    return { store, write, traffic }
  }
  const firstSuccess = async (write: () => Promise<boolean>) => {
    const began = performance.now()
    await expect.poll(write, { timeout: 10_000, interval: 50 }).toBe(true)
    return performance.now() - began
  }

  it('answers writes with 503 while it is one, and writes once it is promoted', async () => {
    const { store, write, traffic } = await open(server.url())
    expect(await write()).toBe(true)
    await demote(server)
    expect(new Set(await traffic(1_000))).toEqual(new Set([false]))
    await promote(server)
    const firstMs = await firstSuccess(write)
    console.log(`First success ${firstMs.toFixed(0)} ms after the promotion of the same server.`)
    expect(firstMs).toBeLessThan(3_000)
    expect(new Set(await traffic(300))).toEqual(new Set([true]))
    await store.close()
  }, 60_000)

  it('writes to the new primary at once where its address leads there', async () => {
    const replica = await PostgresReplica.startFrom(server)
    const address = new Address(server)
    const { store, write, traffic } = await open(await address.url())
    expect(await write()).toBe(true)
    await replica.catchUp()
    await demote(server)
    await promote(replica)
    expect(new Set(await traffic(1_000))).toEqual(new Set([false]))
    // Open connections still lead to the former primary, which reads are content with.
    address.target = replica
    const began = performance.now()
    expect(await write()).toBe(true)
    const firstMs = performance.now() - began
    console.log(`First success ${firstMs.toFixed(0)} ms after the address leads to the primary.`)
    expect(firstMs).toBeLessThan(5_000)
    expect(new Set(await traffic(300))).toEqual(new Set([true]))
    await store.close()
    address.close()
    await replica.stop()
  }, 60_000)
})
