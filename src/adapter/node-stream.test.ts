import { afterEach, expect, test, vi } from 'vitest'
import { maxStreamChunkBytes } from '../concurrency/stream-budget.ts'
import { createApiError } from '../error/api-error.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { ownBytes } from '../http/owned-bytes.ts'
import { type ServeOptions, type Server, serve } from './node.ts'
import { eventually, rawClient, rawExchange, wait } from './raw-client.testing.ts'
import { trackedStream } from './tracked-stream.testing.ts'

let server: Server | undefined
const faults: unknown[] = []

/** Streams by path, with an account of how many are open and how many were ever opened. */
const account = { open: 0, opened: 0, pulled: 0 }

async function serving(
  make: (path: string) => AsyncIterable<string | Uint8Array>,
  options: ServeOptions & { length?: number } = {},
): Promise<number> {
  const { length, ...rest } = options
  const body = (path: string) =>
    ({ kind: 'stream', chunks: make(path), ...(length && { length }) }) as const
  server = await serve(
    {
      basePath: '',
      respond: async ({ path }): Promise<ApiResponse> => ({
        status: 200,
        headers: {},
        body: body(path),
      }),
    },
    { onError: (error) => faults.push(error), ...rest },
  )
  return server.port
}

afterEach(async () => {
  server?.node.closeAllConnections()
  await server?.close()
  faults.length = 0
  Object.assign(account, { open: 0, opened: 0, pulled: 0 })
})

async function* counted(
  chunk: string | Uint8Array,
  times = Number.POSITIVE_INFINITY,
  pauseMs?: number,
) {
  account.open += 1
  account.opened += 1
  try {
    for (let index = 0; index < times; index += 1) {
      if (pauseMs !== undefined && index > 0) await wait(pauseMs)
      account.pulled += 1
      yield chunk
    }
  } finally {
    account.open -= 1
  }
}

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

test('a stream arrives whole, strings as UTF-8 and bytes as they are, and the connection goes on', async () => {
  const port = await serving(async function* () {
    yield 'größe '
    yield ''
    yield Uint8Array.of(0, 255)
  })
  const client = await rawClient(port)
  for (let times = 0; times < 3; times += 1) {
    client.send(get())
    const { body, isComplete } = await client.readResponse()
    expect(isComplete).toBe(true)
    expect(Buffer.from(body, 'latin1')).toEqual(
      Buffer.concat([Buffer.from('größe '), Buffer.of(0, 255)]),
    )
  }
  client.socket.destroy()
})

test('an empty stream is an empty body', async () => {
  expect(await rawExchange(await serving(() => counted('', 0)), get())).toMatchObject({
    body: '',
    isComplete: true,
  })
})

test('a stream that declares its length has one', async () => {
  const port = await serving(() => counted('abc', 2), { length: 6 })
  expect(await rawExchange(port, get())).toMatchObject({
    body: 'abcabc',
    headers: { 'content-length': '6' },
  })
})

test('a stream that breaks its word about its length is cut', async () => {
  async function* abc(times: number) {
    for (let index = 0; index < times; index += 1) {
      yield 'abc'
      await wait(10)
    }
  }
  const port = await serving((path) => abc(Number(path.slice(1))), { length: 6 })
  expect(await rawExchange(port, get('/1'))).toMatchObject({ body: 'abc', isComplete: false })
  const client = await rawClient(port)
  client.send(get('/3'))
  await client.closed
  expect(client.unread()).not.toContain('abcabcabc')
  expect(faults).toHaveLength(2)
})

test('the first chunk is sent at once', async () => {
  const client = await rawClient(await serving(() => counted('first', 2, 60_000)))
  client.send(get())
  expect(await eventually(() => client.unread().includes('first'))).toBe(true)
  client.socket.destroy()
})

