import {
  type Context,
  createRouter,
  file,
  type Hook,
  type Middleware,
  model,
  type Policy,
  type Router,
  refuse,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Genre = model('genre', { name: z.string() })
const Book = model(
  'book',
  {
    title: z.string(),
    author: toOne('author', { optional: true }),
    genres: toMany('genre'),
    cover: file(),
  },
  { upsert: true },
)

const names: readonly Hook[] = [
  'any',
  'read',
  'write',
  'getList',
  'getItem',
  'create',
  'patch',
  'update',
  'put',
  'replace',
  'delete_',
  'action',
  'getResource',
  'setResource',
  'relationshipGet',
  'relationshipPost',
  'relationshipPatch',
  'relationshipDelete',
]

/** Every operation that it runs for documents what it declares: the tests compare each response. */
const refusing = (name: Hook): Middleware => ({
  request: { [name]: () => refuse('unauthorized', 'Nobody gets in.') },
  declares: { errors: ['unauthorized'] },
})

type SentRequest = readonly [method: string, path: string, body?: unknown]

/** A library of one author with one book, with a count of the store calls. */
async function library(
  policy: Policy,
  middleware: { author?: Middleware; book?: Middleware; shared?: Middleware },
) {
  const store = memory()
  let callCount = 0
  const counted = new Proxy<Store>(store, {
    get: (target, name: keyof Store) => {
      const member: unknown = target[name]
      if (!['find', 'list', 'page', 'count', 'relatedPages', 'write'].includes(name)) return member
      return (...args: unknown[]) => {
        callCount++
        return (member as (...args: unknown[]) => unknown).apply(target, args)
      }
    },
  })
  const router = createRouter({
    policy,
    store: counted,
    blobs: memoryBlobs(),
    onError: () => undefined,
  })
  if (middleware.shared) router.use(middleware.shared)
  const author = router.prepare(Author)
  const book = router.prepare(Book).itemOperation('touch', () => undefined)
  router.prepare(Genre)
  if (middleware.author) author.use(middleware.author)
  if (middleware.book) book.use(middleware.book)
  await router.load(Author, [{ id: 'a-1', name: 'Mary' }])
  await router.load(Genre, [{ id: 'g-1', name: 'Horror' }])
  await router.load(Book, [{ id: 'b-1', title: 'Frankenstein', author: 'a-1', genres: ['g-1'] }])
  await router.loadResource(
    Book,
    { id: 'b-1', path: 'cover' },
    { bytes: Buffer.from('cover'), contentType: 'text/plain' },
  )
  callCount = 0
  return { router, asked: () => callCount }
}

async function send(
  router: Router,
  type: string,
  [method, path, body]: SentRequest,
): Promise<number> {
  const isBytes = typeof body === 'string'
  const response = await router.handle(
    new Request(`http://localhost${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': isBytes ? 'text/plain' : type },
      ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
    }),
  )
  await response.arrayBuffer()
  return response.status
}

const author = (id = 'a-1') => ({ type: 'authors', id })
const book = (id = 'b-1') => ({ type: 'books', id })
const document = (type: string, id: string, attributes: object, relationships: object = {}) => ({
  data: { type, id, attributes, relationships },
})

const plain = { policy: rest(), type: 'application/json' }
const json = { policy: jsonApi(), type: 'application/vnd.api+json' }

describe('One table says which hooks guard which operation', () => {
  const ofBooks: readonly (readonly [typeof plain | typeof json, SentRequest, readonly Hook[]])[] =
    [
      [plain, ['GET', '/books'], ['read', 'getItem', 'getList']],
      [plain, ['GET', '/books/b-1'], ['read', 'getItem']],
      [plain, ['POST', '/books', { book: { title: 'x' } }], ['write', 'create']],
      [
        plain,
        ['PATCH', '/books/b-1', { book: { title: 'x' } }],
        ['read', 'getItem', 'write', 'patch', 'update'],
      ],
      [
        plain,
        ['PUT', '/books/b-1', { book: { title: 'x' } }],
        ['read', 'getItem', 'write', 'update', 'create', 'put', 'replace'],
      ],
      [plain, ['DELETE', '/books/b-1'], ['read', 'getItem', 'write', 'update', 'delete_']],
      [plain, ['POST', '/books/b-1/touch'], ['read', 'getItem', 'write', 'update', 'action']],
      [plain, ['GET', '/books/b-1/cover'], ['read', 'getItem', 'getResource']],
      [
        plain,
        ['POST', '/books/b-1/cover', 'bytes'],
        ['read', 'getItem', 'write', 'update', 'setResource'],
      ],
      [
        plain,
        ['DELETE', '/books/b-1/cover'],
        ['read', 'getItem', 'write', 'update', 'setResource'],
      ],
      [json, ['GET', '/books/b-1/genres'], ['read', 'getItem']],
      [json, ['GET', '/books/b-1/relationships/genres'], ['read', 'getItem', 'relationshipGet']],
      [
        json,
        ['POST', '/books/b-1/relationships/genres', { data: [] }],
        ['read', 'getItem', 'write', 'patch', 'update', 'relationshipPost'],
      ],
      [
        json,
        ['PATCH', '/books/b-1/relationships/genres', { data: [] }],
        ['read', 'getItem', 'write', 'patch', 'update', 'relationshipPatch'],
      ],
      [
        json,
        ['DELETE', '/books/b-1/relationships/genres', { data: [] }],
        ['read', 'getItem', 'write', 'patch', 'update', 'relationshipDelete'],
      ],
    ]

  it.each(ofBooks)('$1: request hooks run once each', async ({ policy, type }, sent, hooks) => {
    const ran: Hook[] = []
    const request = Object.fromEntries(names.map((name) => [name, () => void ran.push(name)]))
    const { router } = await library(policy, { book: { request } })
    expect(await send(router, type, sent)).toBeLessThan(300)
    expect(ran).toEqual(['any', ...hooks])
  })

  it.each(ofBooks)(
    '$1: each of them can refuse before the store is asked',
    async ({ policy, type }, request, hooks) => {
      for (const name of ['any' as const, ...hooks]) {
        const { router, asked: calls } = await library(policy, { book: refusing(name) })
        expect([await send(router, type, request), calls()], name).toEqual([401, 0])
      }
    },
  )

  it.each(ofBooks)(
    '$1: a function that is registered under several names runs once',
    async ({ policy, type }, sent) => {
      let ran = 0
      const hook = () => void ran++
      const request = Object.fromEntries(names.map((name) => [name, hook]))
      const { router } = await library(policy, { book: { request } })
      await send(router, type, sent)
      expect(ran).toBe(1)
    },
  )
})

const reaching: readonly (readonly [typeof plain | typeof json, SentRequest])[] = [
  [plain, ['GET', '/books?include=author']],
  [plain, ['GET', '/books/b-1?include=author']],
  [plain, ['GET', '/books?filter[author.name]=Mary']],
  [plain, ['GET', "/books?filter=or(eq(author.name,'Mary'),eq(title,'x'))"]],
  [plain, ['GET', '/books?sort=author.name']],
  [plain, ['PATCH', '/books/b-1?include=author', { book: { title: 'x' } }]],
  [plain, ['POST', '/books', { book: { title: 'x', author: 'a-1' } }]],
  [plain, ['POST', '/books', { book: { title: 'x', author: 'nobody' } }]],
  [plain, ['PATCH', '/books/b-1', { book: { author: 'a-1' } }]],
  [plain, ['PUT', '/books/b-1', { book: { title: 'x', author: 'a-1' } }]],
  [plain, ['POST', '/books/b-1/touch']],
  [json, ['GET', '/books?include=author']],
  [json, ['GET', '/books/b-1/author']],
  [json, ['GET', '/books/b-1/relationships/author']],
  [json, ['PATCH', '/books/b-1/relationships/author', { data: author() }]],
  [json, ['PATCH', '/books/b-1', document('books', 'b-1', {}, { author: { data: author() } })]],
]

const apart: readonly (readonly [typeof plain | typeof json, SentRequest])[] = [
  [plain, ['GET', '/books']],
  [plain, ['GET', '/books/b-1']],
  [plain, ['GET', '/books?filter[author]=a-1']],
  [plain, ['GET', '/books?include=genres']],
  [plain, ['POST', '/books', { book: { title: 'x' } }]],
  [plain, ['PATCH', '/books/b-1', { book: { author: null } }]],
  [plain, ['DELETE', '/books/b-1']],
  [plain, ['GET', '/books/b-1/cover']],
  [json, ['GET', '/books/b-1/genres']],
  [json, ['GET', '/genres/g-1']],
]

describe('Request hooks guard every path to an item: a request runs those of every model that it reads from or writes to', () => {
  it.each(reaching)('$1 reaches authors', async ({ policy, type }, request) => {
    for (const name of ['any', 'read', 'getItem'] as const) {
      const { router, asked: calls } = await library(policy, { author: refusing(name) })
      expect([await send(router, type, request), calls()], name).toEqual([401, 0])
      const ran: string[] = []
      const tell = ({ rule, id }: Context) =>
        void ran.push(`${rule.operation} ${'view' in rule && rule.view.model.name} ${id}`)
      const open = await library(policy, { author: { request: { [name]: tell } } })
      await send(open.router, type, request)
      expect(ran).toEqual(['GetItem author undefined'])
    }
  })

  it.each(apart)(
    '$1 does not: the ids that a book stores are its own',
    async ({ policy, type }, request) => {
      const { router } = await library(policy, { author: refusing('any') })
      expect(await send(router, type, request)).toBeLessThan(300)
    },
  )

  it.each([
    [json, ['GET', '/authors/a-1/books'], ['any', 'read', 'getItem', 'getList']],
    [json, ['GET', '/authors/a-1/relationships/books'], ['any', 'read', 'getItem']],
    [json, ['GET', '/authors?include=books'], ['any', 'read', 'getItem']],
    [json, ['GET', '/authors?filter[books][any]=b-1'], ['any', 'read', 'getItem']],
    [json, ['POST', '/authors/a-1/relationships/books', { data: [] }], ['any', 'read', 'getItem']],
    [
      json,
      ['PATCH', '/authors/a-1', document('authors', 'a-1', {}, { books: { data: [book()] } })],
      ['any', 'read', 'getItem'],
    ],
  ] as const)('$1 reaches books through parameters', async ({ policy, type }, sent, hooks) => {
    const ran: Hook[] = []
    const request = Object.fromEntries(names.map((name) => [name, () => void ran.push(name)]))
    const { router } = await library(policy, { book: { request } })
    expect(await send(router, type, sent)).toBeLessThan(300)
    expect(ran).toEqual(hooks)
    for (const name of hooks) {
      const closed = await library(policy, { book: refusing(name) })
      expect([await send(closed.router, type, sent), closed.asked()], name).toEqual([401, 0])
    }
  })

  it('a model whose query hooks hide items is read for every item that relates to it, so its request hooks run', async () => {
    const byState: Middleware = {
      request: { any: ({ state }) => void state.set('user', 'mary') },
      query: {
        getItem: (query, { state }) =>
          query.where('name').equal(state.get('user') === 'mary' ? 'Mary' : ''),
      },
    }
    for (const request of [
      ['GET', '/books'],
      ['GET', '/books/b-1'],
      ['GET', '/books?filter[author]=a-1'],
      ['PATCH', '/books/b-1', { book: { title: 'x' } }],
    ] as const) {
      const { router } = await library(plain.policy, { author: byState })
      const response = await router.handle(
        new Request(`http://localhost${request[1]}`, {
          method: request[0],
          headers: { 'content-type': 'application/json' },
          ...(request[2] && { body: JSON.stringify(request[2]) }),
        }),
      )
      expect(await response.text()).toContain('"author":"a-1"')
    }
  })

  it('a hook of several models runs once for a request', async () => {
    for (const [{ policy, type }, request] of reaching) {
      let ran = 0
      const { router } = await library(policy, { shared: { request: { any: () => void ran++ } } })
      await send(router, type, request)
      expect(ran, request[1]).toBe(1)
    }
  })

  it('the operations of a batch are guarded too', async () => {
    const operation = {
      op: 'update',
      data: { ...book(), relationships: { author: { data: author() } } },
    }
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const batch: SentRequest = ['POST', '/operations', { 'atomic:operations': [operation] }]
    const { router, asked: calls } = await library(json.policy, { author: refusing('getItem') })
    expect([await send(router, type, batch), calls()]).toEqual([401, 0])
    const open = await library(json.policy, {})
    expect(await send(open.router, type, batch)).toBeLessThan(300)
  })
})
