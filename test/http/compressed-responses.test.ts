import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib'
import {
  type ApiResponse,
  createRouter,
  file,
  hash,
  model,
  type Router,
  type RouterOptions,
  respond,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { failOnFault, storeForTest, storeKinds } from './service.ts'

class Book extends model(
  'book',
  { title: z.string(), note: z.string(), hash: hash(), scan: file() },
  { ids: 'client' },
) {}
class Tag extends model('tag', { name: z.string() }, { ids: 'client' }) {}

const longNote = 'All the world’s a stage. '.repeat(100)
const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

async function library(options: Partial<RouterOptions> = {}, count = 40): Promise<Router> {
  const router = createRouter({
    policy: rest({ jsonLines: true }),
    basePath: '/api',
    store: memory(),
    blobs: memoryBlobs(),
    compression: true,
    docsPage: true,
    onError: failOnFault,
    ...options,
  })
  router.prepare(Book)
  router.prepare(Tag)
  await router.load(
    Book,
    Array.from({ length: count }, (_, index) => ({
      id: `b${index}`,
      title: `Book ${index}`,
      note: index === 0 ? 'short' : longNote,
    })),
  )
  await router.load(Tag, [{ id: 't1', name: longNote }])
  return router
}

interface Read {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Decoded. */
  readonly text: string
  /** As sent. */
  readonly bytes: Buffer
}

type Headers = Readonly<Record<string, string>>

async function send(
  router: Router,
  method: string,
  target: string,
  headers: Headers,
): Promise<Read> {
  const [path = '', query = ''] = target.split('?')
  return read(await router.respond({ method, path, query, headers, body: undefined }))
}

async function read({ status, headers, body }: ApiResponse): Promise<Read> {
  const parts: Uint8Array[] = []
  if (body.kind === 'text') parts.push(Buffer.from(body.text))
  if (body.kind === 'bytes') parts.push(body.bytes)
  if (body.kind === 'buffers') parts.push(...body.buffers)
  if (body.kind === 'stream')
    for await (const chunk of body.chunks) parts.push(Buffer.from(chunk as Uint8Array))
  const bytes = Buffer.concat(parts)
  const coding = headers['content-encoding']
  const decoded =
    bytes.length === 0
      ? bytes
      : coding === 'br'
        ? brotliDecompressSync(bytes)
        : coding === 'gzip'
          ? gunzipSync(bytes)
          : bytes
  return { status, headers: headers as Read['headers'], text: String(decoded), bytes }
}

const get = (router: Router, target: string, headers: Headers = {}) =>
  send(router, 'GET', target, headers)

const gzip = { 'accept-encoding': 'gzip' }

describe.each(storeKinds)('On %s', (kind) => {
  test('lists and items are the same in every coding', async () => {
    const router = await library({ store: await storeForTest(kind) })
    for (const target of [
      '/api/books',
      '/api/books?sort=-title',
      '/api/books?page[size]=20',
      '/api/books/b1',
      '/api/books/b1?fields[books]=note',
    ]) {
      const plain = await get(router, target)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers.vary).toBe('Accept, Accept-Encoding')
      for (const coding of ['gzip', 'br']) {
        const response = await get(router, target, { 'accept-encoding': coding })
        expect(response.headers['content-encoding'], target).toBe(coding)
        expect(response.headers.vary).toBe('Accept, Accept-Encoding')
        expect(response.text).toBe(plain.text)
        expect(response.bytes.length).toBeLessThan(plain.bytes.length / 2)
      }
    }
  })

  test('a long list is compressed while it is read', async () => {
    const router = await library({ store: await storeForTest(kind) }, 2_000)
    const plain = await get(router, '/api/books')
    const response = await get(router, '/api/books', gzip)
    expect(response.text).toBe(plain.text)
    expect(response.headers['content-encoding']).toBe('gzip')
  })
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0, gzip', 'gzip'],
  ['deflate', undefined],
] as const)('Accept-Encoding: %s gets %s', async (header, coding) => {
  const router = await library()
  const headers: Headers = header === undefined ? {} : { 'accept-encoding': header }
  expect((await get(router, '/api/books', headers)).headers['content-encoding']).toBe(coding)
})

test('short responses are compressed only for clients that accept nothing else', async () => {
  const router = await library()
  for (const target of [
    '/api/books/b0',
    '/api/books?filter[id]=b0',
    '/api/books?filter[id]=x',
    '/api/x',
  ]) {
    const short = await get(router, target, gzip)
    expect(short.headers['content-encoding'], target).toBeUndefined()
    expect(short.headers.vary).toContain('Accept-Encoding')
    const demanded = await get(router, target, { 'accept-encoding': 'gzip, identity;q=0' })
    expect(demanded.headers['content-encoding'], target).toBe('gzip')
    expect(demanded.text).toBe(short.text)
  }
})

