import {
  createRouter,
  field,
  file,
  type Middleware,
  model,
  type Policy,
  type QueryHook,
  refuse,
  respond,
  type Store,
  stateKey,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const hidesAll = (query: Parameters<QueryHook>[0]) => query.none()

describe.each(stores)('What the guide says of guards, on $name', ({ make }) => {
  describe('customers see only their own orders, on every path', () => {
    const Customer = model('customer', {
      name: z.string(),
      orders: toMany('order', { inverse: 'customer' }),
    })
    const Order = model(
      'order',
      { note: z.string().optional(), customer: toOne('customer') },
      { ids: 'server' },
    )
    const caller = stateKey<{ id: string }>('caller')
    const signedIn: Middleware = {
      request: {
        any: ({ request, state }) => {
          const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
          if (token !== 'ada' && token !== 'bob')
            throw refuse('unauthorized', 'Send a token that is known.')
          state.set(caller, { id: token })
        },
      },
    }
    const own = (path: string): Middleware => {
      const narrow: QueryHook = (query, { state }) =>
        query.where(path).equal(state.get(caller)?.id ?? null)
      return { query: { any: narrow, create: narrow } }
    }
    const shop = async (store: Store) => {
      const router = createRouter({ policy: jsonApi(), store })
      router.use(signedIn)
      router.prepare(Customer).use(own('id'))
      router.prepare(Order).use(own('customer'))
      await router.load(Customer, [
        { id: 'ada', name: 'Ada' },
        { id: 'bob', name: 'Secret Bob' },
      ])
      await router.load(Order, [
        { id: 'o-ada', note: 'mine', customer: 'ada' },
        { id: 'o-bob', note: 'secret note', customer: 'bob' },
      ])
      const api = client(router, 'http://localhost', 'application/vnd.api+json')
      return {
        router,
        ask: (method: string, path: string, body?: unknown) =>
          api.send(method, path, body, { authorization: 'Bearer ada' }),
        api,
      }
    }
    const order = (id: string | undefined, customer: string) => ({
      data: {
        type: 'orders',
        id,
        relationships: { customer: { data: { type: 'customers', id: customer } } },
      },
    })

    it.each([
      '/orders',
      '/orders?include=customer.orders',
      '/orders?withCount=true&page[size]=5',
      '/orders?sort=customer.name',
      "/orders?filter=or(eq(customer.name,'Secret Bob'),isNull(note),not(isNull(note)))",
      '/customers?include=orders',
      '/customers/ada/orders?include=customer',
      '/customers/ada/relationships/orders',
      '/orders/o-ada/customer?include=orders',
    ])('GET %s', async (path) => {
      const { ask, api } = await shop(await make())
      const response = await ask('GET', path)
      expect(response.status).toBe(200)
      expect(response.text).toContain('ada')
      expect(response.text.replaceAll(/"(self|first|last|next|prev)":"[^"]*"/g, '')).not.toMatch(
        /o-bob|secret|Secret/,
      )
      if (path.includes('withCount')) expect(response.at('/meta/page/total')).toBe(1)
      expect((await api.get(path)).status, 'without a token').toBe(401)
    })

    it.each([
      ['GET', '/orders/o-bob', undefined],
      ['GET', '/orders/o-bob/customer', undefined],
      ['GET', '/customers/bob/orders', undefined],
      ['GET', '/customers/bob/relationships/orders', undefined],
      ['PATCH', '/orders/o-bob', order('o-bob', 'ada')],
      ['PATCH', '/orders/o-bob/relationships/customer', { data: { type: 'customers', id: 'ada' } }],
      ['DELETE', '/orders/o-bob', undefined],
      ['POST', '/customers/ada/relationships/orders', { data: [{ type: 'orders', id: 'o-bob' }] }],
      ['POST', '/orders', order(undefined, 'bob')],
      ['PATCH', '/orders/o-ada', order('o-ada', 'bob')],
      ['PATCH', '/orders/o-ada/relationships/customer', { data: { type: 'customers', id: 'bob' } }],
    ])(
      '%s %s with %j is 404, like a missing item, and changes nothing',
      async (method, path, body) => {
        const { ask, router } = await shop(await make())
        const response = await ask(method, path, body)
        expect(response.status).toBe(404)
        const absent = await ask(
          method,
          path.replace('bob', 'nobody'),
          body && JSON.parse(JSON.stringify(body).replaceAll('bob', 'nobody')),
        )
        expect(response.text.replaceAll('bob', 'nobody')).toBe(absent.text)
        const orders = router.query(Order)
        expect(await orders.where('id').equal('o-bob').where('customer').equal('bob').size()).toBe(
          1,
        )
        expect(await orders.where('id').equal('o-ada').where('customer').equal('ada').size()).toBe(
          1,
        )
        expect(await orders.size()).toBe(2)
      },
    )
  })

  describe('an item that hooks of update hide can be read', () => {
    const User = model('user', { name: z.string(), notes: toMany('note', { inverse: 'author' }) })
    const Note = model(
      'note',
      { text: z.string().default(''), author: toOne('user', { optional: true }), scan: file() },
      { upsert: true },
    )
    const locked: Middleware = {
      query: { update: (query) => query.where('text').notEqual('locked') },
    }
    const service = async (policy: Policy, mediaType: string) => {
      const router = createRouter({ policy, store: await make(), blobs: memoryBlobs() })
      router.prepare(User)
      router
        .prepare(Note)
        .use(locked)
        .itemOperation('touch', () => undefined)
      await router.load(User, [{ id: 'u-1', name: 'Mary' }])
      await router.load(Note, [{ id: 'n-1', text: 'locked', author: 'u-1' }])
      return client(router, 'http://localhost', mediaType)
    }
    const note = { type: 'notes', id: 'n-1' }

    it.each([
      ['PATCH', '/notes/n-1', { note: { text: 'x' } }],
      ['PUT', '/notes/n-1', { note: { text: 'x' } }],
      ['DELETE', '/notes/n-1', undefined],
      ['POST', '/notes/n-1/touch', undefined],
      ['POST', '/notes/n-1/scan', 'bytes'],
      ['DELETE', '/notes/n-1/scan', undefined],
    ] as const)('%s %s is 403, with upsert too', async (method, path, body) => {
      const api = await service(rest(), 'application/json')
      const response = await api.send(
        method,
        path,
        body,
        path.endsWith('scan') ? { 'content-type': 'text/plain' } : {},
      )
      expect([response.status, response.errors[0]?.detail]).toEqual([
        403,
        expect.stringMatching(
          /^You may see this note, but not (?:change|delete|call 'touch' on) it\.$/,
        ),
      ])
      expect((await api.get('/notes/n-1')).at('/note/text')).toBe('locked')
    })

    it.each([
      ['PATCH', '/notes/n-1/relationships/author', { data: null }, 403],
      ['DELETE', '/users/u-1/relationships/notes', { data: [note] }, 403],
      ['PATCH', '/users/u-1/relationships/notes', { data: [] }, 403],
      [
        'PATCH',
        '/users/u-1',
        { data: { type: 'users', id: 'u-1', relationships: { notes: { data: [] } } } },
        403,
      ],
    ] as const)('%s %s with %j is %4$i', async (method, path, body, status) => {
      const api = await service(jsonApi(), 'application/vnd.api+json')
      expect((await api.send(method, path, body)).status).toBe(status)
      expect((await api.get('/notes/n-1')).at('/data/relationships/author/data/id')).toBe('u-1')
    })
  })

  describe('two responses reveal items that a caller may not see', () => {
    const Shelf = model('shelf', { label: field(z.string(), { unique: true }) })
    const library = async (
      onDelete: 'restrict' | 'set-null' | 'cascade',
      ofShelves: Middleware = {},
    ) => {
      const ran: string[] = []
      const router = createRouter({ policy: rest(), store: await make() })
      const Book = model('book', {
        title: z.string(),
        shelf: toOne('shelf', { optional: true, onDelete }),
      })
      router.prepare(Shelf).use(ofShelves)
      router.prepare(Book).use({
        request: { any: ({ rule }) => void ran.push(rule.operation) },
        query: { any: (query) => query.where('title').notEqual('hidden') },
      })
      await router.load(Shelf, [{ id: 's-1', label: 'A' }])
      await router.load(Book, [{ id: 'b-1', title: 'hidden', shelf: 's-1' }])
      return { api: client(router), ran, books: () => router.query(Book).size() }
    }

    it('an id or a unique value that another item has is 409', async () => {
      const { api } = await library('restrict', { query: { any: hidesAll } })
      expect((await api.get('/shelves')).at('/shelves')).toEqual([])
      const createShelf = (id: string, label: string) =>
        api.post('/shelves', { shelf: { id, label } })
      expect([
        (await createShelf('s-1', 'B')).status,
        (await createShelf('s-2', 'A')).status,
      ]).toEqual([409, 409])
    })

    it('a deletion is 409 while hidden items refer to the item, which set-null, cascade and a guard of delete_ prevent', async () => {
      const restricting = await library('restrict')
      expect((await restricting.api.delete('/shelves/s-1')).status).toBe(409)
      const cleared = await library('set-null')
      expect([(await cleared.api.delete('/shelves/s-1')).status, await cleared.books()]).toEqual([
        204, 1,
      ])
      const cascading = await library('cascade')
      expect([
        (await cascading.api.delete('/shelves/s-1')).status,
        await cascading.books(),
      ]).toEqual([204, 0])
      const guarded = await library('restrict', { request: { delete_: () => respond(403) } })
      expect((await guarded.api.delete('/shelves/s-1')).status).toBe(403)
    })

    it('no hooks of the referring items run for what onDelete does', async () => {
      for (const onDelete of ['restrict', 'set-null', 'cascade'] as const) {
        const { api, ran } = await library(onDelete)
        await api.delete('/shelves/s-1')
        expect(ran).toEqual([])
      }
    })
  })

  it('a value that a mapper changes is filtered and sorted by as it is stored, and stored as it is sent back', async () => {
    const User = model('user', { name: z.string(), email: z.string() })
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(User).map((user) => ({ ...user, email: `${user.email.slice(0, 1)}…` }))
    await router.load(User, [
      { id: 'u-1', name: 'Mary', email: 'b@example.com' },
      { id: 'u-2', name: 'Percy', email: 'a@example.com' },
    ])
    const api = client(router)
    const filtered = await api.get('/users?filter[email]=b@example.com')
    expect(filtered.at('/users')).toEqual([{ id: 'u-1', name: 'Mary', email: 'b…' }])
    expect((await api.get('/users?sort=email')).ids('users')).toEqual(['u-2', 'u-1'])
    await api.put('/users/u-1', { user: { name: 'Mary', email: 'b…' } })
    expect(await router.query(User).where('email').equal('b…').size()).toBe(1)
  })

  it('readOnly, filter: false and sort: false prevent that', async () => {
    const email = field(z.string().default(''), { readOnly: true, filter: false, sort: false })
    const User = model('user', { name: z.string(), email })
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(User).map((user) => ({ ...user, email: `${user.email.slice(0, 1)}…` }))
    await router.load(User, [{ id: 'u-1', name: 'Mary', email: 'b@example.com' }])
    const api = client(router)
    for (const query of [
      'filter[email]=b@example.com',
      'filter[email][startsWith]=b',
      'sort=email',
    ])
      expect((await api.get(`/users?${query}`)).status).toBe(400)
    expect((await api.put('/users/u-1', { user: { name: 'Mary', email: 'b…' } })).status).toBe(200)
    for await (const user of router.query(User).exec())
      expect(user).toMatchObject({ email: 'b@example.com' })
  })

  it('a mapper gets related items, which the request hooks of their model guard', async () => {
    const Author = model('author', { name: z.string() })
    const Book = model('book', {
      title: z.string(),
      author: toOne<{ name: string }>('author', { optional: true }),
    })
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Author).use({ request: { getItem: () => refuse('forbidden', 'No authors.') } })
    router
      .prepare(Book)
      .map((book) => ({ ...book, by: book.author?.name ?? '' }), { adds: { by: z.string() } })
    await router.load(Author, [{ id: 'a-1', name: 'Mary' }])
    await router.load(Book, [{ id: 'b-1', title: 'Frankenstein', author: 'a-1' }])
    const api = client(router)
    for (const path of ['/books', '/books/b-1']) {
      const response = await api.get(path)
      expect([response.status, response.text.includes('Mary')]).toEqual([403, false])
    }
  })
})
