import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ApiResponse } from '../http/api-response.ts'
import type { Chunk } from '../http/chunk.ts'
import { sharedChunk } from '../http/shared-chunk.ts'
import { type Server, serve } from './node.ts'
import { eventually, rawClient, rawExchange } from './raw-client.testing.ts'

let server: Server | undefined
const errors: unknown[] = []
const sockets: Socket[] = []

async function serving(chunks: () => AsyncIterable<Chunk>, length?: number): Promise<number> {
  const respond = async (): Promise<ApiResponse> => ({
    status: 200,
    headers: {},
    body: { kind: 'stream', chunks: chunks(), ...(length !== undefined && { length }) },
  })
  server = await serve({ basePath: '', respond }, { onError: (error) => errors.push(error) })
  server.node.on('connection', (socket) => sockets.push(socket))
  return server.port
}

afterEach(async () => {
  server?.node.closeAllConnections()
  await server?.close()
  expect(errors).toEqual([])
  sockets.length = 0
})

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

const shared = sharedChunk('Čapek\n')

async function* mixed() {
  yield shared
  yield 'a '
  yield shared
  yield shared
  yield Uint8Array.of(0)
  yield shared
}

const whole = 'Čapek\na Čapek\nČapek\n\0Čapek\n'

const utf8 = (latin1: string) => Buffer.from(latin1, 'latin1').toString()

test('shared chunks arrive in their order between others, and the connection goes on', async () => {
  const client = await rawClient(await serving(mixed))
  client.send(get.repeat(2))
  client.send(get)
  for (let times = 0; times < 3; times++) {
    const { body, isComplete } = await client.readResponse()
    expect([utf8(body), isComplete]).toEqual([whole, true])
  }
  client.socket.destroy()
})

test('a shared chunk is sent as one chunk of HTTP/1.1', async () => {
  const client = await rawClient(await serving(mixed))
  client.send(get)
  expect(await eventually(() => client.unread().endsWith('0\r\n\r\n'))).toBe(true)
  const body = utf8(client.unread().split('\r\n\r\n')[1]!)
  const framed = '7\r\nČapek\n\r\n'
  expect(body).toBe(`${framed}2\r\na \r\n${framed}${framed}1\r\n\0\r\n${framed}0`)
  client.socket.destroy()
})

test('shared chunks have no frame where the response has none', async () => {
  const length = Buffer.byteLength(whole)
  const { body, isComplete } = await rawExchange(await serving(mixed, length), get)
  expect([utf8(body), isComplete]).toEqual([whole, true])
  const old = await rawClient(server!.port)
  old.send('GET / HTTP/1.0\r\n\r\n')
  await old.closed
  expect(utf8(old.unread().split('\r\n\r\n')[1]!)).toBe(whole)
})

test('shared chunks wait for a client that does not read, and go on once it does', async () => {
  const chunk = sharedChunk('x'.repeat(10_000))
  const count = 2_000
  let pulled = 0
  const port = await serving(async function* () {
    for (; pulled < count; pulled++) yield chunk
  })
  const client = await rawClient(port)
  client.socket.pause()
  client.send(get)
  let before = -1
  await eventually(() => {
    const isSame = pulled > 1 && pulled === before
    before = pulled
    return isSame
  })
  expect(pulled).toBeLessThan(count)
  expect(sockets[0]!.writableLength).toBeLessThan(100_000)
  client.socket.resume()
  const { body, isComplete } = await client.readResponse()
  expect([body.length, isComplete]).toEqual([count * 10_000, true])
  expect(await eventually(() => sockets[0]!.listenerCount('drain') === 1)).toBe(true)
  client.socket.destroy()
})

test.each([
  ['ends its side', (socket: Socket) => socket.end()],
  ['leaves', (socket: Socket) => socket.destroy()],
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
])('a client that %s ends a stream of shared chunks', async (_, leave) => {
  let isClosed = false
  const port = await serving(async function* () {
    try {
      for (;;) {
        yield shared
        await new Promise(setImmediate)
      }
    } finally {
      isClosed = true
    }
  })
  const client = await rawClient(port)
  client.send(get)
  await eventually(() => client.unread().includes('apek'))
  leave(client.socket)
  expect(await eventually(() => isClosed)).toBe(true)
})
