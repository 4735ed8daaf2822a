import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { createRouter, model, RegistrationError, respond } from 'resourcery'
import { type FetchHandler, fetchHandler } from 'resourcery/fetch'
import { memory } from 'resourcery/memory'
import { type LogEntry, nodeHandler, type RequestLog, type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../src/adapter/raw-client.testing.ts'

const Book = model('book', { title: z.string() })
const User = z.object({ id: z.string() })

function bookRouter() {
  const errors: unknown[] = []
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    onError: (error, context) => errors.push([error, context?.request.trace?.requestId]),
    security: {
      callerSchema: User,
      authentication: [
        {
          name: 'token',
          scheme: { type: 'http', scheme: 'bearer' },
          authenticate: ({ headers }) => {
            const id = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
            return id === undefined ? undefined : { caller: { id } }
          },
        },
      ],
    },
  })
  router.prepare(Book).use({
    request: {
      delete_: () => {
        throw new TypeError('of a hook')
      },
    },
  })
  return { router, errors }
}

/** Fails after the first part of its response. */
const broken: Service = {
  basePath: '/broken',
  respond: async () => ({
    status: 200,
    headers: {},
    body: {
      kind: 'stream',
      chunks: (async function* () {
        yield 'first'
        throw new TypeError('of a stream')
      })(),
    },
  }),
}

const hosts = {
  async serve(log: RequestLog) {
    const { router, errors } = bookRouter()
    const reports = router.service('/reports', () => respond(200, {}, 'the report'))
    const server = await serve([router, reports, broken], { log, onError: () => undefined })
    onTestFinished(() => server.close())
    await router.load(Book, [{ id: 'b-1', title: 'Emma' }])
    return { address: server.address, errors }
  },
  async nodeHandler(log: RequestLog) {
    const { router, errors } = bookRouter()
    const reports = router.service('/reports', () => respond(200, {}, 'the report'))
    const server = createServer(
      nodeHandler([router, reports, broken], { log, onError: () => undefined }),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    await router.load(Book, [{ id: 'b-1', title: 'Emma' }])
    return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, errors }
  },
  async fetchHandler(log: RequestLog): Promise<{ address: FetchHandler; errors: unknown[] }> {
    const { router, errors } = bookRouter()
    const reports = router.service('/reports', () => respond(200, {}, 'the report'))
    await router.open()
    onTestFinished(() => router.close())
    await router.load(Book, [{ id: 'b-1', title: 'Emma' }])
    return {
      address: fetchHandler([router, reports, broken], { log, onError: () => undefined }),
      errors,
    }
  },
}

async function send(
  address: string | FetchHandler,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const response =
    typeof address === 'string'
      ? await fetch(address + path, { ...init, headers: { connection: 'close', ...init.headers } })
      : await address(new Request(`http://localhost${path}`, init))
  await response.arrayBuffer()
  return response
}

const create = (title: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ book: { title } }),
})

test.each(Object.entries(hosts))(
  '%s logs templates of paths, and codes of errors',
  async (_, open) => {
    const entries: LogEntry[] = []
    const { address } = await open((entry) => entries.push(entry))
    await send(address, '/api/books/b-1')
    await send(address, '/api/books?filter[title]=secret')
    await send(address, '/api/books/nobody')
    await send(address, '/api/books', create(7))
    await send(address, '/api/boooks/b-1')
    await send(address, '/reports')
    await send(address, '/reports/july')
    await send(address, '/elsewhere/b-1')
    await eventually(() => entries.length === 8)
    expect(entries.map(({ method, route, status, code }) => [method, route, status, code])).toEqual(
      [
        ['GET', '/api/books/{id}', 200, undefined],
        ['GET', '/api/books', 200, undefined],
        ['GET', '/api/books/{id}', 404, 'not-found'],
        ['POST', '/api/books', 422, 'invalid-member'],
        ['GET', '/api/*', 404, 'not-found'],
        ['GET', '/reports', 200, undefined],
        ['GET', '/reports/*', 200, undefined],
        ['GET', undefined, 404, undefined],
      ],
    )
    // Ids of requests are random, and may have any of the texts in them.
    const texts = JSON.stringify(entries.map((entry) => ({ ...entry, requestId: '' })))
    expect(texts).not.toMatch(/b-1|nobody|secret/)
  },
)

test.each(Object.entries(hosts))(
  '%s logs an unexpected error with the id of its request',
  async (_, open) => {
    const entries: LogEntry[] = []
    const { address, errors } = await open((entry) => entries.push(entry))
    const response = await send(address, '/api/books/b-1', { method: 'DELETE' })
    expect(response.status).toBe(500)
    await eventually(() => entries.length === 1)
    expect(entries[0]).toMatchObject({ status: 500, code: 'internal-error' })
    expect(entries[0]?.error).toEqual(new TypeError('of a hook'))
    const id = response.headers.get('x-request-id')
    expect(entries[0]?.requestId).toBe(id)
    expect(errors).toEqual([[new TypeError('of a hook'), id]])
  },
)

