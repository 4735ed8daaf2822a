import { createRouter, model, type Router, respond } from 'resourcery'
import { memory } from 'resourcery/memory'
import { type ServeOptions, type Server, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type RawClient,
  type RawResponse,
  rawClient,
  rawExchange,
} from '../../src/adapter/raw-client.testing.ts'
import {
  get,
  type Problems,
  type ShopOptions,
  shop,
  shopOn,
  stock,
  storeForTest,
} from './service.ts'

const servers: Server[] = []
const clients: RawClient[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy()
  for (const server of servers.splice(0)) await server.close()
})

async function served(
  options: ServeOptions = {},
  shopOptions: ShopOptions = {},
): Promise<[Router, number]> {
  const router = await shop('memory', shopOptions)
  return [router, await portOf(router, options)]
}

async function portOf(router: Router, options: ServeOptions = {}): Promise<number> {
  const server = await serve(router, { shutdownTimeoutMs: 100, ...options })
  servers.push(server)
  return server.port
}

async function connected(port: number): Promise<RawClient> {
  const client = await rawClient(port)
  clients.push(client)
  return client
}

/** The head of a request with these lines, and a default host. */
function head(line: string, ...headers: string[]): string {
  const host = headers.some((header) => /^host/i.test(header)) ? [] : ['Host: localhost']
  return [`${line} HTTP/1.1`, ...host, ...headers, '', ''].join('\r\n')
}

