import {
  createRouter,
  file,
  model,
  RegistrationError,
  type RouterOptions,
  toMany,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Note = model('note', { text: z.string().default(''), scan: file(), tags: toMany('tag') })
const Tag = model('tag', { name: z.string().default('') })

const kinds = [
  { name: 'plain REST', policy: rest, type: 'application/json', document: { note: { text: 'x' } } },
  {
    name: 'JSON:API',
    policy: jsonApi,
    type: 'application/vnd.api+json',
    document: { data: { type: 'notes', id: 'n-1', attributes: { text: 'x' } } },
  },
] as const

type Headers = Readonly<Record<string, string>>
const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }

describe.each(kinds)('A page of another site, under $name', ({ name, policy, type, document }) => {
  const started = async (options: Partial<RouterOptions> = {}) => {
    const pinned: string[] = []
    const router = createRouter({
      policy: policy(),
      store: memory(),
      blobs: memoryBlobs(),
      ...options,
    })
    router.prepare(Note).itemOperation('pin', ({ id }) => void pinned.push(id))
    router.prepare(Tag)
    await router.load(Note, [{ id: 'n-1' }])
    const send = async (method: string, path: string, headers: Headers, body?: string) => {
      const request = new Request(`http://shop.example${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      })
      const response = await router.handle(request)
      const text = await response.text()
      return {
        status: response.status,
        code: text && (JSON.parse(text).errors?.[0]?.code as string | undefined),
      }
    }
    return { send, pinned }
  }

  const text = JSON.stringify(document)
  const changes: readonly [
    what: string,
    method: string,
    path: string,
    contentType?: string,
    body?: string,
  ][] = [
    ['create', 'POST', '/notes', type, text],
    ['update', 'PATCH', '/notes/n-1', type, text],
    ['delete', 'DELETE', '/notes/n-1'],
    ['call an action without a body', 'POST', '/notes/n-1/pin'],
    ['upload', 'POST', '/notes/n-1/scan', 'text/plain', 'bytes'],
    ['clear a file', 'DELETE', '/notes/n-1/scan'],
    ...(name === 'plain REST'
      ? []
      : [
          [
            'change a relationship',
            'PATCH',
            '/notes/n-1/relationships/tags',
            type,
            '{"data":[]}',
          ] as const,
          [
            'send a batch',
            'POST',
            '/operations',
            `${type};ext="https://jsonapi.org/ext/atomic"`,
            '{"atomic:operations":[{"op":"remove","ref":{"type":"notes","id":"n-1"}}]}',
          ] as const,
        ]),
  ] as never

  it.each(changes)('cannot %s', async (_, method, path, contentType, body) => {
    const { send, pinned } = await started()
    const typed = contentType === undefined ? {} : { 'content-type': contentType }
    for (const headers of [
      evil,
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.shop.example' },
      { 'sec-fetch-site': 'something new' },
      { origin: 'https://evil.example' },
      { origin: 'http://shop.example:8080' },
      { origin: 'http://shop.example.evil.example' },
      { origin: 'null' },
      { origin: '' },
    ] as Headers[]) {
      const response = await send(method, path, { ...typed, ...headers }, body)
      expect([headers, response]).toEqual([headers, { status: 403, code: 'cross-site-request' }])
    }
    expect(pinned).toEqual([])
    const { code } = await send(method, path, typed, body)
    expect(code, 'and whoever is no page can').not.toBe('cross-site-request')
  })

  it('may send safe requests, which need no check', async () => {
    const { send } = await started()
    for (const [method, path] of [
      ['GET', '/notes'],
      ['HEAD', '/notes/n-1'],
      ['OPTIONS', '/notes'],
    ] as const)
      expect((await send(method, path, evil)).status).toBeLessThan(300)
  })

  it.each<[string, Headers]>([
    ['of the same origin', { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' }],
    ['that the reader asked for', { 'sec-fetch-site': 'none' }],
    ['of the same origin in an older browser', { origin: 'http://shop.example' }],
    ['of the same origin behind a proxy that takes TLS off', { origin: 'https://shop.example' }],
  ])('may change items where it is %s', async (_, headers) => {
    const { send, pinned } = await started()
    expect((await send('POST', '/notes/n-1/pin', headers)).status).toBe(200)
    expect(pinned).toEqual(['n-1'])
  })

  it('may send unsafe requests where its origin is trusted or the service itself', async () => {
    const own = { origin: 'https://api.example' }
    const trusting = await started({
      security: { trustedOrigins: ['https://evil.example'] },
      baseUrl: own.origin,
    })
    for (const headers of [
      evil,
      { origin: evil.origin },
      own,
      { 'sec-fetch-site': 'same-site', ...own },
    ] as Headers[])
      expect((await trusting.send('POST', '/notes/n-1/pin', headers)).status).toBe(200)
    const other = { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }
    expect((await trusting.send('POST', '/notes/n-1/pin', other)).status).toBe(403)
    const open = await started({ security: { trustedOrigins: 'any' } })
    expect((await open.send('POST', '/notes/n-1/pin', other)).status).toBe(200)
  })
})

it.each([
  [['https://shop.example/']],
  [['shop.example']],
  [['https://shop.example:443']],
  [['https://Shop.example']],
  [['null']],
  [['*']],
  ['https://shop.example'],
])('origins cannot be %j', (trustedOrigins) => {
  const options = { policy: rest(), store: memory(), security: { trustedOrigins } } as RouterOptions
  expect(() => createRouter(options)).toThrow(RegistrationError)
})
