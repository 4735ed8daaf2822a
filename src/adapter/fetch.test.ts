import { expect, test } from 'vitest'
import { type ApiError, createApiError } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { sharedChunk } from '../http/shared-chunk.ts'
import { fetchResponse } from './fetch.ts'
import { trackedStream } from './tracked-stream.testing.ts'

const serviceOf = (respond: (request: ApiRequest) => Promise<ApiResponse>) => ({
  basePath: '',
  respond,
})
const url = 'http://localhost/api/a%2Fb?x=%41'

function streamed(chunks: AsyncIterable<string | Uint8Array>, length?: number) {
  return serviceOf(async () => ({
    status: 200,
    headers: {},
    body: { kind: 'stream', chunks, ...(length !== undefined && { length }) },
  }))
}

test('a web request arrives as plain values', async () => {
  let seen: ApiRequest | undefined
  const service = serviceOf(async (request) => {
    seen = request
    return respond(200, { 'content-type': 'text/plain', etag: '"v1"' }, 'größe')
  })
  const response = await fetchResponse(service, new Request(url, { headers: { 'X-A': '1' } }))
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/plain',
    etag: '"v1"',
    'content-length': '7',
  })
  expect(await response.text()).toBe('größe')
  expect(seen).toMatchObject({
    method: 'GET',
    path: '/api/a%2Fb',
    query: 'x=%41',
    headers: { 'x-a': '1' },
    body: undefined,
  })
})

test('who reads a response may change its bytes, which others get too', async () => {
  const shared = sharedChunk('abc') as Uint8Array
  for (let times = 0; times < 2; times++) {
    const { body } = await fetchResponse(streamed(trackedStream(shared)), new Request(url))
    const { value } = await body!.getReader().read()
    expect(Buffer.from(value!).toString()).toBe('abc')
    value!.fill(0)
    structuredClone(value, { transfer: [value!.buffer] })
  }
  expect(Buffer.from(shared).toString()).toBe('abc')
})

test('HEAD has the head of GET, and closes the stream unread', async () => {
  const chunks = trackedStream('a', 'b')
  const response = await fetchResponse(streamed(chunks, 5), new Request(url, { method: 'HEAD' }))
  expect(response.headers.get('content-length')).toBe('5')
  expect(response.body).toBe(null)
  expect(chunks).toMatchObject({ pullCount: 0, isClosed: true })
})

test.each([
  ['whose status has no body', 204, {}],
  ['whose status is none', 99, {}],
  ['with a header that cannot be sent', 200, { 'x-broken': 'a\r\nb' }],
])('a response %s closes its stream', async (_, status, headers) => {
  const chunks = trackedStream('a')
  const service = serviceOf(async () => ({ status, headers, body: { kind: 'stream', chunks } }))
  await fetchResponse(service, new Request(url), () => {})
  expect(chunks).toMatchObject({ pullCount: 0, isClosed: true })
})

test('a response to a client that has left closes its stream', async () => {
  const leaving = new AbortController()
  const chunks = trackedStream('a', 'b')
  const service = serviceOf(async () => {
    leaving.abort()
    return { status: 200, headers: {}, body: { kind: 'stream', chunks } }
  })
  await fetchResponse(service, new Request(url, { signal: leaving.signal }))
  expect(chunks.isClosed).toBe(true)
})

test('204 and 304 have no body', async () => {
  for (const status of [204, 304]) {
    const response = await fetchResponse(
      serviceOf(async () => respond(status, {}, 'x')),
      new Request(url),
    )
    expect([response.status, response.body]).toEqual([status, null])
  }
})

test('bodies are read up to the limit', async () => {
  const service = serviceOf(async ({ body }) => {
    try {
      return respond(200, {}, Buffer.from(await body!.bytes(10)).toString())
    } catch (error) {
      return respond((error as ApiError).status)
    }
  })
  const post = async (body: string | ReadableStream, headers: Record<string, string> = {}) => {
    const init: RequestInit = { method: 'POST', body, headers, duplex: 'half' }
    return fetchResponse(service, new Request(url, init))
  }
  const pieces = (...texts: string[]) => ReadableStream.from(texts.map((text) => Buffer.from(text)))
  expect(await (await post('0123456789')).text()).toBe('0123456789')
  expect(await (await post(pieces('01', '23'))).text()).toBe('0123')
  expect((await post('0123456789a')).status).toBe(413)
  expect((await post('x', { 'content-length': '11' })).status).toBe(413)
  expect((await post(pieces('0123456789', 'a', 'b'))).status).toBe(413)
  expect((await post(ReadableStream.from(failing()))).status).toBe(400)
})

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a')
  throw new Error('lost')
}