function post(target: string, body: string, ...headers: string[]): string {
  return (
    head(
      `POST ${target}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...headers,
    ) + body
  )
}

function codes({ body }: RawResponse): readonly string[] {
  return (JSON.parse(body) as Problems).errors.map((error) => error.code)
}

const author = '{"author":{"id":"a9","name":"New"}}'

test('C3: If-None-Match lines are one list, also when they arrive as several', async () => {
  const [, port] = await served()
  const { headers } = await rawExchange(port, head('GET /api/books/b1'))
  const response = await rawExchange(
    port,
    head('GET /api/books/b1', 'If-None-Match: "x"', `if-none-match: ${headers.etag}`),
  )
  expect(response.status).toBe(304)
})

test('C6: a 304 has a date, the tag and Vary, and no body', async () => {
  const [, port] = await served()
  const client = await connected(port)
  client.send(head('GET /api/books/b1'))
  const whole = await client.readResponse()
  client.send(
    head('GET /api/books/b1', `If-None-Match: ${whole.headers.etag}`) + head('GET /api/labels/l1'),
  )
  const { status, headers } = await client.readResponse()
  expect(status).toBe(304)
  expect(headers).toMatchObject({ etag: whole.headers.etag, vary: whole.headers.vary })
  expect(Number.isNaN(Date.parse(headers.date ?? ''))).toBe(false)
  expect([undefined, whole.headers['content-length']]).toContain(headers['content-length'])
  expect((await client.readResponse()).body).toContain('"l1"')
})

test('M1: HEAD sends headers only, and the next response on the connection is correct', async () => {
  const [, port] = await served()
  const client = await connected(port)
  for (const target of [
    '/api/books',
    '/api/books/b1',
    '/api/books?page[size]=1',
    '/api/books/none',
    '/nowhere',
  ]) {
    client.send(head(`GET ${target}`))
    const whole = await client.readResponse()
    client.send(head(`HEAD ${target}`) + head('GET /api/labels/l1'))
    const bare = await client.readResponse({ head: true })
    expect([target, bare.status, bare.headers['content-type']]).toEqual([
      target,
      whole.status,
      whole.headers['content-type'],
    ])
    expect((await client.readResponse()).body).toContain('"l1"')
  }
})

test('M1: HEAD has the headers of GET, of errors too', async () => {
  const router = createRouter({ policy: rest(), store: memory(), basePath: '/api' })
  router.prepare(model('note', { text: z.string() })).itemOperation('pin', () => undefined)
  const port = await portOf(router)
  for (const target of [
    '/api/notes',
    '/api/notes?x=1',
    '/api/notes/none',
    '/nowhere',
    '/api/notes/n1/pin',
  ]) {
    const whole = await rawExchange(port, head(`GET ${target}`))
    const client = await connected(port)
    client.send(head(`HEAD ${target}`))
    const bare = await client.readResponse({ head: true })
    // A request without a body needs no framing headers.
    const said = { ...whole.headers, date: bare.headers.date, 'transfer-encoding': undefined }
    expect([target, bare.status, bare.headers]).toEqual([target, whole.status, said])
  }
})

test('M2: OPTIONS * responds for the server as a whole', async () => {
  const [, port] = await served()
  const response = await rawExchange(port, head('OPTIONS *'))
  expect([200, 204]).toContain(response.status)
  expect(response.headers.allow?.split(', ')).toEqual(
    expect.arrayContaining(['GET', 'HEAD', 'OPTIONS', 'PATCH']),
  )
  expect((await rawExchange(port, head('GET *'))).status).toBe(400)
})

test('M3: an unknown method is 501, as problem details', async () => {
  const [, port] = await served()
  for (const method of ['FOO', 'GETX', 'get', 'Patch', 'X-Y', 'BREW']) {
    const response = await rawExchange(port, head(`${method} /api/books`))
    expect([method, response.status, response.headers['content-type']]).toEqual([
      method,
      501,
      'application/problem+json',
    ])
    expect(codes(response)).toEqual(['method-not-implemented'])
  }
})

test('M3: a known method that an address does not support is 405 with the exact Allow', async () => {
  const [, port] = await served()
  for (const method of ['PUT', 'DELETE', 'PATCH', 'MKCOL', 'PROPFIND', 'SEARCH', 'PURGE']) {
    const response = await rawExchange(port, head(`${method} /api/books`, 'Content-Length: 0'))
    expect([method, response.status, response.headers.allow]).toEqual([
      method,
      405,
      'GET, HEAD, OPTIONS, QUERY, POST',
    ])
  }
})

test('M4: TRACE and CONNECT are refused, and send nothing back', async () => {
  const [, port] = await served()
  for (const line of [
    'TRACE /api/books',
    'TRACE *',
    'CONNECT /api/books',
    'CONNECT evil.example:443',
  ]) {
    const response = await rawExchange(
      port,
      head(line, 'Cookie: session=verysecret', 'X-Secret: verysecret'),
    )
    expect([line, [400, 405, 501].includes(response.status)]).toEqual([line, true])
    expect(response.body + JSON.stringify(response.headers)).not.toContain('verysecret')
  }
})

test('M5: a body with GET, HEAD, DELETE or OPTIONS is skipped, and never parsed as a request', async () => {
  const smuggled = head('DELETE /api/books/b1')
  for (const [line, status] of [
    ['GET /api/books/b1', 200],
    ['GET /api/books', 200],
    ['HEAD /api/books/b1', 200],
    ['OPTIONS /api/books/b1', 204],
    ['DELETE /api/labels/l1', 204],
    ['DELETE /api/labels/none', 404],
    ['GET /nowhere', 404],
  ] as const) {
    for (const framed of [
      head(line, `Content-Length: ${smuggled.length}`) + smuggled,
      `${head(line, 'Transfer-Encoding: chunked')}${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    ]) {
      const [router, port] = await served()
      const client = await connected(port)
      client.send(framed)
      client.send(head('GET /api/ledgers/d1'))
      expect([line, (await client.readResponse({ head: line.startsWith('HEAD') })).status]).toEqual(
        [line, status],
      )
      // Either the connection is closed, or the next response belongs to the next request.
      const next = await client.readResponse().catch(() => undefined)
      if (next) expect(next.body).toContain('"d1"')
      expect((await get(router, '/api/books/b1')).status).toBe(200)
    }
  }
})

test('M5: an unread body does not become the next request, whatever the error', async () => {
  const smuggled = head('DELETE /api/books/b1')
  for (const line of [
    'POST /api/books/b1',
    'POST /nowhere',
    'PUT /api/books',
    'POST /api/books?colour=red',
  ]) {
    for (const type of ['application/json', 'text/plain']) {
      const [router, port] = await served()
      const client = await connected(port)
      client.send(
        head(line, `Content-Type: ${type}`, `Content-Length: ${smuggled.length}`) + smuggled,
      )
      client.send(head('GET /api/ledgers/d1'))
      expect((await client.readResponse()).status).toBeGreaterThanOrEqual(400)
      const next = await client.readResponse().catch(() => undefined)
      if (next) expect(next.body).toContain('"d1"')
      expect((await get(router, '/api/books/b1')).status).toBe(200)
    }
  }
})

