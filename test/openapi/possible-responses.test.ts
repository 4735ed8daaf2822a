import {
  type AnyModel,
  action,
  createRouter,
  field,
  hash,
  image,
  type Middleware,
  model,
  type Policy,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { mediaSamples } from '../support/media.ts'
import { documentOf, operationAt, operationsOf } from './documents.ts'

/**
 * Statuses that any operation can respond with, or any that reads a body: malformed requests, and a
 * service in trouble.
 */
const general = ['400', '406', '408', '413', '415', '500', '503']

/** The statuses that depend on what an operation does. */
function own(router: Pick<Router, 'toOpenApi'>, route: string): readonly string[] {
  return Object.keys(operationAt(router.toOpenApi(), route).responses).filter(
    (status) => !general.includes(status),
  )
}

class Note extends model('note', { text: z.string() }, { ids: 'server' }) {
  shout(): void {
    this.text = this.text.toUpperCase()
  }

  static {
    action(this, 'shout')
  }
}
const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Book = model('book', {
  title: z.string(),
  isbn: field(z.string().optional(), { unique: true }),
  author: toOne('author', { onDelete: 'restrict' }),
  editor: toOne('author', { optional: true }),
  shelves: toMany('shelf'),
  readers: toMany('author', { replace: false }),
  cover: image({ variants: { formats: ['png'], sizes: [64] } }),
  hash: hash(),
})
const Shelf = model(
  'shelf',
  { name: z.string() },
  { plural: 'shelves', ids: 'client', upsert: true },
)
const models: readonly AnyModel[] = [Author, Book, Note, Shelf]

async function serviceOf(policy: Policy) {
  const router = createRouter({ policy, store: memory(), blobs: memoryBlobs() })
  for (const model of models) router.prepare(model)
  await router.load(Author, [{ id: 'mary', name: 'Mary' }])
  await router.load(Shelf, [{ id: 'one', name: 'One' }])
  await router.load(Book, [
    { id: 'taken', title: 'Taken', isbn: '1', author: 'mary' },
    { id: 'dune', title: 'Dune', author: 'mary' },
  ])
  const bytes = (await mediaSamples())['image/png']!
  await router.loadResource(
    Book,
    { id: 'dune', path: 'cover' },
    { bytes, contentType: 'image/png', fileName: 'a.png' },
  )
  const mediaType = policy.name === 'rest' ? 'application/json' : 'application/vnd.api+json'
  return { router, api: client(router, undefined, mediaType) }
}

type Send = (api: Client) => Promise<{ readonly status: number }>
type Provocations = Readonly<Record<string, Readonly<Record<string, Send>>>>

const stale = { 'if-match': '"stale"' }
const ifNoneMatch = async (api: Client, path: string) => ({
  'if-none-match': (await api.get(path)).etag,
})
const identifier = (type: string, id: string) => ({ data: { type, id } })
const resource = (type: string, attributes: object, others: object = {}) => ({
  data: { type, attributes, ...others },
})
const writtenBy = (id: string) => ({ relationships: { author: identifier('authors', id) } })

/** For each operation, a request for each of its documented statuses. */
const underRest: Provocations = {
  'GET /books': { 200: (api) => api.get('/books') },
  'POST /books': {
    201: (api) => api.post('/books', { book: { title: 'New', author: 'mary' } }),
    409: (api) => api.post('/books', { book: { id: 'dune', title: 'New', author: 'mary' } }),
    422: (api) => api.post('/books', { book: { title: 'New', author: 'nobody' } }),
  },
  'GET /books/{id}': {
    200: (api) => api.get('/books/dune'),
    304: async (api) => api.get('/books/dune', await ifNoneMatch(api, '/books/dune')),
    404: (api) => api.get('/books/none'),
  },
  'PATCH /books/{id}': {
    200: (api) => api.patch('/books/dune', { book: { title: 'New' } }),
    403: (api) => api.patch('/books/dune', { book: { readers: ['mary'] } }),
    404: (api) => api.patch('/books/none', { book: {} }),
    409: (api) => api.patch('/books/dune', { book: { isbn: '1' } }),
    412: (api) => api.patch('/books/dune', { book: {} }, stale),
    422: (api) => api.patch('/books/dune', { book: { title: 1 } }),
  },
  'DELETE /books/{id}': {
    204: (api) => api.delete('/books/dune'),
    404: (api) => api.delete('/books/none'),
    412: (api) => api.delete('/books/dune', stale),
  },
  'DELETE /authors/{id}': {
    204: async (api) => {
      await api.post('/authors', { author: { id: 'new', name: 'New' } })
      return api.delete('/authors/new')
    },
    404: (api) => api.delete('/authors/none'),
    409: (api) => api.delete('/authors/mary'),
    412: (api) => api.delete('/authors/mary', stale),
  },
  'GET /books/{id}/cover': {
    200: (api) => api.get('/books/dune/cover'),
    206: (api) => api.get('/books/dune/cover', { range: 'bytes=0-1' }),
    304: async (api) => api.get('/books/dune/cover', await ifNoneMatch(api, '/books/dune/cover')),
    404: (api) => api.get('/books/taken/cover'),
    416: (api) => api.get('/books/dune/cover', { range: 'bytes=9999999-' }),
  },
  'DELETE /books/{id}/cover': {
    204: (api) => api.delete('/books/dune/cover'),
    404: (api) => api.delete('/books/none/cover'),
    412: (api) => api.delete('/books/dune/cover', stale),
  },
  'POST /notes': {
    201: (api) => api.post('/notes', { note: { text: 'a' } }),
    403: (api) => api.post('/notes', { note: { id: 'a', text: 'a' } }),
    422: (api) => api.post('/notes', { note: { text: 1 } }),
  },
  'PUT /shelves/{id}': {
    200: (api) => api.put('/shelves/one', { shelf: { name: 'New' } }),
    201: (api) => api.put('/shelves/two', { shelf: { name: 'Two' } }),
    409: (api) => api.put('/shelves/one', { shelf: { id: 'two', name: 'Two' } }),
    412: (api) => api.put('/shelves/one', { shelf: { name: 'New' } }, stale),
    422: (api) => api.put('/shelves/one', { shelf: { name: 1 } }),
  },
}

const underJsonApi: Provocations = {
  'POST /shelves': {
    201: (api) => api.post('/shelves', resource('shelves', { name: 'Two' }, { id: 'two' })),
    409: (api) => api.post('/shelves', resource('books', {})),
    422: (api) => api.post('/shelves', resource('shelves', { name: 1 }, { id: 'two' })),
  },
  'POST /books': {
    201: (api) => api.post('/books', resource('books', { title: 'New' }, writtenBy('mary'))),
    404: (api) => api.post('/books', resource('books', { title: 'New' }, writtenBy('nobody'))),
    409: (api) => api.post('/books', resource('authors', {})),
    422: (api) => api.post('/books', resource('books', { title: 1 }, writtenBy('mary'))),
  },
  'GET /books/{id}/relationships/author': {
    200: (api) => api.get('/books/dune/relationships/author'),
    304: async (api) =>
      api.get(
        '/books/dune/relationships/author',
        await ifNoneMatch(api, '/books/dune/relationships/author'),
      ),
    404: (api) => api.get('/books/none/relationships/author'),
  },
  'PATCH /books/{id}/relationships/author': {
    204: (api) => api.patch('/books/dune/relationships/author', identifier('authors', 'mary')),
    404: (api) => api.patch('/books/dune/relationships/author', identifier('authors', 'nobody')),
    409: (api) => api.patch('/books/dune/relationships/author', identifier('books', 'dune')),
    412: (api) =>
      api.patch('/books/dune/relationships/author', identifier('authors', 'mary'), stale),
    422: (api) => api.patch('/books/dune/relationships/author', { data: null }),
  },
  'PATCH /books/{id}/relationships/editor': {
    204: (api) => api.patch('/books/dune/relationships/editor', { data: null }),
    404: (api) => api.patch('/books/none/relationships/editor', { data: null }),
    409: (api) => api.patch('/books/dune/relationships/editor', identifier('books', 'dune')),
    412: (api) => api.patch('/books/dune/relationships/editor', { data: null }, stale),
  },
  ...Object.fromEntries(
    ['POST', 'DELETE'].map((method) => [
      `${method} /books/{id}/relationships/shelves`,
      {
        204: (api: Client) => api.send(method, '/books/dune/relationships/shelves', { data: [] }),
        404: (api: Client) => api.send(method, '/books/none/relationships/shelves', { data: [] }),
        409: (api: Client) =>
          api.send(method, '/books/dune/relationships/shelves', {
            data: [{ type: 'books', id: 'dune' }],
          }),
        412: (api: Client) =>
          api.send(method, '/books/dune/relationships/shelves', { data: [] }, stale),
      },
    ]),
  ),
}

/** Operations that refuse every request, which the document leaves out. */
const refused: Provocations = {
  ...Object.fromEntries(
    ['POST', 'DELETE'].map((method) => [
      `${method} /books/{id}/relationships/author`,
      {
        403: (api: Client) =>
          api.send(
            method,
            '/books/dune/relationships/author',
            identifier('authors', 'mary'),
            stale,
          ),
        404: (api: Client) =>
          api.send(method, '/books/none/relationships/author', identifier('authors', 'mary')),
      },
    ]),
  ),
  'PATCH /books/{id}/relationships/readers': {
    403: (api) => api.patch('/books/dune/relationships/readers', { data: [] }, stale),
    404: (api) => api.patch('/books/none/relationships/readers', { data: [] }),
  },
}

describe.each([
  { name: 'REST', policy: rest(), provocations: underRest },
  { name: 'JSON:API', policy: jsonApi(), provocations: underJsonApi },
])('Every documented status can happen, under $name', ({ policy, provocations }) => {
  it.each(Object.keys(provocations))('%s', async (route) => {
    const seen: string[] = []
    for (const [status, send] of Object.entries(provocations[route]!)) {
      const { api } = await serviceOf(policy)
      expect((await send(api)).status, status).toBe(Number(status))
      seen.push(status)
    }
    const { router } = await serviceOf(policy)
    expect(own(router, route)).toEqual(seen)
  })

  it('errors about bodies are listed only where a body is read', () => {
    for (const { method, path, operation } of operationsOf(documentOf(models, policy)))
      for (const status of ['408', '413', '415']) {
        const isRead = operation.requestBody !== undefined || path === '/notes/{id}/shout'
        expect(status in operation.responses, `${method} ${path} ${status}`).toBe(isRead)
      }
  })
})

describe('An operation that refuses every request has responses, and is not documented', () => {
  it.each(Object.keys(refused))('%s', async (route) => {
    for (const [status, send] of Object.entries(refused[route]!)) {
      const { api } = await serviceOf(jsonApi())
      expect((await send(api)).status, status).toBe(Number(status))
    }
    const documented = operationsOf(documentOf(models, jsonApi()))
    expect(documented.map(({ method, path }) => `${method} ${path}`)).not.toContain(route)
  })
})

describe('A write is documented as forbidden', () => {
  const routes = ['POST /notes', 'POST /authors', 'PATCH /books/{id}/relationships/author']
  const hooks: Middleware = { query: { create: (query) => query, update: (query) => query } }

  it('where middleware narrows what can be written', () => {
    const router = createRouter({ policy: jsonApi(), store: memory(), blobs: memoryBlobs() })
    for (const model of models) router.prepare(model).use(hooks)
    for (const route of routes) expect(own(router, route)).toContain('403')
  })

  it('and nowhere else, except where the model or a relation says so', () => {
    const Free = model('note', { text: z.string() })
    const document = documentOf([Author, Book, Shelf, Free], jsonApi())
    for (const route of routes)
      expect(operationAt(document, route).responses).not.toHaveProperty('403')
  })

  it('where every item needs a value that only the service can set', () => {
    const Sealed = model('note', { text: z.string(), seal: field(z.string(), { hidden: true }) })
    expect(operationAt(documentOf([Sealed]), 'POST /notes').responses).toHaveProperty('403')
  })
})
