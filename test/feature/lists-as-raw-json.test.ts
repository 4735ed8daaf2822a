import {
  createRouter,
  hash,
  image,
  type Middleware,
  model,
  type Policy,
  type Router,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ClientResponse, client } from '../support/client.ts'
import { sqliteStore } from '../support/stores.ts'

const Person = model('person', { name: z.string(), open: z.boolean().default(true), hash: hash() })
const Shelf = model('shelf', { name: z.string() })
const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number(),
    inStock: z.boolean(),
    author: toOne('person'),
    editor: toOne('person', { optional: true }),
    shelves: toMany('shelf'),
    before: toOne('book', { optional: true }),
    cover: image({ maxBytes: 1_000 }),
    hash: hash(),
  },
  { indexes: [['inStock', '-price']] },
)

const people = Array.from({ length: 40 }, (_, index) => ({
  id: `p-${index}`,
  name: `Zoë "the ${index}th" \\ 🎬\n`,
  open: index % 7 !== 0,
}))
const shelves = Array.from({ length: 700 }, (_, index) => ({
  id: `s-${index}`,
  name: `Shelf ${index}`,
}))
const books = Array.from({ length: 300 }, (_, index) => ({
  id: `b-${String(index).padStart(3, '0')}`,
  title: `Title ${index % 11}\n,{"id":"b-000"`,
  price: (index * 37) % 50,
  inStock: index % 3 !== 0,
  author: `p-${index % 40}`,
  editor: index % 4 === 0 ? null : `p-${(index * 3) % 40}`,
  shelves: [
    ...new Set([`s-${index % 700}`, `s-${(index * 13) % 700}`, `s-${(index * 29) % 700}`]),
  ].slice(0, index % 4),
  before: index === 0 ? null : `b-${String(index - 1).padStart(3, '0')}`,
}))

const inSight: Middleware = { query: { getList: (query) => query.where('price').greaterThan(3) } }
const onlyOpen: Middleware = { query: { getItem: (query) => query.where('open').equal(true) } }

interface ListResponse {
  /** The calls of the raw JSON reader. */
  readonly calls: readonly string[]
  readonly ids: readonly string[]
  readonly text: string
  readonly link: (rel: string) => string | undefined
}

const routers: Router[] = []

afterAll(async () => {
  for (const router of routers) await router.close()
})

/** Sends requests to two services over one store: with its raw JSON reader, and without. */
async function asking(
  policy: () => Policy,
  ofPeople: Middleware = {},
): Promise<(path: string) => Promise<ListResponse>> {
  const store = await sqliteStore.make()
  const calls: string[] = []
  const { fastPaths, ...rows } = store
  const watched: Store = {
    ...rows,
    fastPaths: {
      ...fastPaths,
      rawJson: {
        page: async (model, plan, linked, line) => {
          const page = await fastPaths!.rawJson!.page(model, plan, linked, line)
          if (page) calls.push(`${line} ${model.name}`)
          return page
        },
        list: (model, plan) => {
          const list = fastPaths!.rawJson!.list(model, plan)
          if (list) calls.push(`list ${model.name}`)
          return list
        },
      },
    },
  }
  const routerOf = (of: Store): Router => {
    const baseUrl = 'https://books.example'
    const router = createRouter({
      policy: policy(),
      basePath: '/api',
      baseUrl,
      store: of,
      blobs: memoryBlobs(),
    })
    router.prepare(Person).use(ofPeople)
    router.prepare(Shelf)
    router.prepare(Book).use(inSight)
    return router
  }
  const [joined, single] = [routerOf(watched), routerOf(rows)]
  routers.push(joined, single)
  await joined.load(Person, people)
  await joined.load(Shelf, shelves)
  await joined.load(Book, books)
  return async (path) => {
    calls.length = 0
    const [one, other] = [client(joined), client(single)].map((api) => api.get(path)) as [
      Promise<ClientResponse>,
      Promise<ClientResponse>,
    ]
    const response = await one
    expect(response.status).toBe(200)
    expect([...response.headers]).toEqual([...(await other).headers])
    expect(response.text).toBe((await other).text)
    return { calls: [...calls], ids: idsIn(response), text: response.text, link: response.link }
  }
}

function idsIn({ body }: ClientResponse): readonly string[] {
  const [items] = Object.values(body as Record<string, { id: string }[]>).filter((member) =>
    Array.isArray(member),
  )
  return items!.map(({ id }) => id)
}

