import { afterEach, expect, test } from 'vitest'
import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { type ServeOptions, type Server, serve } from './node.ts'
import { rawClient, rawExchange, wait } from './raw-client.testing.ts'
import { type TrackedStream, trackedStream } from './tracked-stream.testing.ts'

const faults: unknown[] = []
let server: Server | undefined

async function serving(
  respond: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
  options: ServeOptions = {},
): Promise<Server> {
  const onError = (error: unknown) => faults.push(error)
  server = await serve(
    { basePath: '/api', respond: async (request) => respond(request) },
    { onError, ...options },
  )
  return server
}

afterEach(async () => {
  faults.length = 0
  server?.node.closeAllConnections()
  await server?.close()
})

test('a request arrives as plain values, as it was sent', async () => {
  let seen: ApiRequest | undefined
  const { port } = await serving((request) => {
    seen = request
    return respond(200, { 'content-type': 'text/plain', etag: '"v1"' }, 'größe')
  })
  const response = await rawExchange(
    port,
    'GET /api/a%2Fb//./%C3%A9?x=1&y=? HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\nx-a: 2\r\n\r\n',
  )
  expect(response).toMatchObject({ status: 200, isComplete: true })
  expect(Buffer.from(response.body, 'latin1').toString()).toBe('größe')
  expect(response.headers).toMatchObject({
    'content-length': '7',
    etag: '"v1"',
    connection: 'keep-alive',
  })
  expect(Date.parse(response.headers.date ?? '')).toBeGreaterThan(0)
  expect(seen).toMatchObject({
    method: 'GET',
    path: '/api/a%2Fb//./%C3%A9',
    query: 'x=1&y=?',
    body: undefined,
  })
  expect(seen?.headers).toMatchObject({ host: 'localhost', 'x-a': '1, 2' })
})

test('a body that lies in several parts arrives as one', async () => {
  const parts = ['{"größe":[', 'x'.repeat(100_000), ']}'].map((text) => Buffer.from(text))
  const { port, node } = await serving(({ query }) => ({
    status: 200,
    headers: {},
    body: {
      kind: 'buffers',
      buffers: query === 'none' ? [] : query === 'one' ? parts.slice(0, 1) : parts,
    },
  }))
  const client = await rawClient(port)
  for (let times = 0; times < 3; times++) {
    client.send(
      'GET /api HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api?one HTTP/1.1\r\nHost: localhost\r\n\r\n',
    )
    const { body, headers, isComplete } = await client.readResponse()
    expect(Buffer.from(body, 'latin1')).toEqual(Buffer.concat(parts))
    expect([headers['content-length'], isComplete]).toEqual(['100014', true])
    expect(Buffer.from((await client.readResponse()).body, 'latin1')).toEqual(parts[0])
  }
  client.send('GET /api?none HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await client.readResponse()).toMatchObject({
    body: '',
    headers: { 'content-length': '0' },
  })
  client.send('HEAD /api HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await client.readResponse({ head: true })).toMatchObject({
    headers: { 'content-length': '100014' },
  })
  // Before all of the request is read, too.
  client.send('POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30000\r\n\r\n')
  await wait(20)
  client.send('x'.repeat(30_000))
  expect((await client.readResponse()).body).toHaveLength(100_014)
  client.send('POST /api?one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n')
  await wait(20)
  client.send('xyz')
  expect((await client.readResponse()).isComplete).toBe(true)
  expect(faults).toEqual([])
  client.socket.destroy()
  expect(node.listening).toBe(true)
})

test('lines of a header that must be single are joined too, and so are seen (N4)', async () => {
  let seen: ApiRequest | undefined
  const { port } = await serving((request) => {
    seen = request
    return respond(204)
  })
  await rawExchange(
    port,
    'GET /api HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nSet-Cookie: a=1\r\n\r\n',
  )
  expect(seen?.headers['content-type']).toBe('application/json, text/plain')
  expect(seen?.headers['set-cookie']).toBeUndefined()
})

