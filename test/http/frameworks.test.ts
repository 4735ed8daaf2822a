import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { createRouter, file, model, type Router, respond } from 'resourcery'
import { fetchHandler } from 'resourcery/fetch'
import { fileBlobs } from 'resourcery/files'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { type NodeHandlerOptions, nodeHandler, type Service } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { eventually, rawClient, rawExchange, wait } from '../../src/adapter/raw-client.testing.ts'

class Book extends model(
  'book',
  { title: z.string(), price: z.number().optional(), scan: file({ maxBytes: 50_000_000 }) },
  { ids: 'client' },
) {}

const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

const reported: unknown[] = []
afterEach(() => {
  expect(reported.splice(0)).toEqual([])
})

function bookshop(basePath = '/api', policy = rest()): Router {
  const folder = mkdtempSync(join(tmpdir(), 'frameworks-'))
  const router = createRouter({
    policy,
    basePath,
    store: memory(),
    blobs: fileBlobs(folder),
    changes: { feed: { maxSubscribersPerCaller: 1 } },
    onError: (error) => reported.push(error),
  })
  router.prepare(Book)
  closings.push(async () => {
    await router.close()
    rmSync(folder, { recursive: true })
  })
  return router
}

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(() => close(server))
  return (server.address() as AddressInfo).port
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