test('an HTTP/1.0 client gets a stream, too, and a reset where it fails', async () => {
  const port = await serving(async function* (path) {
    yield 'abc'
    await wait(20)
    if (path === '/fails') throw new Error('broken')
  })
  const whole = await rawClient(port)
  whole.send('GET /fine HTTP/1.0\r\n\r\n')
  await whole.closed
  expect(whole.unread()).toMatch(/abc$/)
  const broken = await rawClient(port)
  let reset = ''
  broken.socket.on('error', (error: NodeJS.ErrnoException) => {
    reset = error.code ?? ''
  })
  broken.send('GET /fails HTTP/1.0\r\n\r\n')
  await broken.closed
  expect(reset).toBe('ECONNRESET')
})

test('a failure before the first byte is a proper response', async () => {
  const port = await serving((path) => ({
    [Symbol.asyncIterator]: () => ({
      async next() {
        await wait(1)
        throw path === '/refused'
          ? createApiError('store-unavailable', 'Away.')
          : new Error('secret')
      },
    }),
  }))
  const client = await rawClient(port)
  client.send(get('/refused'))
  expect((await client.readResponse()).status).toBe(503)
  client.send(get('/broken'))
  const response = await client.readResponse()
  expect(response.status).toBe(500)
  expect(response.body).not.toContain('secret')
  expect(faults).toHaveLength(1)
  client.socket.destroy()
})

test('a failure after the first byte cuts the response, so that nobody takes it for whole', async () => {
  const port = await serving(async function* () {
    yield '[1,'
    await wait(10)
    throw new Error('broken')
  })
  const client = await rawClient(port)
  client.send(get())
  expect(await client.readResponse()).toMatchObject({ body: '[1,', isComplete: false })
  await client.closed
  expect(faults).toEqual([new Error('broken')])
})

test('a chunk that is none cuts the response', async () => {
  const port = await serving(async function* () {
    yield 'abc'
    await wait(10)
    yield 5 as unknown as string
  })
  expect((await rawExchange(port, get())).isComplete).toBe(false)
  expect(faults).toHaveLength(1)
})

test('when 200 clients vanish, their streams are closed at once', async () => {
  const port = await serving((path) =>
    path === '/slow' ? counted('x', undefined, 50) : counted('x'.repeat(10_000)),
  )
  const clients = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const client = await rawClient(port)
      client.socket.pause()
      client.send(get(index % 2 ? '/slow' : '/fast'))
      return client
    }),
  )
  expect(await eventually(() => account.open === 200, 10_000)).toBe(true)
  for (const { socket } of clients) socket.destroy()
  expect(await eventually(() => account.open === 0)).toBe(true)
  expect(await rawExchange(port, 'HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatchObject({
    status: 200,
  })
  expect(account.opened).toBe(200)
  expect(faults).toEqual([])
}, 20_000)

test('an iterator that is waiting hears at once that its client has left', async () => {
  let returned = 0
  const port = await serving(() => ({
    [Symbol.asyncIterator]: () => {
      let first = true
      return {
        next: () => {
          const value = first
            ? Promise.resolve({ value: 'x', done: false })
            : new Promise<never>(() => {})
          first = false
          return value
        },
        return: async () => {
          returned = performance.now()
          return { value: undefined, done: true }
        },
      }
    },
  }))
  const client = await rawClient(port)
  client.send(get())
  await eventually(() => client.unread().includes('x'))
  const left = performance.now()
  client.socket.destroy()
  expect(await eventually(() => returned > 0)).toBe(true)
  expect(returned - left).toBeLessThan(1_000)
})

test('a reader that stalls does not make the server hold the stream (100 MB, under 64 MiB)', async () => {
  const port = await serving(() => counted(Buffer.alloc(100_000, 'x'), 1_000))
  const client = await rawClient(port)
  client.socket.pause()
  const before = process.memoryUsage().rss
  client.send(get())
  await eventually(() => account.pulled > 1)
  await wait(500)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  expect(account.pulled).toBeLessThan(500)
  client.socket.destroy()
  expect(await eventually(() => account.open === 0)).toBe(true)
})