test('HEAD says what GET says, without body, and closes the stream unread (M1)', async () => {
  const streams: TrackedStream[] = []
  const { port } = await serving((request) => {
    if (request.path === '/api/text') return respond(200, { etag: '"v1"' }, 'four')
    const chunks = trackedStream('abc')
    streams.push(chunks)
    return { status: 200, headers: {}, body: { kind: 'stream', chunks, length: 3 } }
  })
  const client = await rawClient(port)
  client.send(
    'HEAD /api/text HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  expect(await client.readResponse({ head: true })).toMatchObject({
    status: 200,
    headers: { 'content-length': '4' },
  })
  expect(await client.readResponse({ head: true })).toMatchObject({
    status: 200,
    headers: { 'content-length': '3' },
  })
  client.send('GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await client.readResponse()).toMatchObject({ body: 'abc', isComplete: true })
  expect(streams).toMatchObject([
    { pullCount: 0, isClosed: true },
    { pullCount: 2, isClosed: true },
  ])
  client.socket.destroy()
})

test('204 and 304 have no body, other empty responses say so', async () => {
  const { port } = await serving(({ path }) =>
    respond(Number(path.slice(5)), {}, path === '/api/200' ? undefined : 'x'),
  )
  const client = await rawClient(port)
  for (const status of [204, 304, 200]) {
    client.send(`GET /api/${status} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const response = await client.readResponse()
    expect(response).toMatchObject({ status, body: '' })
    expect(response.headers['content-length']).toBe(status === 200 ? '0' : undefined)
  }
  expect(client.unread()).toBe('')
  client.socket.destroy()
})

test("a service's own framing headers cannot split a response", async () => {
  const { port } = await serving(() =>
    respond(
      200,
      { 'content-length': '1', 'Transfer-Encoding': 'chunked', connection: 'close' },
      'three',
    ),
  )
  const client = await rawClient(port)
  client.send(
    'GET /api HTTP/1.1\r\nHost: localhost\r\n\r\nGET /api HTTP/1.1\r\nHost: localhost\r\n\r\n',
  )
  expect((await client.readResponse()).body).toBe('three')
  expect((await client.readResponse()).body).toBe('three')
  client.socket.destroy()
})

test('addresses of no service are 404, or pages', async () => {
  const { port } = await serving(() => respond(200, {}, 'api'), {
    fallback: ({ path }) =>
      path === '/' ? respond(200, { 'content-type': 'text/html' }, '<h1>') : undefined,
  })
  expect(await rawExchange(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatchObject({
    status: 200,
    body: '<h1>',
  })
  const missing = await rawExchange(port, 'GET /apis HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(missing).toMatchObject({
    status: 404,
    headers: { 'content-type': 'application/problem+json' },
  })
  expect(JSON.parse(missing.body)).toEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: "Unknown path '/apis'.",
    errors: [expect.objectContaining({ code: 'not-found', status: 404 })],
  })
})

test('a rejection, a broken header or an impossible status is an opaque 500, and reported', async () => {
  const { port } = await serving(({ path }) => {
    switch (path) {
      case '/api/reject':
        throw new Error('secret')
      case '/api/header':
        return respond(200, { location: '/secret\r\nset-cookie: a=1' }, 'x')
      case '/api/wide':
        return respond(200, { location: '/日' }, 'x')
      case '/api/early':
        return respond(101, {}, 'secret')
      case '/api/type':
        return respond(200, {}, 5 as unknown as string)
      default:
        return respond(200, {}, 'fine')
    }
  })
  const client = await rawClient(port)
  for (const path of ['reject', 'header', 'wide', 'early', 'type']) {
    client.send(`GET /api/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const response = await client.readResponse()
    expect(response.status).toBe(500)
    expect(JSON.stringify(response)).not.toMatch(/secret|set-cookie/)
  }
  client.send('GET /api/fine HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await client.readResponse()).toMatchObject({ status: 200, body: 'fine' })
  expect(faults).toHaveLength(5)
  client.socket.destroy()
})

test.each([
  [200, { 'x-a': 'a\r\nx-b: b' }],
  [204, { 'x-a': 'a\r\nx-b: b' }],
  [304, { 'x-a': 'a\r\nx-b: b' }],
  [204, { 'x a': 'a' }],
  [200, { 'x-a': [1] }],
  [200, { 'x-a': [['a']] }],
  [200, { 'x-a': new Set(['a']) }],
  [204, { 'x-a': undefined }],
  [304, { 'content-length': 5 }],
])(
  'a %i with the headers %j is a 500 whose body is that of no other response',
  async (status, headers) => {
    const { port } = await serving(({ path }) =>
      path === '/api/fine'
        ? respond(200, {}, 'fine')
        : { status, headers: headers as never, body: { kind: 'empty' } },
    )
    const client = await rawClient(port)
    client.send('GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const { status: sent, body } = await client.readResponse()
    expect([sent, JSON.parse(body)]).toMatchObject([500, { status: 500 }])
    client.send('GET /api/fine HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await client.readResponse()).toMatchObject({ status: 200, body: 'fine' })
    const [name] = Object.keys(headers)
    expect(faults.map(String)).toEqual([expect.stringContaining(name!)])
    client.socket.destroy()
  },
)

test.each([
  { kind: 'bytes', bytes: 'text' },
  { kind: 'bytes', bytes: undefined },
  { kind: 'buffers', buffers: [Buffer.from('a'), 'text'] },
  { kind: 'buffers', buffers: 'text' },
  { kind: 'buffers' },
])('a body %j, which has no length in bytes, is a reported 500', async (body) => {
  const { port } = await serving(() => ({ status: 200, headers: {}, body: body as never }))
  for (const method of ['GET', 'HEAD']) {
    const response = await rawExchange(port, `${method} /api HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(response.status).toBe(500)
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0)
  }
  expect(faults).toHaveLength(2)
})

test.each([
  undefined,
  null,
  'text',
  {},
  { status: 200, headers: {} },
  { status: 200, headers: {}, body: null },
])(
  '%j in place of a response is a reported 500, also before the request is read',
  async (value) => {
    const { port } = await serving(({ path }) =>
      path === '/api/fine' ? respond(200, {}, 'fine') : (value as never),
    )
    const client = await rawClient(port)
    client.send('POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n')
    await wait(20)
    client.send('{}')
    expect((await client.readResponse()).status).toBe(500)
    client.send('GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect((await client.readResponse()).status).toBe(500)
    client.send('GET /api/fine HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(await client.readResponse()).toMatchObject({ status: 200, body: 'fine' })
    const fault = expect.stringContaining("'/api' returned no response")
    expect(faults.map(String)).toEqual([fault, fault])
    client.socket.destroy()
  },
)

test.each([200, 204, 304])('a %i announces no trailers, because none are sent', async (status) => {
  const { port } = await serving(() => respond(status, { trailer: 'x-a' }))
  const response = await rawExchange(port, 'GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(response.status).toBe(status)
  expect(response.headers).not.toHaveProperty('trailer')
  expect(faults).toEqual([])
})

test('a refusal thrown by a page keeps its status and headers, and is no fault', async () => {
  const { port } = await serving(() => respond(200), {
    fallback: () => {
      throw refuse('too-many-requests', 'Slowly.', undefined, { headers: { 'retry-after': '1' } })
    },
  })
  const response = await rawExchange(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(response).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  expect(faults).toEqual([])
})

test('requests sent ahead get responses one after the other, in their order', async () => {
  const running: string[] = []
  let most = 0
  const { port } = await serving(async ({ path }) => {
    running.push(path)
    most = Math.max(most, running.length)
    await new Promise((resolve) => setTimeout(resolve, path.endsWith('0') ? 30 : 0))
    running.pop()
    return respond(200, {}, path)
  })
  const client = await rawClient(port)
  const paths = Array.from({ length: 50 }, (_, index) => `/api/${index}`)
  client.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
  for (const path of paths) expect((await client.readResponse()).body).toBe(path)
  expect(most).toBe(1)
  client.socket.destroy()
})

test('an HTTP/1.0 client gets a response, and reads that the connection ends', async () => {
  const { port } = await serving(() => respond(200, {}, 'old'))
  const client = await rawClient(port)
  client.send('GET /api HTTP/1.0\r\n\r\n')
  expect(await client.readResponse()).toMatchObject({
    status: 200,
    body: 'old',
    headers: { connection: 'close' },
  })
  await client.closed
})

test('a port that is taken is said when serving starts', async () => {
  const { port } = await serving(() => respond(200))
  await expect(
    serve({ basePath: '/', respond: async () => respond(200) }, { port }),
  ).rejects.toThrow('EADDRINUSE')
})

test('the address names the host and the port', async () => {
  const { address, port } = await serving(() => respond(200))
  expect(address).toBe(`http://127.0.0.1:${port}`)
})