test('M6: Location and links never use the Host header', async () => {
  const [, port] = await served({ hosts: ['evil.example'] })
  for (const request of [
    post('/api/authors', author, 'Host: evil.example'),
    post('http://evil.example/api/authors', author.replace('a9', 'a8'), 'Host: evil.example'),
  ]) {
    const response = await rawExchange(port, request)
    expect(response.status).toBe(201)
    expect(response.headers.location).toMatch(/^\/api\/authors\/a[89]$/)
  }
  const page = await rawExchange(port, head('GET /api/books?page[size]=1', 'Host: evil.example'))
  expect(page.headers.link).not.toContain('evil')
})

test('N6: a body that declares too much is 413 before it is sent', async () => {
  const [router, port] = await served({}, { limits: { maxBodyBytes: 1_000 } })
  const client = await connected(port)
  client.send(
    head('POST /api/authors', 'Content-Type: application/json', 'Content-Length: 100000000'),
  )
  const response = await client.readResponse()
  expect([response.status, codes(response)]).toEqual([413, ['body-too-large']])
  expect(response.headers.connection).toBe('close')
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
})

test('N6: a chunked body without an end is 413, and the connection ends', async () => {
  const [, port] = await served({}, { limits: { maxBodyBytes: 1_000 } })
  const client = await connected(port)
  client.send(
    head('POST /api/authors', 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
  )
  const chunk = `400\r\n${' '.repeat(1_024)}\r\n`
  client.send(chunk.repeat(3))
  const response = await client.readResponse()
  expect([response.status, codes(response)]).toEqual([413, ['body-too-large']])
  await client.closed
})

test('N8: a request that fails anyway gets a response at once, without 100 Continue', async () => {
  const router = shopOn(await storeForTest('memory'), { limits: { maxBodyBytes: 1_000 } })
  router.use({
    request: {
      any: ({ request }) => (request.headers.authorization === 'nobody' ? respond(401) : undefined),
    },
  })
  await stock(router)
  const port = await portOf(router)
  const json = 'Content-Type: application/json'
  const failing: [number, string, string[]][] = [
    [404, 'POST /nowhere', [json, 'Content-Length: 35']],
    [405, 'POST /api/books/b1', [json, 'Content-Length: 35']],
    [401, 'POST /api/authors', [json, 'Content-Length: 35', 'Authorization: nobody']],
    [415, 'POST /api/authors', ['Content-Type: text/plain', 'Content-Length: 35']],
    [406, 'POST /api/authors', [json, 'Content-Length: 35', 'Accept: text/html']],
    [400, 'POST /api/authors?colour=red', [json, 'Content-Length: 35']],
    [413, 'POST /api/authors', [json, 'Content-Length: 1001']],
  ]
  for (const [status, line, headers] of failing) {
    const client = await connected(port)
    client.send(head(line, ...headers, 'Expect: 100-continue'))
    expect([line, (await client.readResponse()).status]).toEqual([line, status])
  }
})

test('N8: a request whose body is needed gets 100 Continue', async () => {
  const [, port] = await served()
  const client = await connected(port)
  client.send(
    head(
      'POST /api/authors',
      'Content-Type: application/json',
      `Content-Length: ${author.length}`,
      'Expect: 100-continue',
    ),
  )
  expect((await client.readResponse()).status).toBe(100)
  client.send(author)
  expect((await client.readResponse()).status).toBe(201)
})

test('N8: an unknown expectation is 417', async () => {
  const [router, port] = await served()
  const response = await rawExchange(port, post('/api/authors', author, 'Expect: 200-ok'))
  expect([response.status, codes(response)]).toEqual([417, ['expectation-failed']])
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
})

const json = 'Content-Type: application/json'
const length = `Content-Length: ${author.length}`
const chunked = `${author.length.toString(16)}\r\n${author}\r\n0\r\n\r\n`
const refusedFraming: [string, string][] = [
  [
    'a length and chunks',
    head('POST /api/authors', json, length, 'Transfer-Encoding: chunked') + chunked,
  ],
  ['two lengths', head('POST /api/authors', json, length, 'Content-Length: 1') + author],
  ['a list of lengths', head('POST /api/authors', json, `${length}, 1`) + author],
  [
    'a length with a sign',
    head('POST /api/authors', json, `Content-Length: +${author.length}`) + author,
  ],
  ['a negative length', head('POST /api/authors', json, 'Content-Length: -1') + author],
  ['a hexadecimal length', head('POST /api/authors', json, 'Content-Length: 0x23') + author],
  [
    'a coding behind chunked',
    head('POST /api/authors', json, 'Transfer-Encoding: chunked, gzip') + chunked,
  ],
  [
    'chunked twice',
    head('POST /api/authors', json, 'Transfer-Encoding: chunked, chunked') + chunked,
  ],
  ['a blank before the colon', head('POST /api/authors', json, 'Content-Length : 35') + author],
  ['a folded line', head('POST /api/authors', json, 'X-Folded: a\r\n b', length) + author],
  ['a header without a name', head('POST /api/authors', json, ': x', length) + author],
  ['a NUL in a header', head('POST /api/authors', json, 'X-Nul: a\0b', length) + author],
  ['a bare CR in a header', head('POST /api/authors', json, 'X-Cr: a\rb', length) + author],
  ['a bare LF at the end of lines', post('/api/authors', author).replaceAll('\r\n', '\n')],
  ['no host', `POST /api/authors HTTP/1.1\r\n${json}\r\n${length}\r\n\r\n${author}`],
  ['two hosts', post('/api/authors', author, 'Host: a', 'Host: b')],
  ['two hosts alike', post('/api/authors', author, 'Host: a', 'host: a')],
  ['a host with a path', post('/api/authors', author, 'Host: a/b')],
  ['a host with a blank', post('/api/authors', author, 'Host: a b')],
  ['a host with a user', post('/api/authors', author, 'Host: user@a')],
  ['two hosts in one line', post('/api/authors', author, 'Host: a, b')],
  ['a fragment in the target', post('/api/authors#x', author)],
  ['a target without a slash', post('api/authors', author)],
  ['a target of another scheme', post('ftp://shop.example/api/authors', author)],
  ['a blank in the target', post('/api/auth ors', author)],
  ['a control character in the target', post('/api/authors\x01', author)],
  ['another version of HTTP', post('/api/authors', author).replace('HTTP/1.1', 'HTTP/9.9')],
  [
    'a chunk size that is none',
    `${head('POST /api/authors', json, 'Transfer-Encoding: chunked')}zz\r\n`,
  ],
]

test.each(refusedFraming)('N9, N10: %s is 400, and nothing is stored', async (_, request) => {
  const [router, port] = await served()
  const response = await rawExchange(port, request)
  expect([response.status, response.headers['content-type']]).toEqual([
    400,
    'application/problem+json',
  ])
  expect(codes(response)).toEqual(['malformed-request'])
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
})

test.each([
  'xchunked',
  'gzip',
  'identity',
  'gzip, chunked',
  'identity, chunked',
  ', chunked',
  'gzip\r\nTransfer-Encoding: chunked',
])(
  'N10: a transfer coding other than chunked is 501, and nothing is stored: %s',
  async (coding) => {
    const [router, port] = await served()
    const response = await rawExchange(
      port,
      head('POST /api/authors', json, `Transfer-Encoding: ${coding}`) + chunked,
    )
    expect([response.status, response.headers['content-type']]).toEqual([
      501,
      'application/problem+json',
    ])
    expect(codes(response)).toEqual(['transfer-coding-not-implemented'])
    expect(response.headers.connection).toBe('close')
    expect((await get(router, '/api/authors/a9')).status).toBe(404)
  },
)

test('N10: HTTP/1.0 has no transfer codings: 400, nothing is stored, and the connection ends (RFC 9112 §6.1)', async () => {
  const [router, port] = await served()
  const request =
    head('POST /api/authors', json, 'Transfer-Encoding: chunked', 'Connection: keep-alive') +
    chunked
  const response = await rawExchange(port, request.replace('HTTP/1.1', 'HTTP/1.0'))
  expect([response.status, response.headers.connection]).toEqual([400, 'close'])
  expect(codes(response)).toEqual(['malformed-request'])
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
})

test('N10: chunked is read in any case', async () => {
  const [router, port] = await served()
  const response = await rawExchange(
    port,
    head('POST /api/authors', json, 'Transfer-Encoding: Chunked') + chunked,
  )
  expect(response.status).toBe(201)
  expect((await get(router, '/api/authors/a9')).status).toBe(200)
})

test('N11: a target in absolute form is routed by its path, whatever its authority', async () => {
  const [, port] = await served({ hosts: 'any' })
  const plain = await rawExchange(port, head('GET /api/books/b1?fields[books]=title'))
  for (const base of [
    'http://shop.example',
    'http://evil',
    'https://evil:99',
    'HTTP://user@evil',
    'http://[::1]:80',
  ]) {
    const response = await rawExchange(port, head(`GET ${base}/api/books/b1?fields[books]=title`))
    expect([base, response.status, response.body]).toEqual([base, 200, plain.body])
  }
  expect((await rawExchange(port, head('GET http://evil'))).status).toBe(404)
  expect((await rawExchange(port, head('GET http://evil?x=/api/books'))).status).toBe(404)
  expect((await rawExchange(port, head('GET http:///api/books'))).status).toBeLessThan(500)
})

test('N12: headers that are too large are 431 or 414, as problem details', async () => {
  const [, port] = await served()
  const long = await rawExchange(port, head('GET /api/books', `X-Long: ${'x'.repeat(20_000)}`))
  expect([long.status, long.headers['content-type']]).toEqual([431, 'application/problem+json'])
  const target = await rawExchange(port, head(`GET /api/books?sort=${'x'.repeat(20_000)}`))
  expect([414, 431]).toContain(target.status)
  const many = Array.from({ length: 3_000 }, (_, index) => `X-${index}: 1`)
  expect((await rawExchange(port, head('GET /api/books', ...many))).status).toBe(431)
})

test('N13: headers named like members of Object.prototype change nothing', async () => {
  const [, port] = await served()
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'prototype',
    'valueOf',
    '__defineGetter__',
  ]
  const response = await rawExchange(
    port,
    head('GET /api/books/b1', ...names.map((name) => `${name}: polluted`), '__proto__: again'),
  )
  expect(response.status).toBe(200)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  const writeResponse = await rawExchange(
    port,
    post('/api/authors', author, '__proto__: x', 'constructor: x'),
  )
  expect(writeResponse.status).toBe(201)
})