test('a reader that stalls for too long is cut, with streams and with texts', async () => {
  const limits = { stalledWriteTimeoutMs: 150 }
  const streaming = await rawClient(await serving(() => counted(Buffer.alloc(100_000)), { limits }))
  streaming.socket.pause()
  streaming.send(get())
  expect(await eventually(() => account.open === 1)).toBe(true)
  expect(await eventually(() => account.open === 0)).toBe(true)

  const text = 'x'.repeat(30_000_000)
  const texts = await serve(
    {
      basePath: '',
      respond: async () => ({ status: 200, headers: {}, body: { kind: 'text', text } }),
    },
    { limits },
  )
  const client = await rawClient(texts.port)
  client.socket.pause()
  client.send(get())
  await wait(50)
  const connections = () =>
    new Promise<number>((resolve) => texts.node.getConnections((_, count) => resolve(count)))
  expect(await connections()).toBe(1)
  const deadline = performance.now() + 5_000
  while ((await connections()) > 0 && performance.now() < deadline) await wait(20)
  expect(await connections()).toBe(0)
  await texts.close()
})

test('a reader that reads nothing is cut, whatever it sends meanwhile', async () => {
  const client = await rawClient(
    await serving(() => counted(Buffer.alloc(100_000)), { limits: { stalledWriteTimeoutMs: 150 } }),
  )
  client.socket.pause()
  client.send(get())
  expect(await eventually(() => account.open === 1)).toBe(true)
  const ahead = setInterval(() => client.send('G'), 20)
  expect(await eventually(() => account.open === 0)).toBe(true)
  clearInterval(ahead)
})

test.each([
  ['is cut', 50_000_000, 0],
  ['is served where no rate is asked for', 0, 1],
])('a reader that takes a little now and then %s', async (_, minReadBytesPerSecond, open) => {
  const limits = { stalledWriteTimeoutMs: 400, minReadBytesPerSecond }
  const client = await rawClient(await serving(() => counted(Buffer.alloc(1_000_000)), { limits }))
  client.socket.removeAllListeners('data').pause()
  client.send(get())
  expect(await eventually(() => account.open === 1)).toBe(true)
  let read = 0
  const sip = setInterval(() => {
    read += (client.socket.read(100_000) ?? client.socket.read())?.length ?? 0
  }, 10)
  const isCut = await eventually(() => account.open === 0, 2_500)
  clearInterval(sip)
  expect([isCut, account.open]).toEqual([open === 0, open])
  expect(read).toBeGreaterThan(0)
  client.socket.destroy()
})

test('a reader that is slow but reads is not cut, nor one whose stream is slow', async () => {
  const port = await serving(
    (path) => (path === '/slow' ? counted('x', 3, 250) : counted(Buffer.alloc(1_000_000), 10)),
    {
      limits: { stalledWriteTimeoutMs: 100 },
    },
  )
  expect(await rawExchange(port, get('/slow'))).toMatchObject({ body: 'xxx', isComplete: true })
  const client = await rawClient(port)
  client.send(get('/large'))
  const slow = setInterval(() => {
    client.socket.resume()
    setTimeout(() => client.socket.pause(), 2)
  }, 30)
  expect((await client.readResponse()).body).toHaveLength(10_000_000)
  clearInterval(slow)
  client.socket.destroy()
}, 20_000)

test('a fast stream leaves room for other requests', async () => {
  const port = await serving((path) =>
    path === '/short' ? counted('x', 1) : counted('x'.repeat(100)),
  )
  const long = await rawClient(port)
  long.send(get('/long'))
  long.socket.removeAllListeners('data').on('data', () => {})
  await wait(50)
  const started = performance.now()
  expect((await rawExchange(port, get('/short'))).body).toBe('x')
  expect(performance.now() - started).toBeLessThan(2_000)
  long.socket.destroy()
  expect(await eventually(() => account.open === 0)).toBe(true)
})

