import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { type ServeOptions, type Server, serve } from './node.ts'
import { problemResponse } from './problem-response.ts'
import { eventually, rawClient, rawExchange, wait } from './raw-client.testing.ts'

let server: Server | undefined
const refusals: string[] = []

/**
 * As a pipeline would: `/ignore` leaves the body alone, `/stream` counts it, everything else reads
 * up to 1000 bytes.
 */
async function respondToPath({ path, body, headers }: ApiRequest): Promise<ApiResponse> {
  if (path === '/ignore' || body === undefined)
    return respond(200, {}, `${typeof body} ${headers['content-length']}`)
  try {
    if (path === '/stream') {
      let size = 0
      for await (const chunk of body.stream()) size += chunk.byteLength
      return respond(200, {}, String(size))
    }
    if (path === '/sizes' || path === '/first-size') {
      const chunks = sizesOf(body.stream(), path === '/first-size')
      return { status: 200, headers: {}, body: { kind: 'stream', chunks } }
    }
    if (path === '/some') {
      for await (const chunk of body.stream())
        return respond(200, {}, `some ${chunk.byteLength > 0}`)
    }
    return respond(200, {}, Buffer.from(await body.bytes(1_000)).toString())
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refusals.push(error.problems[0]!.code)
    return problemResponse([error.problems[0]!])
  }
}

async function* sizesOf(
  chunks: AsyncIterable<Uint8Array>,
  isFirstOnly: boolean,
): AsyncGenerator<string, void> {
  for await (const chunk of chunks) {
    yield `${chunk.byteLength} `
    if (isFirstOnly) return
  }
}

async function serving(options: ServeOptions = {}): Promise<number> {
  server = await serve({ basePath: '', respond: respondToPath }, options)
  return server.port
}

afterEach(async () => {
  refusals.length = 0
  server?.node.closeAllConnections()
  await server?.close()
})