test('N14: a path is not normalized: bad escapes are 400, other spellings are other addresses', async () => {
  const [, port] = await served()
  for (const [target, status] of [
    ['/api/books/%zz', 400],
    ['/api/books/%', 400],
    ['/api/books/%c0%af', 400],
    ['/api/books/%00', 404],
    ['/api/books/b1%00', 404],
    ['/api/books/../authors', 404],
    ['/api/authors/../books/b1', 404],
    ['/../api/books', 404],
    ['/api/./books', 404],
    ['/api/books/.', 404],
    ['/api/books/..', 404],
    ['/api/%2e%2e/api/books', 404],
    ['/api%2Fbooks', 404],
    ['/api/books%2Fb1', 404],
    ['/api/books/', 404],
    ['//api/books', 404],
    ['/api//books', 404],
    ['/api/books;x', 404],
    ['/api/books/b1;x', 404],
    ['/API/books', 404],
    ['/api/books?', 200],
    ['/api/books?&', 200],
    ['/api/books?%zz', 400],
    ['/api/books/%62%31', 200],
  ] as const) {
    const response = await rawExchange(port, head(`GET ${target}`))
    expect([target, response.status]).toEqual([target, status])
    if (status >= 400) expect(response.headers['content-type']).toBe('application/problem+json')
  }
})