test('a body is streamed, and given up when nobody wants the rest', async () => {
  let cancelled = false
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.from('abc')),
    cancel: () => {
      cancelled = true
    },
  })
  const service = serviceOf(async (request) => {
    for await (const chunk of request.body!.stream())
      return respond(200, {}, Buffer.from(chunk).toString())
    return respond(500)
  })
  const init: RequestInit = { method: 'POST', body, duplex: 'half' }
  expect(await (await fetchResponse(service, new Request(url, init))).text()).toBe('abc')
  expect(cancelled).toBe(true)
})

test('streams are pulled as they are read, and closed when the reader leaves', async () => {
  let pulled = 0
  let open = true
  async function* endless() {
    try {
      for (;;) {
        pulled += 1
        yield 'x'
      }
    } finally {
      open = false
    }
  }
  const response = await fetchResponse(streamed(endless()), new Request(url))
  const reader = response.body!.getReader()
  await reader.read()
  await reader.read()
  expect(pulled).toBeLessThan(5)
  await reader.cancel()
  expect(open).toBe(false)
})

test('streams are closed when the request is aborted', async () => {
  let open = true
  async function* endless() {
    try {
      for (;;) yield 'x'
    } finally {
      open = false
    }
  }
  const abort = new AbortController()
  const response = await fetchResponse(
    streamed(endless()),
    new Request(url, { signal: abort.signal }),
  )
  const reader = response.body!.getReader()
  await reader.read()
  abort.abort()
  await expect(reader.read()).rejects.toThrow()
  expect(open).toBe(false)
})

test('a body in several parts arrives as one', async () => {
  const parts = ['größe ', 'und ', 'mehr'].map((text) => Buffer.from(text))
  const body = { kind: 'buffers', buffers: parts } as const
  const service = { basePath: '', respond: async () => ({ status: 200, headers: {}, body }) }
  const response = await fetchResponse(service, new Request(url))
  expect(response.headers.get('content-length')).toBe('16')
  expect(await response.text()).toBe('größe und mehr')
})

test('a whole stream arrives as text and bytes, a broken one as a broken one', async () => {
  const faults: unknown[] = []
  async function* pieces(fail: boolean) {
    yield 'a'
    yield Uint8Array.of(98)
    if (fail) throw new Error('broken')
  }
  const whole = await fetchResponse(streamed(pieces(false), 2), new Request(url))
  expect(whole.headers.get('content-length')).toBe('2')
  expect(await whole.text()).toBe('ab')
  const report = (error: unknown) => faults.push(error)
  await expect(
    (await fetchResponse(streamed(pieces(true)), new Request(url), report)).text(),
  ).rejects.toThrow('broken')
  await expect(
    (await fetchResponse(streamed(pieces(false), 3), new Request(url), report)).text(),
  ).rejects.toThrow('3')
  expect(faults).toHaveLength(2)
})

test('faults are an opaque 500, refusals are themselves', async () => {
  const faults: unknown[] = []
  const away = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(createApiError('store-unavailable', 'Away.')),
    }),
  }
  const cases: [ReturnType<typeof serviceOf>, number][] = [
    [serviceOf(() => Promise.reject(new Error('secret'))), 500],
    [serviceOf(async () => respond(200, { location: 'secret\r\nset-cookie: a=1' }, 'x')), 500],
    [serviceOf(async () => respond(101)), 500],
    [streamed(away), 503],
  ]
  for (const [service, status] of cases) {
    const response = await fetchResponse(service, new Request(url), (error) => faults.push(error))
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('secret')
  }
  expect(faults).toHaveLength(3)
})