const post = (path: string, headers: string, body = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`
const chunked = 'Transfer-Encoding: chunked'

test('a body is there when its framing says so, even an empty one', async () => {
  const port = await serving()
  expect((await rawExchange(port, 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n')).body).toBe(
    'undefined undefined',
  )
  expect((await rawExchange(port, post('/ignore', 'Content-Length: 0'))).body).toBe('object 0')
  expect((await rawExchange(port, post('/', 'Content-Length: 0'))).body).toBe('')
  expect((await rawExchange(port, post('/', 'Content-Length: 3', 'abc'))).body).toBe('abc')
  expect(
    (await rawExchange(port, post('/', chunked, '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'))).body,
  ).toBe('abcde')
  expect((await rawExchange(port, post('/', chunked, '0\r\nTrailer: x\r\n\r\n'))).body).toBe('')
})

test('a body that arrives bit by bit is read whole', async () => {
  const client = await rawClient(await serving())
  client.send(post('/', 'Content-Length: 5'))
  for (const byte of 'abcde') {
    client.send(byte)
    await wait(5)
  }
  expect((await client.readResponse()).body).toBe('abcde')
  client.socket.destroy()
})

test('a body declared too large is 413 at once, and a small one does not cost the connection (N6)', async () => {
  const client = await rawClient(await serving())
  client.send(post('/', 'Content-Length: 1001'))
  expect(await client.readResponse()).toMatchObject({
    status: 413,
    headers: { connection: 'keep-alive' },
  })
  client.send('a'.repeat(1001))
  client.send(post('/', 'Content-Length: 2', 'ok'))
  expect(await client.readResponse()).toMatchObject({ status: 200, body: 'ok' })
  client.socket.destroy()
})

test('a large body declared too large is 413, and ends the connection (N6)', async () => {
  const client = await rawClient(await serving())
  client.send(post('/', 'Content-Length: 1000000'))
  const refused = await client.readResponse()
  expect(refused).toMatchObject({ status: 413, headers: { connection: 'close' } })
  expect(JSON.parse(refused.body).errors[0].meta).toEqual({ limit: 1_000 })
  await client.closed
})

test('a body without end is 413 as soon as it is too large, and is not read on (N6)', async () => {
  const client = await rawClient(await serving())
  client.send(post('/', chunked))
  const chunk = `ffff\r\n${'a'.repeat(0xffff)}\r\n`
  let sent = 0
  const sending = setInterval(() => {
    if (client.socket.writable && client.socket.writableLength < 4_000_000)
      client.socket.write(chunk.repeat(16))
    sent += 16 * 0xffff
  }, 1)
  expect(await client.readResponse()).toMatchObject({
    status: 413,
    headers: { connection: 'close' },
  })
  await client.closed
  clearInterval(sending)
  expect(sent).toBeGreaterThan(0)
  expect(client.socket.bytesWritten).toBeLessThan(64_000_000)
})

test('bodies that nobody reads are drained, and the next request is read from its first byte (M5)', async () => {
  const client = await rawClient(await serving())
  for (const method of ['GET', 'HEAD', 'DELETE', 'POST']) {
    const inner = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
    client.send(
      `${method} /ignore HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    )
    client.send(
      `${method} /ignore HTTP/1.1\r\nHost: localhost\r\n${chunked}\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    )
    const head = method === 'HEAD'
    expect(await client.readResponse({ head })).toMatchObject({ status: 200 })
    expect(await client.readResponse({ head })).toMatchObject({ status: 200 })
  }
  await wait(20)
  expect(client.unread()).toBe('')
  client.socket.destroy()
})

test('a body that nobody reads and that comes late is drained before the next request', async () => {
  const client = await rawClient(await serving())
  client.send(post('/ignore', 'Content-Length: 10'))
  expect(await client.readResponse()).toMatchObject({
    status: 200,
    headers: { connection: 'keep-alive' },
  })
  client.send(`0123456789${post('/', 'Content-Length: 2', 'ok')}`)
  expect((await client.readResponse()).body).toBe('ok')
  client.socket.destroy()
})

test('a body that nobody reads and that never comes ends the connection', async () => {
  const client = await rawClient(await serving())
  client.send(post('/ignore', 'Content-Length: 10'))
  expect((await client.readResponse()).status).toBe(200)
  await client.closed
})

test('a body read in part leaves the connection usable', async () => {
  const client = await rawClient(await serving())
  client.send(post('/some', 'Content-Length: 50000', 'a'.repeat(50_000)))
  expect((await client.readResponse()).body).toBe('some true')
  client.send(post('/', 'Content-Length: 2', 'ok'))
  expect((await client.readResponse()).body).toBe('ok')
  client.socket.destroy()
})

test('a body is streamed with back-pressure', async () => {
  const client = await rawClient(await serving())
  client.send(post('/stream', 'Content-Length: 20000000'))
  client.send(Buffer.alloc(20_000_000))
  expect((await client.readResponse()).body).toBe('20000000')
  client.socket.destroy()
})

test('a body is read to its end while the response is sent', async () => {
  const client = await rawClient(await serving())
  client.send(post('/sizes', 'Content-Length: 5000000'))
  for (let sent = 0; sent < 50; sent++) {
    client.send(Buffer.alloc(100_000))
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { body, isComplete } = await client.readResponse()
  expect(body.split(' ').reduce((size, text) => size + Number(text), 0)).toBe(5_000_000)
  expect(isComplete).toBe(true)
  client.socket.destroy()
})

test('a response that ends before the body arrives whole', async () => {
  const client = await rawClient(await serving())
  client.send(post('/first-size', 'Content-Length: 500000'))
  client.send(Buffer.alloc(500_000))
  expect(await client.readResponse()).toMatchObject({ status: 200, isComplete: true })
  await client.closed
})

test('a body that stalls is 408, and ends the connection', async () => {
  const port = await serving({ limits: { requestTimeoutMs: 100 } })
  for (const path of ['/', '/stream']) {
    const client = await rawClient(port)
    client.send(post(path, chunked, '3\r\nabc\r\n'))
    expect(await client.readResponse()).toMatchObject({
      status: 408,
      headers: { connection: 'close' },
    })
    await client.closed
  }
})

test('a body that drips is 408, too, when it is read as a whole', async () => {
  const client = await rawClient(await serving({ limits: { requestTimeoutMs: 150 } }))
  client.send(post('/', chunked))
  const dripping = setInterval(() => client.socket.writable && client.send('1\r\na\r\n'), 10)
  expect((await client.readResponse()).status).toBe(408)
  clearInterval(dripping)
  client.socket.destroy()
})

test('a request that takes too long in all is 408', async () => {
  const client = await rawClient(
    await serving({ limits: { uploadTimeoutMs: 200, headersTimeoutMs: 200 } }),
  )
  client.send(post('/stream', chunked))
  const dripping = setInterval(() => client.socket.writable && client.send('1\r\na\r\n'), 10)
  expect(await client.readResponse()).toMatchObject({
    status: 408,
    headers: { connection: 'close' },
  })
  clearInterval(dripping)
  await client.closed
})

test('a head that drips is 408', async () => {
  const client = await rawClient(await serving({ limits: { headersTimeoutMs: 100 } }))
  client.send('GET / HTTP/1.1\r\n')
  const dripping = setInterval(() => client.socket.writable && client.send('a:\r\n'), 10)
  expect(await client.readResponse()).toMatchObject({
    status: 408,
    headers: { connection: 'close' },
  })
  clearInterval(dripping)
  await client.closed
})

test('a client that leaves in the middle of its body is a refusal, not a fault', async () => {
  const port = await serving()
  for (const path of ['/', '/stream']) {
    const client = await rawClient(port)
    client.send(post(path, 'Content-Length: 100', 'abc'))
    await wait(20)
    client.socket.destroy()
  }
  expect(await eventually(() => refusals.length === 2)).toBe(true)
  expect(refusals).toEqual(['malformed-request', 'malformed-request'])
})

test('a body that breaks in the middle is 400', async () => {
  const client = await rawClient(await serving())
  client.send(post('/', chunked, '3\r\nabc\r\n'))
  await wait(20)
  client.send('zz\r\n')
  expect(await client.readResponse()).toMatchObject({
    status: 400,
    headers: { connection: 'close' },
  })
  await client.closed
})

test('100 is sent when the body is asked for, and not before (N8)', async () => {
  const client = await rawClient(await serving())
  client.send(post('/', 'Content-Length: 2\r\nExpect: 100-continue'))
  expect((await client.readResponse()).status).toBe(100)
  client.send('ok')
  expect(await client.readResponse()).toMatchObject({
    status: 200,
    body: 'ok',
    headers: { connection: 'keep-alive' },
  })
  client.socket.destroy()
})

test('a request that fails anyway gets its final status without 100 (N8)', async () => {
  const port = await serving()
  for (const [path, length, status] of [
    ['/', 5_000, 413],
    ['/ignore', 5, 200],
  ] as const) {
    const client = await rawClient(port)
    client.send(post(path, `Content-Length: ${length}\r\nExpect: 100-continue`))
    expect(await client.readResponse()).toMatchObject({ status, headers: { connection: 'close' } })
    await client.closed
  }
})

test('a body that did not wait for 100 needs none', async () => {
  const answered = await rawExchange(
    await serving(),
    post('/', 'Content-Length: 2\r\nExpect: 100-Continue', 'ok'),
  )
  expect(answered).toMatchObject({ status: 200, body: 'ok' })
})

test('a body can be read once', async () => {
  let outcome: unknown
  server = await serve({
    basePath: '',
    async respond({ body }) {
      await body?.bytes(10)
      outcome = await body?.bytes(10).catch((error: Error) => error.message)
      return respond(204)
    },
  })
  await rawExchange(server.port, post('/', 'Content-Length: 2', 'ok'))
  expect(outcome).toContain('only once')
})