test.each(Object.entries(hosts))(
  '%s takes the id and the trace of a client, if logs can hold them',
  async (_, open) => {
    const entries: LogEntry[] = []
    const { address } = await open((entry) => entries.push(entry))
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const known = await send(address, '/api/books', {
      headers: { 'x-request-id': 'client-7', traceparent },
    })
    expect(known.headers.get('x-request-id')).toBe('client-7')
    const unknown = await send(address, '/nothing', {
      headers: { 'x-request-id': 'a b', traceparent: 'ff-1' },
    })
    expect(unknown.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
    await eventually(() => entries.length === 2)
    expect(entries.map(({ requestId, traceId }) => [requestId, traceId])).toEqual([
      ['client-7', '4bf92f3577b34da6a3ce929d0e0e4736'],
      [unknown.headers.get('x-request-id'), undefined],
    ])
  },
)

test.each(Object.entries(hosts))(
  '%s names callers and paths where options say so',
  async (_, open) => {
    const entries: LogEntry[] = []
    const { address } = await open({
      to: (entry) => entries.push(entry),
      withPath: true,
      callerId: (caller) => (caller as z.infer<typeof User>).id,
    })
    const headers = { authorization: 'Bearer jane' }
    await send(address, '/api/books/b-1?token=secret', { headers })
    await send(address, '/reports', { headers })
    await send(address, '/api/books')
    await eventually(() => entries.length === 3)
    expect(entries.map(({ path, caller }) => [path, caller])).toEqual([
      ['/api/books/b-1', 'jane'],
      ['/reports', 'jane'],
      ['/api/books', undefined],
    ])
    expect(JSON.stringify(entries)).not.toMatch(/Bearer|secret/)
  },
)

test.each(Object.entries(hosts))('%s gives entries to pino', async (_, open) => {
  const lines: Record<string, unknown>[] = []
  const { address } = await open(
    pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  )
  await send(address, '/api/books/b-1')
  await send(address, '/api/books/b-1', { method: 'DELETE' })
  // serve() also says where it listens.
  const ofRequests = () => lines.filter(({ route }) => route !== undefined)
  await eventually(() => ofRequests().length === 2)
  const [first, second] = ofRequests()
  expect(first).toMatchObject({
    level: 30,
    msg: 'GET /api/books/{id} 200',
    route: '/api/books/{id}',
    status: 200,
  })
  expect(second).toMatchObject({
    level: 50,
    msg: 'DELETE /api/books/{id} 500',
    err: { type: 'TypeError', message: 'of a hook' },
  })
})

test('without a log, there is no id and no trace', async () => {
  const { router } = bookRouter()
  const seen: unknown[] = []
  router.use({ request: { any: ({ request }) => void seen.push(request.trace) } })
  const server = await serve(router)
  onTestFinished(() => server.close())
  const response = await send(server.address, '/api/books', { headers: { 'x-request-id': 'a' } })
  expect(response.headers.has('x-request-id')).toBe(false)
  expect(seen).toEqual([undefined])
})

test.each([
  [1, "The option 'log' of serve() must be false, true, a function, or a logger"],
  ['pino', "such as pino(); got 'pino'"],
  [{ to: 'pino' }, "The option 'to' of the option 'log' of serve() must be undefined, a function"],
  [{ callerId: 'id' }, "'callerId' of the option 'log' of serve() must be a function; got 'id'"],
  [{ withPaths: true }, "Did you mean 'withPath'?"],
  [{ withPath: 1 }, 'must be true or false'],
])('serve refuses the log %j', async (log, message) => {
  const open = () => serve(bookRouter().router, { log: log as never })
  await expect(open).rejects.toThrow(RegistrationError)
  await expect(open).rejects.toThrow(message)
})

test('fetchHandler logs a stream once it is read, and as aborted where nobody reads all of it', async () => {
  const entries: LogEntry[] = []
  const { router } = bookRouter()
  await router.load(
    Book,
    Array.from({ length: 5_000 }, (_, index) => ({ id: `b-${index}`, title: 'Emma' })),
  )
  const handle = fetchHandler(router, { log: (entry) => entries.push(entry), serverTiming: true })
  const whole = await handle(new Request('http://localhost/api/books'))
  expect(entries).toEqual([])
  expect(whole.headers.get('server-timing')).toMatch(/store;dur=/)
  const { byteLength } = await whole.arrayBuffer()
  expect(entries[0]).toMatchObject({ status: 200, bytes: byteLength, isAborted: false })
  const partly = await handle(new Request('http://localhost/api/books'))
  const reader = partly.body!.getReader()
  await reader.read()
  await reader.cancel()
  await eventually(() => entries.length === 2)
  expect(entries[1]).toMatchObject({ status: 200, isAborted: true })
})

test('fetchHandler logs a request whose client left before the first part of the stream', async () => {
  const entries: LogEntry[] = []
  const { router } = bookRouter()
  await router.load(
    Book,
    Array.from({ length: 5_000 }, (_, index) => ({ id: `b-${index}`, title: 'Emma' })),
  )
  const handle = fetchHandler(router, { log: (entry) => entries.push(entry) })
  await handle(new Request('http://localhost/api/books', { signal: AbortSignal.abort() }))
  expect(await eventually(() => entries.length === 1)).toBe(true)
})

test.each(Object.entries(hosts))(
  '%s reports a logger or a callerId that fails later, and logs the rest',
  async (_, open) => {
    const entries: LogEntry[] = []
    const { address } = await open({
      to: (entry) => entries.push(entry),
      callerId: (() => Promise.reject(new Error('no caller'))) as never,
    })
    await send(address, '/api/books', { headers: { authorization: 'Bearer jane' } })
    await eventually(() => entries.length === 1)
    expect(entries[0]).not.toHaveProperty('caller')
    const failing = async () => {
      throw new Error('disk full')
    }
    const { address: other } = await open({ info: failing, error: failing })
    expect((await send(other, '/api/books')).status).toBe(200)
  },
)

test.each(Object.entries(hosts))(
  '%s logs a response that the service breaks with its error, and not as aborted by the client',
  async (_, open) => {
    const entries: LogEntry[] = []
    const { address } = await open((entry) => entries.push(entry))
    await expect(send(address, '/broken')).rejects.toThrow()
    await eventually(() => entries.length === 1)
    expect(entries[0]).toMatchObject({ status: 200, isAborted: false, code: 'internal-error' })
    expect(entries[0]?.error).toEqual(new TypeError('of a stream'))
  },
)
