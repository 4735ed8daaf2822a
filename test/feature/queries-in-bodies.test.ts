import {
  createRouter,
  type Middleware,
  model,
  type RouterOptions,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { limit } from 'resourcery/limits'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model(
  'author',
  { name: z.string(), books: toMany('book', { inverse: 'author' }) },
  { ids: 'client' },
)
const Book = model(
  'book',
  { title: z.string(), price: z.number(), author: toOne('author') },
  { ids: 'client' },
)

const formType = 'application/x-www-form-urlencoded'
const ids = Array.from({ length: 400 }, (_, index) => `a-book-with-a-long-id-${index}`)
/** Fits no URL. */
const longFilter = `filter[id][in]=${ids.join(',')}`

describe.each(stores)('QUERY, on $name', ({ make }) => {
  const library = async (
    options: Partial<RouterOptions> = {},
    hooks: readonly Middleware[] = [],
  ): Promise<Client> => {
    const router = createRouter({
      policy: rest({ jsonLines: true }),
      basePath: '/api',
      store: await make(),
      ...options,
    })
    router.prepare(Author)
    const books = router.prepare(Book)
    for (const hook of hooks) books.use(hook)
    await router.load(Author, [{ id: 'mary', name: 'Mary' }])
    await router.load(
      Book,
      ids.slice(0, 9).map((id, price) => ({ id, title: `Title ${price}`, price, author: 'mary' })),
    )
    return client(router)
  }
  const query = (
    api: Client,
    body: string | undefined,
    headers: Readonly<Record<string, string>> = {},
    path = '/api/books',
  ): Promise<ClientResponse> =>
    api.send('QUERY', path, body, { 'content-type': formType, ...headers })

  it('finds what a filter of any length selects', async () => {
    const response = await query(await library(), `${longFilter}&filter[price][lt]=3`)
    expect([response.status, response.ids('books')]).toEqual([200, ids.slice(0, 3)])
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
  })

  it('has the whole list where the body is empty', async () => {
    const api = await library()
    expect((await query(api, '')).ids('books')).toEqual(ids.slice(0, 9))
  })

  it('names the address where GET has the same, with its links', async () => {
    const api = await library()
    const response = await query(api, 'filter[price][gt]=2&page[size]=2')
    const address = response.headers.get('location') ?? ''
    expect(address).toBe('/api/books?filter%5Bprice%5D%5Bgt%5D=2&page%5Bsize%5D=2')
    const got = await api.get(address)
    expect(got.text).toBe(response.text)
    expect(response.headers.get('link')).toBe(got.headers.get('link'))
  })

  it.each(['page[size]=2', 'page[size]=2&page[number]=1', 'page[limit]=2&page[offset]=0'])(
    'leads through all pages of a query that is too long for links: %s',
    async (page) => {
      for (const policy of [rest(), jsonApi()]) {
        const api = await library({ policy })
        const found: string[] = []
        let next: string | null = page
        while (next !== null) {
          const response: ClientResponse = await query(api, `${longFilter}&${next}`)
          expect([response.status, response.headers.get('link')]).toEqual([200, null])
          expect([response.headers.get('location'), response.at('/links/next')]).toEqual([
            null,
            undefined,
          ])
          found.push(...response.ids(policy.name === 'rest' ? 'books' : 'data'))
          next = response.at('/meta/page/parameters/next') as string | null
        }
        expect(found).toEqual(ids.slice(0, 9))
      }
    },
  )

  it('reads JSON Lines, related items and relationships', async () => {
    const rested = await library()
    const lines = await query(rested, 'sort=-price', { accept: 'application/jsonl' })
    expect(lines.text.split('\n')).toHaveLength(9)
    const api = await library({ policy: jsonApi() })
    for (const path of ['/api/authors/mary/books', '/api/authors/mary/relationships/books']) {
      const response = await query(api, `${longFilter}&filter[price][gt]=7`, {}, path)
      expect(response.ids('data')).toEqual([ids[8]])
    }
    expect((await query(api, '', {}, `/api/books/${ids[0]}/author`)).status).toBe(405)
  })

  it('responds with 304 to a client that has the linkage already', async () => {
    const api = await library({ policy: jsonApi() })
    const path = '/api/authors/mary/relationships/books'
    const { etag } = await query(api, 'sort=-price', {}, path)
    const again = await query(api, 'sort=-price', { 'if-none-match': etag }, path)
    expect([etag === '', again.status, again.text]).toEqual([false, 304, ''])
    expect((await query(api, 'sort=price', { 'if-none-match': etag }, path)).status).toBe(200)
  })

  it('follows changes with a filter of any length', async () => {
    const api = await library({ changes: true })
    const listed = await query(api, longFilter)
    const since = listed.headers.get('changes-position') ?? ''
    await api.patch(`/api/books/${ids[1]}`, { book: { price: 20 } })
    const changes = await query(
      api,
      `${longFilter}&since=${encodeURIComponent(since)}&wait=10`,
      {},
      '/api/books/changes',
    )
    expect(changes.status).toBe(200)
    expect(changes.at('/changes/0/id')).toBe(ids[1])
  })

  it.each([
    ['no media type', { 'content-type': '' }],
    ['JSON', { 'content-type': 'application/json' }],
    ['another charset', { 'content-type': `${formType}; charset=latin1` }],
    ['a form with parts', { 'content-type': 'multipart/form-data; boundary=x' }],
  ])('refuses a body with %s, and names the type that it takes', async (_, headers) => {
    const response = await query(await library(), 'page[size]=2', headers)
    expect([response.status, response.errors[0]?.code]).toEqual([415, 'unsupported-media-type'])
    expect(response.headers.get('accept-query')).toBe(formType)
  })

  it.each([
    ['an invalid escape', 'filter[title]=%zz', 400, 'malformed-query'],
    ['a byte order mark', '\ufefffilter[title]=x', 400, 'malformed-query'],
    ['JSON', '{"filter":1}', 400, 'unknown-parameter'],
    ['too many parameters', 'x=1&'.repeat(300), 400, 'limit-exceeded'],
    ['10 MB', 'x'.repeat(10_000_000), 413, 'body-too-large'],
  ])('refuses %s as a query', async (_, body, status, code) => {
    const response = await query(await library(), body)
    expect([response.status, response.errors.at(-1)?.code]).toEqual([status, code])
  })

  it('refuses compressed bodies', async () => {
    const response = await query(await library(), 'x', { 'content-encoding': 'gzip' })
    expect([response.status, response.errors[0]?.code]).toEqual([415, 'unsupported-encoding'])
  })

  it('refuses parameters in the address, all of them', async () => {
    const response = await query(await library(), '', {}, '/api/books?page[size]=2&sort=title')
    expect(response.errors.map(({ code, source }) => [code, source?.parameter])).toEqual([
      ['unknown-parameter', 'page[size]'],
      ['unknown-parameter', 'sort'],
    ])
  })

  it('has a limit of its own', async () => {
    const api = await library({ limits: { maxQueryBytes: 20 } })
    expect((await query(api, 'filter[price][gt]=1')).status).toBe(200)
    expect((await query(api, 'filter[price][gt]=10.5')).status).toBe(413)
  })

  it('is in Allow and Accept-Query of the list, and of nothing else', async () => {
    const api = await library()
    const ofList = await api.options('/api/books')
    expect(ofList.headers.get('allow')).toBe('GET, HEAD, OPTIONS, QUERY, POST')
    expect(ofList.headers.get('accept-query')).toBe(formType)
    const ofItem = await api.options(`/api/books/${ids[0]}`)
    expect(ofItem.headers.get('accept-query')).toBeNull()
    expect((await query(api, '', {}, `/api/books/${ids[0]}`)).status).toBe(405)
  })

  it('runs the hooks of the list, which see the query', async () => {
    const seen: string[] = []
    const hook: Middleware = {
      request: {
        getList: ({ request }) => {
          seen.push(`${request.method} ${request.query}`)
          if (request.query.includes('title')) throw refuse('forbidden', 'No titles.')
        },
      },
      query: { getList: (items) => items.where('price').lessThan(2) },
    }
    const api = await library({}, [hook])
    expect((await query(api, 'sort=-price')).ids('books')).toEqual([ids[1], ids[0]])
    expect((await query(api, 'sort=title')).status).toBe(403)
    expect(seen).toEqual(['QUERY sort=-price', 'QUERY sort=title'])
  })

  it('takes the points that its query costs', async () => {
    const points = limit({ points: 15, seconds: 3_600 })
    const api = await library({}, [points])
    expect((await query(api, 'filter[title][contains]=x&page[size]=1000')).status).toBe(200)
    expect((await query(api, 'filter[title][contains]=x&page[size]=1000')).status).toBe(429)
  })

  it('is sent from pages of other sites, because it changes nothing', async () => {
    const response = await query(await library(), 'page[size]=1', {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('QUERY with a credential in the query string', () => {
  const keyed = async (): Promise<Client> => {
    const [{ make }] = stores as readonly [(typeof stores)[number]]
    const router = createRouter({
      policy: rest(),
      store: await make(),
      security: {
        callerSchema: z.object({ id: z.string() }),
        authentication: [
          {
            name: 'key',
            scheme: { type: 'apiKey', in: 'query', name: 'key' },
            authenticate: ({ query }) =>
              new URLSearchParams(query).get('key') === 'secret'
                ? { caller: { id: 'mary' } }
                : undefined,
          },
        ],
      },
    })
    router.prepare(Book).access(({ signedIn }) => ({ read: signedIn }))
    router.prepare(Author)
    return client(router)
  }

  it('takes it from the address, and no link has it', async () => {
    const api = await keyed()
    const headers = { 'content-type': formType }
    const response = await api.send('QUERY', '/books?key=secret', 'page[size]=2', headers)
    expect(response.status).toBe(200)
    expect(response.headers.get('location')).toBe('/books?page%5Bsize%5D=2')
    expect(response.headers.get('link')).not.toContain('secret')
  })

  it('refuses it in the body', async () => {
    const api = await keyed()
    const response = await api.send('QUERY', '/books', 'key=secret', { 'content-type': formType })
    expect([response.status, response.errors[0]?.code]).toEqual([400, 'unknown-parameter'])
  })
})