test('N14: raw non-ASCII bytes in a path get a response, and are stored nowhere', async () => {
  const [, port] = await served()
  for (const bytes of [
    '/api/books/é',
    '/api/books/\xff\xfe',
    '/api/books?filter[title]=\xe9',
    '/api/books?\xff=1',
  ]) {
    const response = await rawExchange(port, Buffer.from(head(`GET ${bytes}`), 'latin1'))
    expect([bytes, [200, 400, 404].includes(response.status)]).toEqual([bytes, true])
  }
})

test('a body that arrives byte by byte is the same body', async () => {
  const [router, port] = await served()
  const client = await connected(port)
  client.socket.setNoDelay(true)
  for (const byte of post('/api/authors', author)) {
    client.send(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await client.readResponse()).status).toBe(201)
  expect((await get(router, '/api/authors/a9')).json().author?.name).toBe('New')
})

test('a body that stalls is 408, its connection is closed, and nothing is stored', async () => {
  const [router, port] = await served({ limits: { requestTimeoutMs: 50 } })
  const client = await connected(port)
  client.send(post('/api/authors', author).slice(0, -1))
  const response = await client.readResponse()
  expect([response.status, codes(response)]).toEqual([408, ['request-timeout']])
  await client.closed
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
})

test('an aborted body is not stored, and the service goes on', async () => {
  const [router, port] = await served()
  const whole = post('/api/authors', author)
  for (const cut of [whole.length - author.length, whole.length - 10, whole.length - 1]) {
    const client = await connected(port)
    client.send(whole.slice(0, cut))
    client.socket.end()
    await client.closed
  }
  const half = await connected(port)
  half.send(`${head('POST /api/authors', json, 'Transfer-Encoding: chunked')}23\r\n${author}\r\n`)
  half.socket.end()
  await half.closed
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
  expect((await rawExchange(port, whole)).status).toBe(201)
})

