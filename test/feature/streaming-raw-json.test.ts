import { model, type Store } from 'resourcery'
import { type Server, serve } from 'resourcery/node'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rawClient } from '../../src/adapter/raw-client.testing.ts'
import { service } from '../support/service.ts'
import { sqliteStore } from '../support/stores.ts'

const Line = model('line', { text: z.string() })
const lines = Array.from({ length: 20_000 }, (_, index) => ({
  id: `l-${String(index).padStart(5, '0')}`,
  text: 'x'.repeat(500),
}))

interface Seen {
  /** The number of batches of joined raw JSON that were read. */
  batches: number
  /** The number of lists in progress. */
  open: number
  /** The batches themselves. */
  readonly texts: Uint8Array[]
}

/** The SQLite store, which joins the raw JSON of whole lists itself, with counters. */
async function watched(problem?: Error) {
  const made = await sqliteStore.make()
  const seen: Seen = { batches: 0, open: 0, texts: [] }
  const store: Store = {
    ...made,
    list: () => {
      throw new Error('The list is read item by item.')
    },
    fastPaths: {
      ...made.fastPaths,
      rawJson: {
        ...made.fastPaths!.rawJson!,
        list: (of, plan) => counted(made.fastPaths!.rawJson!.list(of, plan)!, seen, problem),
      },
    },
  }
  const reportedErrors: unknown[] = []
  const { router, api } = service(store, [Line], { onError: (error) => reportedErrors.push(error) })
  await router.load(Line, lines)
  return { router, api, seen, errors: reportedErrors }
}

async function* counted(batches: AsyncIterable<Uint8Array>, seen: Seen, error: Error | undefined) {
  seen.open++
  try {
    for await (const batch of batches) {
      seen.batches++
      seen.texts.push(batch)
      if (error && seen.batches === 3) throw error
      yield batch
    }
  } finally {
    seen.open--
  }
}

describe('GetList rule 1: results are streamed rather than loaded whole, as raw JSON', () => {
  let server: Server | undefined

  afterEach(async () => {
    server?.node.closeAllConnections()
    await server?.close()
    server = undefined
  })

  it('in one well-formed document of many batches', async () => {
    const { api, seen } = await watched()
    const response = await api.get('/lines')
    expect(response.body).toEqual({ lines })
    expect(seen.batches).toBeGreaterThan(10)
    expect(seen.open).toBe(0)
  })

  it('read from the store only as fast as the client reads', async () => {
    const { router, seen } = await watched()
    const response = await router.handle(new Request('http://localhost/lines'))
    const reader = response.body!.getReader()
    await reader.read()
    for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
    expect(seen.batches).toBeLessThan(5)
    let bytes = 0
    for (let part = await reader.read(); part.value; part = await reader.read())
      bytes += part.value.length
    expect(bytes).toBeGreaterThan(lines.length * 500 * 0.9)
    expect(seen.open).toBe(0)
  })

  it('until the client leaves in the middle', async () => {
    const { router, seen } = await watched()
    const response = await router.handle(new Request('http://localhost/lines'))
    const reader = response.body!.getReader()
    await reader.read()
    expect(seen.open).toBe(1)
    await reader.cancel()
    await expect.poll(() => seen.open).toBe(0)
    expect(seen.batches).toBeLessThan(5)
  })

  it('not at all when the client leaves before anything is read', async () => {
    const { router, seen } = await watched()
    const response = await router.handle(new Request('http://localhost/lines'))
    await response.body!.cancel()
    await expect.poll(() => seen.open).toBe(0)
    expect(seen.batches).toBeLessThan(5)
  })

  it('over a socket: a client that does not read pauses the list, and one that disconnects ends it', async () => {
    const { router, seen } = await watched()
    server = await serve(router)
    const client = await rawClient(server.port)
    client.socket.pause()
    client.send('GET /lines HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => seen.batches).toBeGreaterThan(0)
    // The sockets of both sides buffer some megabytes; the list has ten.
    await new Promise((resolve) => setTimeout(resolve, 300))
    const batchCount = seen.batches
    expect(batchCount).toBeLessThan(lines.length / 512)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(seen.batches).toBe(batchCount)
    client.socket.destroy()
    await expect.poll(() => seen.open).toBe(0)
    expect(seen.batches).toBeLessThan(lines.length / 512)
  })

  it('in chunks that are freed as soon as they are sent', async () => {
    const { router, seen } = await watched()
    server = await serve(router)
    const client = await rawClient(server.port)
    client.send('GET /lines HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const { body, isComplete } = await client.readResponse()
    expect(isComplete).toBe(true)
    expect(JSON.parse(body)).toEqual({ lines })
    expect(seen.texts.length).toBeGreaterThan(10)
    await expect.poll(() => seen.texts.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(0)
    client.socket.destroy()
  })

  it('and aborted, never ended as if complete, where the store fails in the middle', async () => {
    const problem = new Error('The disk is gone.')
    const { router, seen, errors } = await watched(problem)
    server = await serve(router, { onError: (error) => errors.push(error) })
    const client = await rawClient(server.port)
    client.send('GET /lines HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await client.readResponse()).toMatchObject({ status: 200, isComplete: false })
    expect(errors).toContain(problem)
    expect(seen.open).toBe(0)
  })
})