describe('A list of raw JSON is the same, byte by byte, whether the store joins the texts or returns items', () => {
  let ask: (path: string) => Promise<ListResponse>

  beforeAll(async () => {
    ask = await asking(rest)
  })

  const page = 'page[size]=20'

  it.each([
    [`/api/books?${page}`, ['text book']],
    ['/api/books?page[size]=1', ['text book']],
    ['/api/books?page[size]=300', ['text book']],
    ['/api/books?page[size]=1000', ['text book']],
    ['/api/books?page[number]=3&page[size]=7', ['text book']],
    ['/api/books?page[number]=900', ['text book']],
    ['/api/books?page[offset]=5&page[limit]=5', ['text book']],
    [`/api/books?${page}&sort=-price,title`, ['text book']],
    [`/api/books?${page}&filter[inStock]=true&sort=-price`, ['text book']],
    [`/api/books?${page}&filter[price][gt]=48&withCount=true`, ['text book']],
    [`/api/books?${page}&filter[price]=1000`, ['text book']],
    [`/api/books?${page}&sort=author.name`, ['text book']],
    ['/api/books', ['list book']],
    ['/api/books?filter[inStock]=true', ['list book']],
    [`/api/books?${page}&include=author`, ['text book', 'text person']],
    [`/api/books?${page}&include=author,editor`, ['text book', 'text person']],
    [
      `/api/books?${page}&include=shelves,editor&sort=-price`,
      ['text book', 'text shelf', 'text person'],
    ],
    ['/api/books?page[size]=300&include=shelves', ['text book', 'text shelf']],
    [`/api/books?${page}&include=shelves&filter[price]=1000`, ['text book']],
    [`/api/books?${page}&include=`, ['text book']],
    // Items that are already on the page are not included again, which needs the items.
    [`/api/books?${page}&include=before`, []],
    [`/api/books?${page}&fields[books]=title`, []],
    [`/api/books?${page}&include=author&fields[people]=name`, []],
    ['/api/books?include=author', []],
  ])('%s', async (path, calls) => {
    expect((await ask(path)).calls).toEqual(calls)
  })

  it.each(['', 'sort=price&', 'sort=-price&include=shelves&', 'filter[inStock]=true&sort=-price&'])(
    'from page to page, forwards and backwards (%s)',
    async (query) => {
      const whole = (await ask(`/api/books?${query}page[size]=1000`)).ids
      const forwards: string[] = []
      let last: string | undefined
      for (let next: string | undefined = `/api/books?${query}page[size]=60`; next; ) {
        const current = await ask(next)
        expect(current.calls[0]).toBe('text book')
        forwards.push(...current.ids)
        last = current.link('prev')
        next = current.link('next')
      }
      expect(forwards).toEqual(whole)
      const backwards: string[] = []
      for (; last; ) {
        const current = await ask(last)
        backwards.unshift(...current.ids)
        last = current.link('prev')
      }
      expect(whole.slice(0, backwards.length)).toEqual(backwards)
      expect(backwards.length).toBeGreaterThan(100)
    },
  )

  it('with hidden related items, whose ids it does not send', async () => {
    const guarded = await asking(rest, onlyOpen)
    expect((await guarded('/api/books?page[size]=20&include=author')).calls).toEqual([])
    expect((await guarded('/api/books?page[size]=20')).calls).toEqual([])
  })
})

describe('A list under JSON:API is the same, byte by byte, whether its items are serialized from items, from lines or from the cache', () => {
  const read = (...models: string[]) => models.map((model) => `textAndOffset ${model}`)

  it.each([
    ['/api/books?page[number]=3&page[size]=20', ['book']],
    ['/api/books?page[size]=20&sort=-price,title&filter[inStock]=true', ['book']],
    ['/api/books?page[size]=300', ['book']],
    ['/api/books?page[size]=20&filter[price]=1000', ['book']],
    ['/api/books?page[number]=5&page[size]=20&include=author,editor', ['book', 'person']],
    ['/api/people?page[size]=5', ['person']],
  ])('%s', async (path, models) => {
    const ask = await asking(jsonApi)
    for (const _ of ['from lines', 'from the cache'])
      expect((await ask(path)).calls).toEqual(read(...models))
  })

  it('where some items are not in the cache', async () => {
    const ask = await asking(jsonApi)
    const page = (number: number) => ask(`/api/books?page[size]=30&page[number]=${number}`)
    for (const number of [1, 2, 1, 2]) expect((await page(number)).calls).toEqual(read('book'))
    expect((await ask('/api/books?page[size]=70')).calls).toEqual(read('book'))
  })

  it('of a model without versions, which is never cached', async () => {
    const ask = await asking(jsonApi)
    for (const _ of [1, 2, 3])
      expect((await ask('/api/shelves?page[size]=5')).calls).toEqual(read('shelf'))
  })

  it('that can only be read item by item', async () => {
    const ask = await asking(jsonApi)
    expect((await ask('/api/books?page[size]=3&include=before')).calls).toEqual([])
    expect((await ask('/api/books?page[size]=3&include=before.author')).calls).toEqual([])
    expect((await ask('/api/books?page[size]=3&fields[books]=title')).calls).toEqual([])
    expect((await ask('/api/books')).calls).toEqual([])
  })

  it('with changed items, and without deleted ones', async () => {
    const ask = await asking(jsonApi)
    const path = '/api/books?page[size]=4&sort=-price'
    for (const _ of [1, 2, 3]) await ask(path)
    const [first, second] = (await ask(path)).ids
    const api = client(routers.at(-1)!)
    const type = { 'content-type': 'application/vnd.api+json' }
    const data = { type: 'books', id: first, attributes: { title: 'Another' } }
    expect((await api.patch(`/api/books/${first}`, { data }, type)).status).toBe(200)
    const changed = await ask(path)
    expect([changed.ids[0], changed.text.includes('"title":"Another"')]).toEqual([first, true])
    expect((await api.delete(`/api/books/${second}`)).status).toBe(204)
    expect((await ask(path)).ids).not.toContain(second)
  })

  it('with hidden related items, whose ids it does not send', async () => {
    const ask = await asking(jsonApi, onlyOpen)
    for (const _ of [1, 2, 3])
      expect((await ask('/api/books?page[size]=20&include=author')).calls).toEqual([])
  })
})