async function fastifyPort(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  closings.push(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  return (app.server.address() as AddressInfo).port
}

/** The router in each framework, and a route of the framework itself beside it. */
const frameworks: readonly {
  readonly name: string
  open(service: Service | readonly Service[], options?: NodeHandlerOptions): Promise<number>
}[] = [
  {
    name: 'node:http',
    open: (service, options) => listening(nodeHandler(service, options)),
  },
  {
    name: 'Express',
    open(service, options) {
      const app = express()
      app.use(nodeHandler(service, options))
      app.use((_req, res) => void res.status(404).send('of Express'))
      return listening(app)
    },
  },
  {
    name: 'Express below a path, after express.json() and express.urlencoded()',
    open(service, options) {
      const app = express()
      app.use(express.json({ limit: '40mb' }), express.urlencoded())
      app.use('/api', nodeHandler(service, options))
      app.use((_req, res) => void res.status(404).send('of Express'))
      return listening(app)
    },
  },
  {
    name: 'Express after express.text() and express.raw() for JSON',
    open(service, options) {
      const app = express()
      app.use(express.text({ type: 'application/json', limit: '40mb' }))
      app.use(express.raw({ type: 'application/vnd.api+json' }))
      app.use(nodeHandler(service, options))
      app.use((_req, res) => void res.status(404).send('of Express'))
      return listening(app)
    },
  },
  {
    name: 'Fastify',
    open(service, options) {
      const app = fastify({ bodyLimit: 40_000_000 })
      app.addContentTypeParser('*', (_request, _payload, done) => done(null))
      app.all('/*', nodeHandler(service, options))
      return fastifyPort(app)
    },
  },
  {
    name: 'Fastify below a prefix',
    open(service, options) {
      const app = fastify({ bodyLimit: 40_000_000 })
      app.register(
        async (scope) => {
          scope.removeAllContentTypeParsers()
          scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
          scope.all('/*', nodeHandler(service, options))
        },
        { prefix: '/api' },
      )
      return fastifyPort(app)
    },
  },
]

const json = { 'content-type': 'application/json' }

describe.each(frameworks)('In $name', ({ open }) => {
  test('items are written and read', async () => {
    const port = await open(bookshop())
    const books = `http://127.0.0.1:${port}/api/books`
    const created = await fetch(books, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ book: { id: 'b1', title: 'Dracula – größe', price: 9.5 } }),
    })
    expect(created.status).toBe(201)
    expect(created.headers.get('location')).toBe('/api/books/b1')
    const patched = await fetch(`${books}/b1`, {
      method: 'PATCH',
      headers: json,
      body: JSON.stringify({ book: { price: 10 } }),
    })
    expect(await patched.json()).toMatchObject({ book: { price: 10 } })
    const list = await fetch(`${books}?filter[title][startsWith]=Drac`)
    expect(await list.json()).toMatchObject({ books: [{ id: 'b1', title: 'Dracula – größe' }] })
    expect((await fetch(`${books}/b1`, { method: 'DELETE' })).status).toBe(204)
    expect((await fetch(books, { method: 'HEAD' })).headers.get('content-type')).toBe(
      'application/json',
    )
    expect((await fetch(books, { method: 'OPTIONS' })).headers.get('allow')).toContain('POST')
  })

  test('QUERY is a list with its query in the body', async () => {
    const port = await open(bookshop())
    const books = `http://127.0.0.1:${port}/api/books`
    for (const [id, price] of [
      ['b1', 9.5],
      ['b2', 12],
    ])
      await fetch(books, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ book: { id, title: `größe & ${id}`, price } }),
      })
    const query = (body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(books, { method: 'QUERY', headers: { 'content-type': type }, body })
    const found = await query(
      'filter[price][gt]=10&filter%5Btitle%5D[contains]=gr%C3%B6%C3%9Fe+%26',
    )
    expect(found.status).toBe(200)
    expect(await found.json()).toMatchObject({
      books: [{ id: 'b2', title: 'größe & b2', price: 12 }],
    })
    expect((await query('filter[price]=1&filter[price]=2')).status).toBe(400)
    const json415 = await query('{}', 'application/json')
    expect([json415.status, json415.headers.get('accept-query')]).toEqual([
      415,
      'application/x-www-form-urlencoded',
    ])
  })

  test('bodies that are wrong are refused by the router', async () => {
    const port = await open(bookshop())
    const send = (body: string, type = 'application/json') =>
      fetch(`http://127.0.0.1:${port}/api/books`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      })
    expect((await send('{"book":{"id":"b1","title":7}}')).status).toBe(422)
    expect((await send('title=Dracula', 'application/x-www-form-urlencoded')).status).toBe(415)
    const large = await send(JSON.stringify({ book: { id: 'b1', title: 'x'.repeat(2_000_000) } }))
    expect(large.status).toBe(413)
  })

  test('a file streams in and out', async () => {
    const port = await open(bookshop())
    const books = `http://127.0.0.1:${port}/api/books`
    await fetch(books, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ book: { id: 'b1', title: 'Dracula' } }),
    })
    const bytes = Buffer.alloc(8_000_000, 'größe')
    const sent = await fetch(`${books}/b1/scan`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    })
    expect(sent.status).toBe(200)
    const received = Buffer.from(await (await fetch(`${books}/b1/scan`)).arrayBuffer())
    expect(received.equals(bytes)).toBe(true)
    const range = await fetch(`${books}/b1/scan`, { headers: { range: 'bytes=0-2' } })
    expect([range.status, await range.text()]).toEqual([206, 'gr\uFFFD'])
  })

  test('work ends when the client leaves', async () => {
    let pulls = 0
    let isClosed = false
    async function* endless() {
      try {
        for (; ; pulls++) yield Buffer.alloc(10_000, 'x')
      } finally {
        isClosed = true
      }
    }
    const service: Service = {
      basePath: '/api',
      respond: async () => ({
        status: 200,
        headers: {},
        body: { kind: 'stream', chunks: endless() },
      }),
    }
    const client = await rawClient(await open(service))
    client.send('GET /api/endless HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually(() => client.unread().length > 1_000)
    client.socket.pause()
    let before: number
    do {
      before = pulls
      await wait(100)
    } while (pulls > before)
    // The stream pauses with its client: not much more than the buffers of both ends is read.
    expect(pulls).toBeLessThan(5_000)
    client.socket.destroy()
    expect(await eventually(() => isClosed)).toBe(true)
  })

  test('the signal is aborted when the client leaves before the response', async () => {
    let signal: AbortSignal | undefined
    const service: Service = {
      basePath: '/api',
      respond: async (request) => {
        signal = request.signal
        await new Promise((resolve) => signal?.addEventListener('abort', resolve))
        return respond(200)
      },
    }
    const client = await rawClient(await open(service))
    client.send('GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually(() => signal !== undefined)
    client.socket.destroy()
    expect(await eventually(() => signal?.aborted === true)).toBe(true)
  })

  test('changes are streamed until the client leaves', async () => {
    const port = await open(bookshop())
    const books = `http://127.0.0.1:${port}/api/books`
    const stream = (signal: AbortSignal) =>
      fetch(`${books}/changes`, { headers: { accept: 'text/event-stream' }, signal })
    const leaving = new AbortController()
    const response = await stream(leaving.signal)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toMatch(/^retry: /)
    const book = { id: 'b1', title: 'Dracula' }
    await fetch(books, { method: 'POST', headers: json, body: JSON.stringify({ book }) })
    expect((await reader.read()).value).toMatch(/^event: create\nid: .*\ndata: .*Dracula/)
    // Another one is allowed once the first has ended.
    expect((await stream(new AbortController().signal)).status).toBe(429)
    leaving.abort()
    const again = new AbortController()
    while ((await stream(again.signal)).status !== 200) await wait(5)
    again.abort()
  })

  test('paths of no service are left to the framework', async () => {
    const port = await open(bookshop())
    const response = await fetch(`http://127.0.0.1:${port}/apis`)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).not.toBe('')
  })

  test('two Host headers are refused', async () => {
    const port = await open(bookshop())
    const { status } = await rawExchange(
      port,
      'GET /api/books HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n',
    )
    expect(status).toBe(400)
  })

  test('a client that expects 100 Continue gets it once', async () => {
    const client = await rawClient(await open(bookshop()))
    closings.push(() => client.socket.destroy())
    const body = '{"book":{"id":"b1","title":"Dracula"}}'
    client.send(
      `POST /api/books HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    expect((await client.readResponse()).status).toBe(100)
    client.send(body)
    expect((await client.readResponse()).status).toBe(201)
  })

  test('a connection serves several requests, also after a refused upload', async () => {
    const client = await rawClient(await open(bookshop()))
    closings.push(() => client.socket.destroy())
    const body = 'x'.repeat(10_000)
    for (let turn = 0; turn < 3; turn++) {
      client.send(
        `POST /api/books/none/scan HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      expect((await client.readResponse()).status).toBe(404)
      client.send('GET /api/books HTTP/1.1\r\nHost: localhost\r\n\r\n')
      expect(await client.readResponse()).toMatchObject({ status: 200, body: '{"books":[]}' })
    }
  })

  test('pipelined requests are answered in their order', async () => {
    const client = await rawClient(await open(bookshop()))
    closings.push(() => client.socket.destroy())
    client.send(
      ['books', 'none', 'books']
        .map((name) => `GET /api/${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        .join(''),
    )
    for (const status of [200, 404, 200]) expect((await client.readResponse()).status).toBe(status)
  })

  test('a host that is not allowed is refused', async () => {
    const port = await open(bookshop(), { hosts: ['books.example'] })
    const statusOf = async (host: string) =>
      (await rawExchange(port, `GET /api/books HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status
    expect(await statusOf('books.example')).toBe(200)
    expect(await statusOf('evil.example')).toBe(421)
  })

  test('several services are found by their base paths', async () => {
    const ping: Service = {
      basePath: '/api/ping',
      respond: async () => respond(200, { 'content-type': 'text/plain' }, 'pong'),
    }
    const port = await open([bookshop(), ping])
    expect(await (await fetch(`http://127.0.0.1:${port}/api/ping`)).text()).toBe('pong')
    expect((await fetch(`http://127.0.0.1:${port}/api/books`)).status).toBe(200)
  })
})

describe('nodeHandler()', () => {
  test('keeps cookies, Vary and headers of middleware before it', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.cookie('session', '1').setHeader('vary', 'Origin')
      res.setHeader('access-control-allow-origin', 'https://shop.example')
      next()
    })
    const service: Service = {
      basePath: '',
      respond: async () => respond(200, { 'set-cookie': ['a=1', 'b=2'], vary: 'Accept' }, 'x'),
    }
    app.use(nodeHandler(service))
    const { headers } = await fetch(`http://127.0.0.1:${await listening(app)}/`)
    expect(headers.getSetCookie()).toEqual(['session=1; Path=/', 'a=1', 'b=2'])
    expect(headers.get('vary')).toBe('Origin, Accept')
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example')
  })

  test('keeps the headers of hooks of Fastify', async () => {
    const app = fastify()
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('access-control-allow-origin', 'https://shop.example').header('vary', 'Origin')
    })
    app.all('/api/*', nodeHandler(bookshop()))
    const { headers } = await fetch(`http://127.0.0.1:${await fastifyPort(app)}/api/books`)
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(headers.get('vary')).toMatch(/^Origin, .*Accept/)
  })

  test('responds to requests that inject of Fastify makes', async () => {
    const app = fastify()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null))
    app.all('/api/*', nodeHandler(bookshop()))
    closings.push(() => app.close())
    const created = await app.inject({
      method: 'POST',
      url: '/api/books',
      payload: { book: { id: 'b1', title: 'Dracula' } },
    })
    expect(created.statusCode).toBe(201)
    const uploaded = await app.inject({
      method: 'POST',
      url: '/api/books/b1/scan',
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.alloc(100_000, 'a'),
    })
    expect(uploaded.statusCode).toBe(200)
    const scan = await app.inject({ method: 'GET', url: '/api/books/b1/scan' })
    expect(scan.rawPayload.length).toBe(100_000)
    const list = await app.inject({ method: 'GET', url: '/api/books' })
    expect(list.json()).toMatchObject({ books: [{ id: 'b1' }] })
    expect((await app.inject({ method: 'GET', url: '/api/books/none' })).statusCode).toBe(404)
  })

  test('serves JSON:API after express.json()', async () => {
    const app = express()
    app.use(express.json(), nodeHandler(bookshop('/api', jsonApi())))
    const port = await listening(app)
    const response = await fetch(`http://127.0.0.1:${port}/api/books`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.api+json' },
      body: '{"data":{"type":"books","id":"b1","attributes":{"title":"Dracula"}}}',
    })
    expect(response.status).toBe(201)
  })

  test('reads a compressed body that express.json() has decoded', async () => {
    const app = express()
    app.use(express.json(), nodeHandler(bookshop()))
    const { gzipSync } = await import('node:zlib')
    const response = await fetch(`http://127.0.0.1:${await listening(app)}/api/books`, {
      method: 'POST',
      headers: { ...json, 'content-encoding': 'gzip' },
      body: gzipSync('{"book":{"id":"b1","title":"Dracula"}}'),
    })
    expect(response.status).toBe(201)
  })

  test('says what to do where a body was read and is lost', async () => {
    const app = express()
    app.use((req, _res, next) => void req.resume().on('end', next))
    app.use(nodeHandler(bookshop()))
    const response = await fetch(`http://127.0.0.1:${await listening(app)}/api/books`, {
      method: 'POST',
      headers: json,
      body: '{"book":{"id":"b1","title":"Dracula"}}',
    })
    expect(response.status).toBe(500)
    expect(String(reported.splice(0)[0])).toContain('Register nodeHandler() before the middleware')
  })

  test('passes mistakes of the framework on', async () => {
    const errors: unknown[] = []
    const app = express()
    app.use((_req, res, next) => {
      res.write('begun')
      next()
    })
    app.use(nodeHandler(bookshop()))
    const onError: express.ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error)
      res.end()
    }
    app.use(onError)
    const response = await fetch(`http://127.0.0.1:${await listening(app)}/api/books`)
    expect(await response.text()).toBe('begun')
    expect(String(errors[0])).toContain('had begun')
  })

  test('reports mistakes where nothing comes after it', async () => {
    const errors: unknown[] = []
    const handler = nodeHandler(bookshop(), { onError: (error) => errors.push(error) })
    const port = await listening((req, res) => {
      res.end('own')
      void handler(req, res)
    })
    expect(await (await fetch(`http://127.0.0.1:${port}/api/books`)).text()).toBe('own')
    expect(String(errors[0])).toContain('had begun')
  })

  test('a service that fails is a 500, and is reported', async () => {
    const errors: unknown[] = []
    const service: Service = {
      basePath: '/api',
      respond: async () => {
        throw new Error('broken')
      },
    }
    const handler = nodeHandler(service, { onError: (error) => errors.push(error) })
    const response = await fetch(`http://127.0.0.1:${await listening(handler)}/api`)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('broken')
    expect(errors).toEqual([new Error('broken')])
  })

  test('works below middleware that replaces write and on, as compression does', async () => {
    const { createGzip } = await import('node:zlib')
    const app = express()
    app.use((_req, res, next) => {
      const gzip = createGzip()
      const { write, end, on } = res
      const plainOn = on.bind(res)
      gzip.on('data', (chunk) => write.call(res, chunk, 'binary'))
      gzip.on('end', () => end.call(res, undefined, 'binary'))
      res.setHeader('content-encoding', 'gzip')
      res.write = ((chunk: Buffer) => gzip.write(chunk)) as never
      res.end = ((chunk?: Buffer) => void gzip.end(chunk)) as never
      res.on = ((type: string, listener: () => void) =>
        type === 'drain' ? gzip.on(type, listener) : plainOn(type, listener)) as never
      next()
    })
    async function* chunks() {
      for (let index = 0; index < 300; index++) yield Buffer.alloc(20_000, `${index} `)
    }
    const service: Service = {
      basePath: '',
      respond: async () => ({
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: { kind: 'stream', chunks: chunks() },
      }),
    }
    app.use(nodeHandler(service))
    const text = await (await fetch(`http://127.0.0.1:${await listening(app)}/`)).text()
    expect(text.length).toBe(300 * 20_000)
    expect(text.endsWith('299 ')).toBe(true)
  })

  test('refuses options and services that it does not know', () => {
    expect(() => nodeHandler([])).toThrow(
      'Expected at least one service in nodeHandler(), such as a router.',
    )
    expect(() => nodeHandler(bookshop(), { limit: {} } as never)).toThrow(
      "Unknown option 'limit' of nodeHandler(). Did you mean 'limits'?",
    )
    expect(() => nodeHandler(bookshop(), { hosts: ['https://a'] })).toThrow(
      "The option 'hosts' of nodeHandler()",
    )
    expect(() => nodeHandler(bookshop(), { limits: { requestTimeoutMs: 0 } })).toThrow(
      'requestTimeoutMs',
    )
  })
})