test('errors, lines of JSON and JSON:API are compressed, too', async () => {
  const long = `/api/books?${Array.from({ length: 30 }, (_, index) => `x${index}=1`).join('&')}`
  const error = await get(await library(), long, gzip)
  expect([error.status, error.headers['content-encoding']]).toEqual([400, 'gzip'])
  const lines = await get(await library(), '/api/books', { ...gzip, accept: 'application/jsonl' })
  expect(lines.headers['content-encoding']).toBe('gzip')
  expect(lines.text.trim().split('\n')).toHaveLength(40)
  const document = await get(await library({ policy: jsonApi() }), '/api/books', gzip)
  expect(document.headers['content-encoding']).toBe('gzip')
  expect(JSON.parse(document.text).data).toHaveLength(40)
})

test('every coding has its own strong tag, and each of them leads to 304', async () => {
  const router = await library()
  for (const target of ['/api/books/b1', '/api/books/b1?fields[books]=note']) {
    const tags = new Set<string>()
    for (const coding of ['identity', 'gzip', 'br']) {
      const accept = { 'accept-encoding': coding }
      const { headers } = await get(router, target, accept)
      tags.add(headers.etag!)
      for (const method of ['GET', 'HEAD']) {
        const again = await send(router, method, target, {
          ...accept,
          'if-none-match': headers.etag!,
        })
        expect([again.status, again.headers.etag, again.headers['content-encoding']]).toEqual([
          304,
          headers.etag,
          undefined,
        ])
        expect(again.headers.vary).toBe('Accept, Accept-Encoding')
      }
    }
    expect(tags.size).toBe(3)
    const [plain, gzipped] = [...tags]
    // Without the coding, the client could not read what it has.
    expect((await get(router, target, { 'if-none-match': gzipped! })).status).toBe(200)
    expect((await get(router, target, { ...gzip, 'if-none-match': plain! })).headers.etag).toBe(
      plain,
    )
    expect((await get(router, target, { ...gzip, 'if-none-match': '"x.gzip"' })).status).toBe(200)
    expect((await get(router, target, { ...gzip, 'if-none-match': '*' })).status).toBe(304)
  }
})

test('weak tags are those of all codings', async () => {
  const router = await library()
  const { etag } = (await get(router, '/api/tags/t1')).headers
  const compressed = await get(router, '/api/tags/t1', gzip)
  expect([compressed.headers['content-encoding'], compressed.headers.etag]).toEqual(['gzip', etag])
  expect((await get(router, '/api/tags/t1', { ...gzip, 'if-none-match': etag! })).status).toBe(304)
})

test('the tag of a compressed version guards writes until the item changes', async () => {
  const router = await library()
  const patch = async (etag: string, title: string) => {
    const body = new TextEncoder().encode(JSON.stringify({ book: { title } }))
    const headers = {
      'content-type': 'application/json',
      'if-match': etag,
      'accept-encoding': 'gzip',
    }
    return router.handle(
      new Request('http://localhost/api/books/b1', { method: 'PATCH', headers, body }),
    )
  }
  const { etag } = (await get(router, '/api/books/b1', gzip)).headers
  const changed = await patch(etag!, 'New')
  expect([changed.status, changed.headers.get('content-encoding')]).toEqual([200, 'gzip'])
  expect((await patch(etag!, 'Newer')).status).toBe(412)
  expect((await patch(changed.headers.get('etag')!, 'Newer')).status).toBe(200)
})

test('HEAD has the headers of GET', async () => {
  const router = await library()
  const [head, plain] = await Promise.all([
    send(router, 'HEAD', '/api/books/b1', gzip),
    get(router, '/api/books/b1', gzip),
  ])
  expect(head.headers).toEqual(plain.headers)
  expect(head.bytes).toHaveLength(0)
  const web = await router.handle(
    new Request('http://localhost/api/books/b1', { method: 'HEAD', headers: gzip }),
  )
  expect(web.headers.get('content-length')).toBeNull()
  const list = await send(router, 'HEAD', '/api/books', gzip)
  expect([list.status, list.headers.vary]).toEqual([200, 'Accept, Accept-Encoding'])
})

test('files, their ranges and what hooks forbid to transform are sent as they are', async () => {
  const router = await library()
  const bytes = new TextEncoder().encode(longNote)
  await router.loadResource(Book, { id: 'b1', path: 'scan' }, { bytes, contentType: 'text/plain' })
  for (const range of [{}, { range: 'bytes=0-1999' }]) {
    const { headers, bytes: sent } = await get(router, '/api/books/b1/scan', { ...gzip, ...range })
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined])
    expect(sent.equals(Buffer.from(bytes).subarray(0, sent.length))).toBe(true)
    const again = await get(router, '/api/books/b1/scan', {
      ...gzip,
      'if-none-match': headers.etag!,
    })
    expect([again.status, again.headers.vary]).toEqual([304, undefined])
  }
})

