import {
  type Context,
  createRouter,
  type Middleware,
  model,
  respond,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client, mediaType } from '../spec/support/document-client.ts'
import { expectDone, expectError } from '../spec/support/expecting.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Book = model('book', {
  title: z.string(),
  author: toOne('author', { optional: true }),
  shelves: toMany('shelf'),
})
const Shelf = model('shelf', { name: z.string(), books: toMany('book', { inverse: 'shelves' }) })

const Part = model('part', {
  whole: toOne('part', { optional: true }),
  parts: toMany('part', { inverse: 'whole' }),
})

const editor = { authorization: 'editor' }
const unauthorized = '{"jsonapi":{"version":"1.1"},"errors":[{"status":"401"}]}'
const editorsOnly = ({ request }: Context) =>
  request.headers.authorization === 'editor'
    ? undefined
    : respond(401, { 'content-type': mediaType }, unauthorized)

const book = (id: string) => ({ type: 'books', id })
const author = (attributes: object, relationships: object, id = 'a-1') => ({
  data: { type: 'authors', id, attributes, relationships },
})

describe.each(stores)(
  'No back door: changing items through relations counts as an update, on $name',
  ({ make }) => {
    const library = async (ofBooks: Middleware, shared: Middleware = {}): Promise<Client> => {
      const router = createRouter({
        policy: jsonApi(),
        store: await make(),
        onError: () => undefined,
      })
      router.use(shared)
      router.prepare(Author)
      router.prepare(Book).use(ofBooks)
      router.prepare(Shelf)
      await router.load(Author, [
        { id: 'a-1', name: 'Mary' },
        { id: 'a-2', name: 'Percy' },
      ])
      await router.load(Shelf, [{ id: 's-1', name: 'Top' }])
      await router.load(Book, [
        { id: 'b-1', title: 'Frankenstein', author: 'a-1', shelves: ['s-1'] },
        { id: 'b-2', title: 'Ozymandias', author: 'a-2' },
        { id: 'b-3', title: 'Adonais', author: null },
      ])
      return client(router)
    }

    const state = async (api: Client) => {
      const { many } = await api.get('/books', editor)
      return many.map(({ id, relationships }) => [
        id,
        relationships!.author!.data,
        relationships!.shelves!.data,
      ])
    }

    const requests = [
      ['POST', '/authors/a-1/relationships/books', { data: [book('b-2')] }],
      ['POST', '/authors/a-1/relationships/books', { data: [book('b-2'), book('nowhere')] }],
      ['PATCH', '/authors/a-1/relationships/books', { data: [book('b-1'), book('b-3')] }],
      ['PATCH', '/authors/a-1/relationships/books', { data: [] }],
      ['DELETE', '/authors/a-1/relationships/books', { data: [book('b-1')] }],
      ['POST', '/shelves/s-1/relationships/books', { data: [book('b-2')] }],
      ['PATCH', '/shelves/s-1/relationships/books', { data: [] }],
      ['DELETE', '/shelves/s-1/relationships/books', { data: [book('b-1')] }],
      ['PATCH', '/authors/a-1', author({}, { books: { data: [book('b-2')] } })],
      ['PATCH', '/authors/a-1', author({ name: 'M' }, { books: { data: [] } })],
      ['PUT', '/authors/a-1', author({ name: 'M' }, { books: { data: [book('b-3')] } })],
      ['POST', '/authors', author({ name: 'New' }, { books: { data: [book('b-1')] } }, 'a-3')],
      ['PATCH', '/books/b-1/relationships/author', { data: { type: 'authors', id: 'a-2' } }],
      ['PATCH', '/books/b-1/relationships/author', { data: null }],
      ['POST', '/books/b-2/relationships/shelves', { data: [{ type: 'shelves', id: 's-1' }] }],
      ['PATCH', '/books/b-1/relationships/shelves', { data: [] }],
      ['DELETE', '/books/b-1/relationships/shelves', { data: [{ type: 'shelves', id: 's-1' }] }],
    ] as const

    it.each(requests)(
      '%s %s with %j is refused when an update of the book would be',
      async (method, path, body) => {
        for (const name of ['update', 'patch', 'any'] as const) {
          const api = await library({ request: { [name]: editorsOnly } })
          const before = await state(api)
          const authors = (await api.get('/authors')).many
          const response = await api.send(method, path, body)
          expect([response.status, response.text], name).toEqual([401, unauthorized])
          expect(await state(api)).toEqual(before)
          expect((await api.get('/authors')).many).toEqual(authors)
        }
      },
    )

    it.each(requests.filter(([, , body]) => !JSON.stringify(body).includes('nowhere')))(
      '%s %s with %j succeeds for callers who may update the book',
      async (method, path, body) => {
        const api = await library({ request: { update: editorsOnly } })
        const before = await state(api)
        expect([200, 201, 204]).toContain((await api.send(method, path, body, editor)).status)
        expect(await state(api)).not.toEqual(before)
      },
    )

    it('the hooks see each changed book as if the request were about it', async () => {
      const seen: string[] = []
      const tell = ({ rule, id, params }: Context) =>
        void seen.push(
          `${rule.operation} ${'view' in rule && rule.view.model.name} ${id} ${params.id}`,
        )
      const api = await library({ request: { update: tell } })
      expectDone(
        await api.patch('/authors/a-1/relationships/books', { data: [book('b-2'), book('b-3')] }),
      )
      expect(seen.toSorted()).toEqual(
        ['b-1', 'b-2', 'b-3'].map((id) => `UpdateItem book ${id} ${id}`),
      )
    })

    it('the hooks do not run for unchanged books', async () => {
      const seen: unknown[] = []
      const api = await library({ request: { update: ({ id }) => void seen.push(id) } })
      expectDone(await api.post('/authors/a-1/relationships/books', { data: [book('b-1')] }))
      expectDone(
        await api.delete('/authors/a-1/relationships/books', {
          data: [book('b-2'), book('nowhere')],
        }),
      )
      expectDone(await api.patch('/authors/a-1/relationships/books', { data: [book('b-1')] }))
      expect((await api.patch('/authors/a-1', author({ name: 'M' }, {}))).status).toBe(200)
      expect(seen).toEqual([])
    })

    it('a hook of the router runs once for a request, a hook of books once before reading and once for each changed book', async () => {
      const seen: string[] = []
      const api = await library(
        { request: { any: ({ id }) => void seen.push(`book ${id}`) } },
        { request: { any: ({ id }) => void seen.push(`any ${id}`) } },
      )
      expectDone(
        await api.post('/authors/a-1/relationships/books', { data: [book('b-2'), book('b-3')] }),
      )
      expect(seen).toEqual(['any a-1', 'book undefined', 'book b-2', 'book b-3'])
    })

    it('the hooks share state and headers with the request', async () => {
      const api = await library(
        {
          request: {
            update: ({ state, setHeader, id }) =>
              setHeader('x-asked', `${state.get('user')} ${id}`),
          },
        },
        { request: { any: ({ state }) => void state.set('user', 'ada') } },
      )
      const response = await api.post('/authors/a-1/relationships/books', { data: [book('b-2')] })
      expect([response.status, response.headers.get('x-asked')]).toEqual([204, 'ada b-2'])
    })

    it('the hooks block no other write, and may wait for one themselves', async () => {
      const api: Client = await library({
        request: {
          update: async () => {
            const added = await api.post(
              '/authors',
              author({ name: 'Logged' }, {}, `log-${Math.random()}`),
            )
            expect(added.status).toBe(201)
          },
        },
      })
      expectDone(await api.patch('/authors/a-1/relationships/books', { data: [book('b-2')] }))
      expect((await api.get('/authors?filter[name]=Logged')).many).toHaveLength(2)
    })

    it('the hooks also run for books that another request adds to the author meanwhile', async () => {
      const seen: unknown[] = []
      const api: Client = await library({
        request: {
          update: async ({ id, request }) => {
            if (request.path.startsWith('/books/')) return
            if (seen.length === 0)
              expectDone(
                await api.patch('/books/b-3/relationships/author', {
                  data: { type: 'authors', id: 'a-1' },
                }),
              )
            seen.push(id)
          },
        },
      })
      expectDone(await api.patch('/authors/a-1/relationships/books', { data: [] }))
      expect(seen).toEqual(['b-1', 'b-3'])
      expect((await api.get('/authors/a-1/relationships/books')).ids).toEqual([])
    })

    it('an item that relates to itself counts as the item of the request', async () => {
      const seen: unknown[] = []
      const router = createRouter({ policy: jsonApi(), store: await make() })
      router.prepare(Part).use({ request: { update: ({ id }) => void seen.push(id) } })
      const api = client(router)
      const self = { data: [{ type: 'parts', lid: 'new' }] }
      const created = await api.post('/parts', {
        data: { type: 'parts', lid: 'new', relationships: { parts: self } },
      })
      const { id } = created.one
      expect([created.status, created.one.relationships!.whole!.data]).toEqual([
        201,
        { type: 'parts', id },
      ])
      expect(seen).toEqual([])
      expectDone(await api.patch(`/parts/${id}/relationships/parts`, { data: [] }))
      expectDone(
        await api.post(`/parts/${id}/relationships/parts`, { data: [{ type: 'parts', id }] }),
      )
      expect(seen).toEqual([id, id])
    })

    it('hooks that throw respond with 500, and nothing is changed', async () => {
      const api = await library({
        request: {
          update: ({ request }) => {
            if (request.headers.authorization === undefined) throw new TypeError('no user')
          },
        },
      })
      const before = await state(api)
      expectError(await api.post('/authors/a-1/relationships/books', { data: [book('b-2')] }), 500)
      expect(await state(api)).toEqual(before)
    })

    it('only who may read the item may read its relationship', async () => {
      const api = await library({ request: { getItem: editorsOnly } })
      for (const path of ['/books/b-1', '/books/b-1/relationships/author', '/books/b-1/author']) {
        expect((await api.get(path)).status, path).toBe(401)
        expect((await api.get(path, editor)).status, path).toBe(200)
      }
    })
  },
)