test('chunks of any size, extensions and trailers make one body, and trailers are no headers', async () => {
  const [router, port] = await served()
  const parts = ['{"author"', ':{"id":"a9"', ',"name":"New"}}']
  const framed = parts.map((part) => `${part.length.toString(16)};x=y\r\n${part}\r\n`).join('')
  const trailers = 'If-Match: "x"\r\nHost: evil\r\nContent-Type: text/plain\r\n__proto__: x\r\n'
  const request = `${head('POST /api/authors', json, 'Transfer-Encoding: chunked', 'Trailer: If-Match')}${framed}0\r\n${trailers}\r\n`
  const client = await connected(port)
  client.send(request + head('GET /api/labels/l1'))
  expect((await client.readResponse()).status).toBe(201)
  expect((await client.readResponse()).body).toContain('"l1"')
  expect((await get(router, '/api/authors/a9')).status).toBe(200)
})

test('pipelined requests are run in order, and so are the responses', async () => {
  const [, port] = await served()
  const client = await connected(port)
  const requests = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0
      ? post('/api/labels', JSON.stringify({ label: { id: `n${index}`, name: 'x' } }))
      : head(`GET /api/labels/n${index - 1}`),
  )
  client.send(requests.join(''))
  for (const [index] of requests.entries()) {
    const response = await client.readResponse()
    expect([index, response.status]).toEqual([index, index % 2 === 0 ? 201 : 200])
    expect(response.body).toContain(`"n${index - (index % 2)}"`)
  }
})

test('several Content-Type lines are refused where they differ', async () => {
  const [router, port] = await served()
  for (const lines of [
    ['Content-Type: text/plain', 'Content-Type: application/json'],
    ['Content-Type: application/json', 'Content-Type: text/plain'],
  ]) {
    const response = await rawExchange(port, head('POST /api/authors', ...lines, length) + author)
    expect([lines, [400, 415].includes(response.status)]).toEqual([lines, true])
  }
  expect((await get(router, '/api/authors/a9')).status).toBe(404)
})

test('several If-Match lines are one list', async () => {
  const [router, port] = await served()
  const { headers } = await rawExchange(port, head('GET /api/labels/l1'))
  const body = '{"label":{"name":"changed"}}'
  const write = (...lines: string[]) =>
    rawExchange(
      port,
      head('PATCH /api/labels/l1', json, `Content-Length: ${body.length}`, ...lines) + body,
    )
  expect((await write('If-Match: "x"', 'If-Match: "y"')).status).toBe(412)
  expect((await write('If-Match: "x"', `If-Match: ${headers.etag}`)).status).toBe(200)
  expect((await get(router, '/api/labels/l1')).json().label?.name).toBe('changed')
})

test('every response that a socket can provoke has a Date and does not name the server software', async () => {
  const [, port] = await served()
  const requests = [
    head('GET /api/books/b1'),
    head('GET /nowhere'),
    head('FOO /'),
    'garbage\r\n\r\n',
    head('GET /%zz'),
  ]
  for (const request of requests) {
    const response = await rawExchange(port, request)
    expect(response.headers.date).toBeDefined()
    expect(response.headers.server).toBeUndefined()
    expect(response.headers['x-powered-by']).toBeUndefined()
    expect(response.body).not.toMatch(/node_modules|\.ts:\d|\n\s+at /)
  }
})

test('malformed requests of one client do not affect another', async () => {
  const [, port] = await served()
  const good = await connected(port)
  for (const bytes of [
    '\0\0\0\0',
    '\x16\x03\x01\x02\x00',
    'GET',
    '\r\n'.repeat(1_000),
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]) {
    const bad = await connected(port)
    bad.send(bytes)
    bad.socket.end()
    await bad.closed
    good.send(head('GET /api/labels/l1'))
    expect((await good.readResponse()).status).toBe(200)
  }
})