describe('fetchHandler()', () => {
  test('is a handler of Hono', async () => {
    const app = new Hono()
    app.all('/api/*', fetchHandler(bookshop()))
    const created = await app.request('/api/books', {
      method: 'POST',
      headers: json,
      body: '{"book":{"id":"b1","title":"Dracula"}}',
    })
    expect(created.status).toBe(201)
    expect(await (await app.request('/api/books')).json()).toMatchObject({ books: [{ id: 'b1' }] })
    expect((await app.request('/other')).status).toBe(404)
  })

  test('reads a body that middleware of Hono has parsed', async () => {
    const app = new Hono()
    app.use(async (context, next) => {
      await context.req.json()
      await next()
    })
    app.all('/api/*', fetchHandler(bookshop()))
    const created = await app.request('/api/books', {
      method: 'POST',
      headers: json,
      body: '{"book":{"id":"b1","title":"Dracula"}}',
    })
    expect(created.status).toBe(201)
  })

  test('takes a request, or an object with one as SvelteKit and Astro pass it', async () => {
    const handle = fetchHandler(bookshop())
    const request = () => new Request('http://localhost/api/books')
    for (const argument of [request(), { request: request() }, { req: { raw: request() } }])
      expect(await (await handle(argument)).json()).toEqual({ books: [] })
  })

  test('serves several services, and 404 beside them', async () => {
    const ping: Service = { basePath: '/ping', respond: async () => respond(200, {}, 'pong') }
    const handle = fetchHandler([bookshop(), ping])
    expect(await (await handle(new Request('http://localhost/ping'))).text()).toBe('pong')
    const missing = await handle(new Request('http://localhost/pin'))
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json',
    ])
  })

  test('gives the address that its option finds', async () => {
    const seen: unknown[] = []
    const service: Service = {
      basePath: '',
      respond: async ({ address }) => respond(200, {}, String(seen.push(address))),
    }
    const address = (_input: unknown, info: unknown) =>
      (info as { readonly ip: string } | undefined)?.ip
    const handle = fetchHandler(service, { address })
    await handle(new Request('http://localhost/'), { ip: '203.0.113.7' })
    await handle(new Request('http://localhost/'))
    expect(seen).toEqual(['203.0.113.7', undefined])
  })

  test('reports errors of services, and refuses options that it does not know', async () => {
    const errors: unknown[] = []
    const service: Service = {
      basePath: '',
      respond: async () => {
        throw new Error('broken')
      },
    }
    const handle = fetchHandler(service, { onError: (error) => errors.push(error) })
    expect((await handle(new Request('http://localhost/'))).status).toBe(500)
    expect(errors).toEqual([new Error('broken')])
    expect(() => fetchHandler(service, { onErr: () => {} } as never)).toThrow(
      "Unknown option 'onErr' of fetchHandler()",
    )
  })
})
