import { createServer } from 'node:http'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import {
  createRouter,
  type Middleware,
  model,
  type Router,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { defaultCost, type LimitOptions, limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { nodeHandler } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { mediaType } from '../spec/support/document-client.ts'
import { type Client, client } from '../support/client.ts'

const Author = model('author', {
  name: z.string(),
  country: toOne('country', { optional: true }),
  books: toMany('book', { inverse: 'author' }),
})
const Country = model('country', { name: z.string() })
const Book = model('book', { title: z.string(), author: toOne('author', { optional: true }) })

const byUser = ({ request }: { request: { headers: Record<string, string | undefined> } }) =>
  request.headers['x-user'] ?? 'anonymous'

function open(...limits: Middleware[]): { readonly router: Router; readonly api: Client } {
  const router = createRouter({ policy: rest(), store: memory(), limits: { maxPageSize: 1_000 } })
  for (const each of limits) router.use(each)
  for (const each of [Author, Country, Book]) router.prepare(each)
  return { router, api: client(router) }
}

const user = (name: string) => ({ 'x-user': name })

const contains = (count: number) =>
  Array.from({ length: count }, (_, index) => `contains(author.name,'zq${index}')`).join()

describe('limit()', () => {
  it('refuses a client whose points are used up, and tells all of them what is left', async () => {
    const { api } = open(limit({ points: 3, seconds: 60, by: byUser }))
    const get = (name = 'anna') => api.get('/books/none', user(name))
    for (const left of [2, 1, 0]) {
      const response = await get()
      expect(response.status).toBe(404)
      expect(response.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60')
      expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`))
    }
    const refused = await get()
    expect(refused.status).toBe(429)
    expect(refused.errors).toEqual([expect.objectContaining({ code: 'too-many-requests' })])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit')).toMatch(/;r=0;/)
    expect((await get('bert')).status).toBe(404)
  })

  it('gives the points back after the period', async () => {
    const { api } = open(limit({ points: 1, seconds: 1 }))
    expect((await api.get('/countries?page[size]=1')).status).toBe(200)
    expect((await api.get('/books/none')).status).toBe(429)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect((await api.get('/books/none')).status).toBe(404)
  })

  it.each([
    ['/books/none', 1],
    ['/books?page[size]=99', 1],
    ['/books?page[size]=100', 2],
    ['/books?page[size]=1000', 11],
    ['/books', 11],
    ['/books?include=author&page[size]=10', 2],
    ['/books?include=author.country&page[size]=250', 10],
    ['/authors?include=books&page[size]=9', 2],
    ['/authors?include=books&page[size]=50', 7],
    ['/authors?include=books&pageIncluded[books][size]=2&page[size]=50', 3],
    ['/authors?include=books.author&page[size]=99', 23],
    ['/authors/none?include=books', 2],
    ['/books?page[size]=1&withCount=true', 2],
    ['/books?page[size]=1&filter[title]=a', 1],
    ['/books?page[size]=1&filter[title][in]=a,b,c,d,e,f,g,h,i,j', 2],
    ['/books?page[size]=1&filter[title][contains]=a', 2],
    ['/books?page[size]=1&filter[title][startsWith]=a', 1],
    ['/books?page[size]=1&filter[author]=a', 1],
    ['/books?page[size]=1&filter[author.name]=a', 2],
    ['/books?page[size]=1&filter[author.name][contains]=a&withCount=true', 6],
    ['/authors?page[size]=1&filter[books][any]=a', 2],
    ['/books?page[size]=1&sort=author.name,title', 2],
    [`/books?page[size]=1&withCount=true&filter=or(${contains(12)})`, 1 + 25 + 1 + 25],
    ['/books?page[size]=wrong', 1],
  ])('takes points by what %s asks for: %i', async (path, points) => {
    const { api } = open(limit({ points: 60, seconds: 60 }))
    const response = await api.get(path)
    expect(response.headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${60 - points};`))
  })

  it('takes the points that an option says, at most all of them', async () => {
    const sizes: unknown[] = []
    const cost: LimitOptions['cost'] = (size, { request }) => {
      sizes.push(size)
      return request.method === 'POST' ? 1_000 : 0
    }
    const { api } = open(limit({ points: 5, seconds: 60, cost }))
    expect((await api.post('/books', { book: { title: 'Dune' } })).status).toBe(201)
    expect((await api.post('/books', { book: { title: 'Dune' } })).status).toBe(429)
    const list = await api.get('/books?include=author.country')
    expect(list.status).toBe(200)
    expect(sizes.at(-1)).toEqual({
      includedRelations: 2,
      summaries: 0,
      includeDepth: 2,
      includedItems: 2_000,
      pageSize: Number.POSITIVE_INFINITY,
      conditions: 0,
      relatedConditions: 0,
      textSearches: 0,
      sortedRelations: 0,
      withCount: false,
      relatedIds: 0,
    })
    expect(defaultCost({ includedRelations: 2 })).toBe(3)
  })

  it('takes points for the ids of related items that a body names', async () => {
    const router = createRouter({ policy: jsonApi(), store: memory() })
    router.use(limit({ points: 50, seconds: 60 }))
    for (const each of [Author, Country, Book]) router.prepare(each)
    await router.load(Author, [{ id: 'a', name: 'A' }])
    const api = client(router, 'http://localhost', mediaType)
    const ids = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: 'books', id: `b${index}` }))
    const left = async (response: Promise<{ headers: Headers }>) =>
      Number(/r=(\d+)/.exec((await response).headers.get('ratelimit')!)![1])
    const path = '/authors/a/relationships/books'
    expect(await left(api.post(path, { data: ids(99) }))).toBe(49)
    expect(await left(api.post(path, { data: ids(1_000) }))).toBe(38)
    const relationships = { books: { data: ids(500) } }
    const author = { type: 'authors', attributes: { name: 'B' }, relationships }
    expect(await left(api.post('/authors', { data: author }))).toBe(32)
    const operations = [
      { op: 'update', ref: { type: 'authors', id: 'a', relationship: 'books' }, data: ids(400) },
    ]
    const atomic = { 'content-type': atomicType, accept: atomicType }
    const batch = api.post('/operations', { 'atomic:operations': operations }, atomic)
    expect(await left(batch)).toBe(26)
    const tooMany = await api.post(path, { data: ids(3_000) })
    expect([tooMany.status, tooMany.errors[0]?.code]).toEqual([429, 'too-many-requests'])
  })

  it('counts refused requests too, but none that it does not limit', async () => {
    const { api } = open(
      { request: { any: () => refuse('forbidden', 'No.') } },
      limit({ points: 2, seconds: 60, by: ({ request }) => request.headers['x-user'] }),
    )
    for (const status of [403, 403, 429])
      expect((await api.get('/books/none', user('anna'))).status).toBe(status)
    for (let index = 0; index < 5; index++) {
      const free = await api.get('/books/none')
      expect([free.status, free.headers.get('ratelimit')]).toEqual([403, null])
    }
  })

  it('tells several limits apart by their names', async () => {
    const { api } = open(
      limit({ points: 9, seconds: 60, name: 'minute' }),
      limit({ points: 20, seconds: 3_600, name: 'hour' }),
    )
    const { headers } = await api.get('/books/none')
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=9;w=60, "hour";q=20;w=3600')
    expect(headers.get('ratelimit')).toMatch(/^"minute";r=8;t=\d+, "hour";r=19;t=\d+$/)
  })

  it('does not let two limits of the same requests have one name', async () => {
    const first = limit({ points: 9, seconds: 60 })
    const second = limit({ points: 20, seconds: 3_600 })
    const twice = "Two limits of the same requests have the name 'default'."
    await expect(open(first, second).router.open()).rejects.toThrow(twice)
    const { router } = open(first)
    const ofModel = createRouter({ policy: rest(), store: memory() }).use(first)
    ofModel.prepare(model('page', { title: z.string() })).use(second)
    await expect(ofModel.open()).rejects.toThrow(twice)
    await expect(router.open()).resolves.toBeUndefined()
    // One without points is in no header, and different models have different requests.
    const concurrent = limit({ concurrent: 5 })
    const apart = createRouter({ policy: rest(), store: memory() }).use(concurrent)
    apart.prepare(model('page', { title: z.string() })).use(first)
    apart.prepare(model('sheet', { title: z.string() })).use(second)
    await expect(apart.open()).resolves.toBeUndefined()
  })

  it('knows anonymous clients by their addresses, and those of IPv6 by their networks', async () => {
    const { router } = open(limit({ points: 1, seconds: 60 }))
    const get = async (address: string | undefined) => {
      const request = {
        method: 'GET',
        path: '/books/none',
        query: '',
        headers: {},
        body: undefined,
      }
      return (await router.respond({ ...request, address })).status
    }
    expect(await get('203.0.113.7')).toBe(404)
    expect(await get('203.0.113.7')).toBe(429)
    expect(await get('203.0.113.8')).toBe(404)
    expect(await get('2001:db8:1:2::1')).toBe(404)
    expect(await get('2001:db8:1:2:ffff::9')).toBe(429)
    expect(await get('2001:db8:1:3::1')).toBe(404)
    expect(await get('::1')).toBe(404)
    expect(await get(undefined)).toBe(404)
    expect(await get(undefined)).toBe(429)
  })

  it('counts each operation of a batch, and tells what is left after all of them', async () => {
    const router = createRouter({ policy: jsonApi(), store: memory() })
    router.use(limit({ points: 9, seconds: 60, name: 'minute' }))
    router.use(limit({ points: 90, seconds: 600, name: 'ten' }))
    router.prepare(Country)
    const api = client(router, 'http://localhost', mediaType)
    const send = (count: number) =>
      api.post(
        '/operations',
        {
          'atomic:operations': Array.from({ length: count }, () => ({
            op: 'add',
            data: { type: 'countries', attributes: { name: 'a' } },
          })),
        },
        { 'content-type': atomicType, accept: atomicType },
      )
    const sent = await send(3)
    expect(sent.status).toBe(200)
    expect(sent.headers.get('ratelimit')).toMatch(/^"minute";r=5;t=\d+, "ten";r=86;t=\d+$/)
    expect(sent.headers.get('ratelimit-policy')).toBe('"minute";q=9;w=60, "ten";q=90;w=600')
    const refused = await send(10)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+, "ten";r=81;t=\d+$/)
    expect((await api.get('/countries?page[size]=1')).status).toBe(429)
  })

  it('knows a caller by its id, whatever else differs from token to token', async () => {
    const open = (caller: z.ZodType<object>, options: Partial<LimitOptions> = {}) => {
      const router = createRouter({
        policy: rest(),
        store: memory(),
        security: {
          authentication: [
            {
              name: 'user',
              scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
              authenticate: ({ headers }) =>
                headers['x-user'] === undefined
                  ? undefined
                  : { caller: JSON.parse(headers['x-user']) },
            },
          ],
          callerSchema: caller,
        },
      })
      router.use(limit({ points: 2, seconds: 60, ...options }))
      router.prepare(model('book', { title: z.string() }))
      return router
    }
    const api = client(open(z.object({ id: z.string(), jti: z.number() })))
    const get = async (caller: object) =>
      (await api.get('/books/none', { 'x-user': JSON.stringify(caller) })).status
    expect([await get({ id: 'ada', jti: 1 }), await get({ id: 'ada', jti: 2 })]).toEqual([404, 404])
    expect([await get({ id: 'ada', jti: 3 }), await get({ id: 'bob', jti: 3 })]).toEqual([429, 404])
    const withoutId = z.object({ name: z.string(), jti: z.number() })
    expect(() => open(withoutId).rules).toThrow("the schema of callers has no 'id'")
    expect(() => open(z.union([z.object({ id: z.string() }), withoutId])).rules).toThrow("'by'")
    for (const router of [
      open(withoutId, { by: () => 'all' }),
      open(z.object({ name: z.string() })),
      open(z.union([z.object({ id: z.string(), jti: z.number() }), z.object({ key: z.string() })])),
    ])
      expect(router.rules.length).toBeGreaterThan(0)
  })

  it('uses any limiter of rate-limiter-flexible', async () => {
    const limiter = new RateLimiterMemory({ points: 2, duration: 30, keyPrefix: 'shared' })
    const [one, other] = [open(limit({ limiter })), open(limit({ limiter }))]
    expect((await one.api.get('/books/none')).headers.get('ratelimit-policy')).toBe(
      '"default";q=2;w=30',
    )
    expect((await other.api.get('/books/none')).status).toBe(404)
    expect((await other.api.get('/books/none')).status).toBe(429)
  })

  it.each(['allow', 'refuse'] as const)('does what onFailure says: %s', async (onFailure) => {
    const errors: unknown[] = []
    const failure = new Error('connect ECONNREFUSED')
    const limiter = { points: 1, duration: 1, consume: () => Promise.reject(failure) }
    const { api } = open(limit({ limiter, onFailure, onError: (error) => errors.push(error) }))
    const response = await api.get('/books/none')
    expect(errors).toEqual([failure])
    if (onFailure === 'allow') return expect(response.status).toBe(404)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(response.text).not.toContain('ECONNREFUSED')
  })

  it('warns of a limiter that fails', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const limiter = { points: 1, duration: 1, consume: () => Promise.reject(new Error('down')) }
    const { api } = open(limit({ limiter }))
    for (let index = 0; index < 3; index++) expect((await api.get('/books/none')).status).toBe(404)
    expect(warn.mock.calls).toEqual([
      ['A limiter of requests fails: down', { code: 'RESOURCERY_LIMITER' }],
    ])
  })

  it('lets a client have so many streamed lists at a time', async () => {
    const { router } = open(limit({ concurrent: 2, by: byUser }))
    await router.load(
      Book,
      Array.from({ length: 5_000 }, (_, index) => ({
        id: `b-${index}`,
        title: 'long '.repeat(20),
      })),
    )
    const get = (name = 'anna') =>
      router.respond({
        method: 'GET',
        path: '/books',
        query: '',
        headers: user(name),
        body: undefined,
      })
    const chunksOf = async (response: Awaited<ReturnType<typeof get>>) => {
      expect(response.body.kind).toBe('stream')
      if (response.body.kind !== 'stream') throw new Error('no stream')
      return response.body.chunks[Symbol.asyncIterator]()
    }
    const first = await chunksOf(await get())
    const second = await chunksOf(await get())
    await first.next()
    const refused = await get()
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    await (await chunksOf(await get('bert'))).return?.()
    // A client that leaves before the first chunk.
    await second.return?.()
    const third = await chunksOf(await get())
    expect((await get()).status).toBe(429)
    while (!(await third.next()).done);
    const fourth = await chunksOf(await get())
    expect((await get()).status).toBe(429)
    await fourth.return?.()
    await first.return?.()
    for (let index = 0; index < 10; index++)
      expect(
        (
          await router.respond({
            method: 'GET',
            path: '/books/none',
            query: '',
            headers: user('anna'),
            body: undefined,
          })
        ).status,
      ).toBe(404)
  })

  it('frees the place of a client that disconnects', async () => {
    const { router } = open(limit({ concurrent: 1, by: byUser }))
    await router.load(
      Book,
      Array.from({ length: 20_000 }, (_, index) => ({
        id: `b-${index}`,
        title: 'long '.repeat(20),
      })),
    )
    const server = createServer(nodeHandler(router)).listen(0)
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const leaving = new AbortController()
    const list = () => fetch(`http://127.0.0.1:${port}/books`, { signal: leaving.signal })
    const response = await list()
    await response.body!.getReader().read()
    expect((await list()).status).toBe(429)
    leaving.abort()
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/books/none`)).status)
      .toBe(404)
  })

  it('documents 429 and its headers', () => {
    const { router } = open(limit({ points: 1, seconds: 1 }))
    const { responses } = (
      router.toOpenApi() as unknown as {
        paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
      }
    ).paths['/books']!.get!
    expect(responses['429']).toBeDefined()
    expect(JSON.stringify(responses['200'])).toContain('RateLimit-Policy')
  })

  it.each([
    [{}, "'points' and 'seconds'"],
    [{ points: 1 }, "both 'points' and 'seconds'"],
    [{ points: 0, seconds: 1 }, 'points'],
    [{ points: 1, seconds: 1, point: 2 }, 'point'],
    [{ limiter: {} }, 'limiter of rate-limiter-flexible'],
    [{ limiter: new RateLimiterMemory({ points: 1, duration: 1 }), points: 1 }, 'has its own'],
    [{ points: 1, seconds: 1, name: 'a"b' }, "'name'"],
    [{ points: 1, seconds: 1, onFailure: 'ignore' }, 'onFailure'],
  ])('refuses the options %j', (options, message) => {
    expect(() => limit(options as never)).toThrow(message)
  })
})