test.each([
  ['whose status has no body', 304, {}],
  ['whose status is none', 99, {}],
  ['with a header that cannot be sent', 200, { 'x-broken': 'a\r\nb' }],
])('a response %s closes its stream', async (_, status, headers) => {
  const chunks = trackedStream('a')
  const respond = async () => ({ status, headers, body: { kind: 'stream', chunks } }) as const
  server = await serve({ basePath: '', respond }, { onError: () => {} })
  await rawExchange(server.port, get())
  expect(await eventually(() => chunks.isClosed)).toBe(true)
})

test.each([
  ['a service', (respond: () => Promise<ApiResponse>) => ({ service: respond })],
  ['a page', (respond: () => Promise<ApiResponse>) => ({ page: respond })],
])(
  'a client that leaves before its response is made leaves no stream of %s open',
  async (_, given) => {
    const chunks = trackedStream('a')
    let made: () => void = () => {}
    const waiting = new Promise<void>((resolve) => {
      made = resolve
    })
    let asked = false
    const respond = async (): Promise<ApiResponse> => {
      asked = true
      await waiting
      return { status: 200, headers: {}, body: { kind: 'stream', chunks } }
    }
    const { service = nothing, page = nothing } = given(respond) as {
      service?: typeof respond
      page?: typeof respond
    }
    server = await serve({ basePath: '/service', respond: service }, { fallback: page })
    const gone = vi.fn()
    server.node.once('connection', (socket) => socket.once('close', gone))
    const client = await rawClient(server.port)
    client.send(get(service === respond ? '/service' : '/'))
    await eventually(() => asked)
    client.socket.destroy()
    expect(await eventually(() => gone.mock.calls.length > 0)).toBe(true)
    made()
    expect(await eventually(() => chunks.isClosed)).toBe(true)
    expect(chunks.pullCount).toBe(0)
  },
)

const nothing = async (): Promise<ApiResponse> => ({
  status: 404,
  headers: {},
  body: { kind: 'empty' },
})

test('streams that nobody reads count among those that share memory, until their clients leave', async () => {
  const port = await serving(() => counted(new Uint8Array(65_536)))
  const whole = maxStreamChunkBytes()
  const clients = []
  for (let times = 0; times < 40; times += 1) {
    const client = await rawClient(port)
    client.send(get())
    clients.push(client)
  }
  await eventually(() => account.open === 40)
  await eventually(() => maxStreamChunkBytes() < whole / 30)
  for (const client of clients) client.socket.destroy()
  server?.node.closeAllConnections()
  await eventually(() => maxStreamChunkBytes() === whole)
})

test('what a stream owns is freed as soon as it is sent, and arrives as it was', async () => {
  const chunks: Uint8Array[] = []
  const own = 40
  async function* owned() {
    for (let index = 0; index < own; index += 1) {
      const bytes = ownBytes(new Uint8Array(500_000).fill(index))
      chunks.push(bytes)
      yield ','
      yield bytes
    }
  }
  const { body, isComplete } = await rawExchange(await serving(owned), get())
  expect(isComplete).toBe(true)
  const all = Buffer.from(body, 'latin1')
  expect(all.length).toBe(own * 500_001)
  for (let index = 0; index < own; index += 1) {
    const part = all.subarray(index * 500_001 + 1, (index + 1) * 500_001)
    expect(part.every((byte) => byte === index)).toBe(true)
  }
  expect(chunks.map(({ byteLength }) => byteLength)).toEqual(chunks.map(() => 0))
})

test('a client that leaves takes nothing from bytes that others use', async () => {
  const shared = new Uint8Array(2_000_000)
  const port = await serving(() => counted(shared))
  const client = await rawClient(port)
  client.send(get())
  await eventually(() => account.pulled > 1)
  client.socket.destroy()
  await eventually(() => account.open === 0)
  expect(shared.byteLength).toBe(2_000_000)
})