test('headers of hooks decide what is compressed', async () => {
  const router = createRouter({ policy: rest(), store: memory(), compression: true })
  let headers: Headers = {}
  router.prepare(Tag).use({ around: () => respond(200, headers, longNote) })
  const codingWith = async (given: Headers) => {
    headers = given
    const { headers: sent, text } = await get(router, '/tags', gzip)
    expect(text).toBe(longNote)
    return sent['content-encoding']
  }
  expect(await codingWith({ 'content-type': 'text/plain' })).toBe('gzip')
  expect(await codingWith({ 'content-type': 'image/svg+xml' })).toBeUndefined()
  expect(await codingWith({ 'content-type': 'application/problem+json; charset=utf-8' })).toBe(
    'gzip',
  )
  expect(await codingWith({ 'content-type': 'image/png' })).toBeUndefined()
  expect(await codingWith({})).toBeUndefined()
  expect(
    await codingWith({ 'content-type': 'text/plain', 'cache-control': 'no-transform' }),
  ).toBeUndefined()
  expect(
    await codingWith({ 'content-type': 'text/plain', 'repr-digest': 'sha-256=:AA==:' }),
  ).toBeUndefined()
})

/** Lines that come when the test says so. */
function slowStream() {
  const state = { isClosed: false, continue: (): void => undefined }
  const chunks = (async function* () {
    try {
      for (let index = 0; ; index++) {
        yield `{"line":${index}}\n`
        await new Promise<void>((resolve) => {
          state.continue = resolve
        })
      }
    } finally {
      state.isClosed = true
    }
  })()
  return { state, chunks }
}

async function serveStream(chunks: AsyncIterable<string>): Promise<number> {
  const router = createRouter({ policy: rest(), store: memory(), compression: true })
  const headers = { 'content-type': 'application/jsonl' }
  router.prepare(Tag).use({
    around: async () => ({ status: 200, headers, body: { kind: 'stream', chunks } }),
  })
  const server = await serve(router)
  closings.push(() => server.close())
  return server.port
}

async function open(port: number, encoding: string): Promise<IncomingMessage> {
  const req = httpRequest({ port, path: '/tags', headers: { 'accept-encoding': encoding } }).end()
  const [response] = (await once(req, 'response')) as [IncomingMessage]
  return response
}

test('a stream that pauses is flushed, and closed when the client leaves', async () => {
  const { state, chunks } = slowStream()
  const response = await open(await serveStream(chunks), 'gzip')
  const lines = response.pipe(createGunzip().on('error', () => undefined))
  const [first] = await once(lines, 'data')
  expect(String(first)).toBe('{"line":0}\n')
  state.continue()
  const [second] = await once(lines, 'data')
  expect(String(second)).toBe('{"line":1}\n')
  response.destroy()
  const deadline = Date.now() + 5_000
  while (!state.isClosed && Date.now() < deadline) {
    state.continue()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(state.isClosed).toBe(true)
})

test('an error of the source reaches the client as a broken response', async () => {
  const chunks = (async function* () {
    yield 'x'.repeat(100_000)
    throw new Error('disk full')
  })()
  const port = await serveStream(chunks)
  const readAll = async () => {
    for await (const _ of await open(port, 'br'));
  }
  await expect(readAll()).rejects.toThrow(/aborted|socket hang up/)
})

test('the document names the header, and only where responses are compressed', async () => {
  const headersOf = (router: Router) =>
    JSON.stringify(router.toOpenApi().paths['/books']?.get?.responses['200'])
  expect(headersOf(await library())).toContain('Content-Encoding')
  expect(headersOf(await library({ compression: false }))).not.toContain('Content-Encoding')
})

test('nothing is compressed without the option, or with other codings', async () => {
  const off = await get(await library({ compression: false }), '/api/books', gzip)
  expect([off.headers['content-encoding'], off.headers.vary]).toEqual([undefined, 'Accept'])
  const brOnly = await library({ compression: { encodings: ['br'] } })
  expect((await get(brOnly, '/api/books', gzip)).headers['content-encoding']).toBeUndefined()
  const high = await library({ compression: { thresholdBytes: 10_000_000 } })
  expect((await get(high, '/api/books', gzip)).headers['content-encoding']).toBeUndefined()
  const gzipFirst = await library({ compression: { encodings: ['gzip', 'br'] } })
  const both = await get(gzipFirst, '/api/books', { 'accept-encoding': 'br, gzip' })
  expect(both.headers['content-encoding']).toBe('gzip')
})

test.each([
  [{ encodings: [] }, "'br', 'gzip' or both; got []"],
  [{ encodings: ['zip'] }, 'got ["zip"]'],
  [{ thresholdBytes: -1 }, 'thresholdBytes'],
  [{ threshold: 1 }, "Did you mean 'thresholdBytes'?"],
  ['gzip', "'compression'"],
])('compression: %j is refused', async (compression, message) => {
  await expect(library({ compression: compression as never })).rejects.toThrow(message)
})
