import {
  Action,
  ApiError,
  field,
  hash,
  type ItemContext,
  type Middleware,
  model,
  type Router,
  refuse,
  toOne,
} from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client, ClientResponse } from '../support/client.ts'
import { policies } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

class Shelf extends model('shelf', {
  room: z.string(),
  secret: field(z.boolean().default(false), { hidden: true }),
}) {}

class Book extends model('book', {
  title: z.string().min(1),
  stock: z.int().nonnegative().default(0),
  heldBy: z.string().optional(),
  secret: field(z.boolean().default(false), { hidden: true }),
  shelf: toOne('shelf', { optional: true }),
  hash: hash(),
}) {
  get isRare(): boolean {
    return this.stock < 3
  }

  @Action({ output: z.object({ stock: z.int() }) })
  tell(): { stock: number } {
    return { stock: this.stock }
  }
}

const Quantity = z.object({ quantity: z.int().positive() })
const Remaining = z.object({ left: z.int() })

/** Reserves one copy or more while there are enough. */
function reserve({
  item: book,
  input: { quantity },
}: ItemContext<Book, z.output<typeof Quantity>>) {
  if (book.stock < quantity)
    throw refuse('conflict', `Only ${book.stock} of '${book.title}' are left.`)
  book.stock -= quantity
  return { left: book.stock }
}

describe.each(policies)('Under $name,', (kind) => {
  describe.each(stores)('on $name,', ({ make }) => {
    let router: Router
    let api: Client
    let reported: unknown[]
    let seen: ItemContext<object, unknown>[]

    const invoke = (
      name: string,
      input?: unknown,
      headers?: Record<string, string>,
      id = 'b-1',
    ): Promise<ClientResponse> =>
      api.post(`/books/${id}/${name}`, input === undefined ? undefined : kind.input(input), headers)
    const read = async (id = 'b-1') => kind.item(await api.get(`/books/${id}`))

    /** Some books are hidden from everybody, and some requests have no caller. */
    const middleware: Middleware = {
      request: {
        any: ({ state, request }) => void state.set('user', request.headers['x-user'] ?? 'nobody'),
      },
      query: { getItem: (query) => query.where('secret').equal(false) },
    }

    beforeEach(async () => {
      reported = []
      seen = []
      router = kind.router(await make(), { onError: (error) => reported.push(error) })
      router
        .prepare(Shelf)
        .use({ query: { getItem: (query) => query.where('secret').equal(false) } })
      router
        .prepare(Book)
        .use(middleware)
        .use({
          request: {
            action: ({ request }) => {
              if (request.headers['x-user'] === 'banned') throw refuse('forbidden', 'Not you.')
            },
          },
          query: {
            action: (query, { rule }) =>
              rule.target.kind === 'action' && rule.target.action.name === 'sell-off'
                ? query.where('stock').greaterThan(0)
                : query,
          },
        })
        .itemOperation('reserve', reserve, {
          input: Quantity,
          output: Remaining,
          id: 'reserve',
          responses: { 409: 'Fewer are left than are asked for' },
        })
        .itemOperation('check-out', ({ item: book, state }) => {
          book.heldBy = String(state.get('user'))
        })
        .itemOperation('sell-off', ({ item }) => {
          item.stock = 0
        })
        .itemOperation(
          'look-around',
          async (context) => {
            seen.push(context)
            const shelves: unknown[] = []
            for await (const shelf of context.query(Shelf).sort('room').exec())
              shelves.push(shelf.room)
            context.setHeader('x-seen', `${shelves.length}`)
            return {
              shelves,
              books: await context.query(Book).size(),
              isRare: context.item.isRare,
              shelf: context.item.shelf,
            }
          },
          {
            output: z.object({
              shelves: z.array(z.unknown()),
              books: z.int(),
              isRare: z.boolean(),
              shelf: z.unknown(),
            }),
          },
        )
        .itemOperation(
          'pay',
          ({ item }) => {
            item.stock = 0
            throw new ApiError([
              {
                status: 402,
                code: 'payment-required',
                title: 'Pay first',
                detail: 'This book is not paid for.',
              },
            ])
          },
          { responses: { 402: 'It has to be paid for' } },
        )
        .itemOperation('fail', async ({ item }) => {
          item.stock = 0
          throw new Error('the secret reason')
        })
        .itemOperation('spoil', ({ item }) => {
          item.title = ''
        })
      api = kind.client(router)
      await router.load(Shelf, [
        { id: 's-1', room: 'North' },
        { id: 's-2', room: 'Vault', secret: true },
        { id: 's-3', room: 'South' },
      ])
      await router.load(Book, [
        { id: 'b-1', title: 'Dune', stock: 5, shelf: 's-1' },
        { id: 'b-2', title: 'Necronomicon', stock: 1, secret: true },
        { id: 'b-3', title: 'Solaris', stock: 0, shelf: 's-2' },
      ])
    })

    it('ItemApiOperation calls a function that is registered under an action name', async () => {
      const response = await invoke('reserve', { quantity: 2 })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, kind.mediaType])
      expect(kind.output(response)).toEqual({ left: 3 })
      expect((await read()).stock).toBe(3)
      // The ETags of all representations of the item.
      expect((await api.get('/books/b-1')).etag.startsWith(response.etag.slice(0, -1))).toBe(true)
      expect((await invoke('reserve', { quantity: 1 }, { 'if-match': response.etag })).status).toBe(
        200,
      )
    })

    it('when it refuses, nothing is stored', async () => {
      const response = await invoke('reserve', { quantity: 6 })
      expect([response.status, response.errors[0]?.code]).toEqual([409, 'conflict'])
      expect(response.errors[0]?.detail).toBe("Only 5 of 'Dune' are left.")
      expect((await read()).stock).toBe(5)
    })

    it('API6: of 20 parallel reserve {quantity: 1} of 5, exactly 5 succeed', async () => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => invoke('reserve', { quantity: 1 })),
      )
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(15)
      expect((await read()).stock).toBe(0)
    })

    it('C18: If-Match is checked, and exactly one of many with the same ETag succeeds', async () => {
      const { etag } = await api.get('/books/b-1')
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => invoke('reserve', { quantity: 1 }, { 'if-match': etag })),
      )
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)])
    })

    it('a name may have a hyphen; without an output the response is the item', async () => {
      const response = await invoke('check-out', undefined, { 'x-user': 'ada' })
      expect([response.status, kind.item(response).heldBy]).toEqual([200, 'ada'])
      expect((await read()).heldBy).toBe('ada')
    })

    it('its input is validated before it is called', async () => {
      const response = await invoke('reserve', { quantity: 0, more: true })
      expect(response.status).toBe(422)
      expect(response.errors.map((error) => error.source?.pointer)).toEqual(
        ['/quantity', '/more'].map((pointer) => kind.inputAt + pointer),
      )
      expect((await invoke('reserve')).status).toBe(400)
      expect((await invoke('check-out', { by: 'ada' })).status).toBe(422)
    })

    it('the function receives the full operation context', async () => {
      const response = await invoke('look-around', {}, { 'x-user': 'ada' })
      expect(response.status).toBe(200)
      expect(response.headers.get('x-seen')).toBe('2')
      const [context] = seen
      expect(context).toMatchObject({
        id: 'b-1',
        params: { id: 'b-1' },
        request: { method: 'POST', path: '/books/b-1/look-around' },
        rule: { operation: 'ItemApiOperation', path: '/books/:id/look-around' },
        input: undefined,
      })
      expect(context!.state.get('user')).toBe('ada')
      expect(context!.headers['x-seen']).toBe('2')
      expect(context!.item).toBeInstanceOf(Book)
    })

    it('it can read items of any model that the caller may see', async () => {
      expect(kind.output(await invoke('look-around'))).toEqual({
        shelves: ['North', 'South'],
        books: 2,
        isRare: false,
        shelf: { id: 's-1', room: 'North', secret: false },
      })
    })

    it('a related item that the caller may not see is an id to it, and stays related', async () => {
      const { shelf } = kind.output(await invoke('look-around', {}, {}, 'b-3')) as {
        readonly shelf: unknown
      }
      expect(shelf).toEqual({ id: 's-2' })
      await invoke('check-out', {}, {}, 'b-3')
      const stored = []
      for await (const book of router.query(Book).where('id').equal('b-3').exec())
        stored.push(book.shelf)
      expect(stored).toEqual(['s-2'])
    })

    it('an error with a status and a code of its own is sent in the format of the policy', async () => {
      const response = await invoke('pay')
      expect([response.status, response.errors[0]?.code, response.errors[0]?.title]).toEqual([
        402,
        'payment-required',
        'Pay first',
      ])
      expect((await read()).stock).toBe(5)
      expect(reported).toEqual([])
    })

    it('any other error is an opaque 500, reported, and nothing is stored', async () => {
      const response = await invoke('fail')
      expect([response.status, response.text.includes('secret')]).toEqual([500, false])
      expect(String(reported[0])).toContain('the secret reason')
      expect((await read()).stock).toBe(5)
    })

    it('the changed item is validated as a whole', async () => {
      const response = await invoke('spoil')
      expect([response.status, response.errors[0]?.code]).toEqual([422, 'invalid-outcome'])
      expect((await read()).title).toBe('Dune')
    })

    describe('both kinds of action run the hooks of action', () => {
      it.each(['reserve', 'tell', 'check-out'])(
        'a hook in phase 1 may end the request (%s)',
        async (name) => {
          const response = await invoke(name, name === 'reserve' ? { quantity: -1 } : undefined, {
            'x-user': 'banned',
          })
          expect([response.status, response.errors.map(({ detail }) => detail)]).toEqual([
            403,
            ['Not you.'],
          ])
          expect((await read()).stock).toBe(5)
        },
      )

      it('phase 1 runs before the body is read', async () => {
        const response = await api.post('/books/b-1/reserve', '{', { 'x-user': 'banned' })
        expect(response.status).toBe(403)
      })

      it('a hook in phase 2 may keep items from one action alone', async () => {
        expect((await invoke('sell-off', {}, {}, 'b-3')).status).toBe(403)
        expect((await invoke('sell-off')).status).toBe(200)
        expect((await invoke('check-out', {}, {}, 'b-3')).status).toBe(200)
      })

      it('they do not run for other operations', async () => {
        expect((await api.get('/books/b-1', { 'x-user': 'banned' })).status).toBe(200)
      })
    })

    describe('there is no back door: an item that a getItem hook hides is 404 in the words for a missing item', () => {
      it.each([
        ['reserve', { quantity: 1 }, {}],
        ['reserve', { quantity: -1 }, {}],
        ['reserve', {}, {}],
        ['check-out', undefined, {}],
        ['tell', undefined, {}],
        ['tell', undefined, { 'if-match': '*' }],
        ['tell', undefined, { 'if-match': '"x"' }],
        ['look-around', { stray: 1 }, {}],
        ['fail', undefined, {}],
      ] as const)('%s with %j and %j', async (name, input, headers) => {
        const hidden = await invoke(name, input, headers, 'b-2')
        const missing = await invoke(name, input, headers, 'b-0')
        expect(hidden.status).toBe(404)
        expect(hidden.text.replaceAll('b-2', 'b-0')).toBe(missing.text)
        for await (const book of router.query(Book).where('id').equal('b-2').exec())
          expect(book).toMatchObject({ stock: 1, title: 'Necronomicon' })
      })

      it('but 403 is an item that an update hook keeps from changes and that can be seen', async () => {
        const guarded = kind.router(await make())
        guarded
          .prepare(Book)
          .use({ query: { update: (query) => query.where('stock').lessThan(9) } })
          .itemOperation('sell-off', ({ item }) => {
            item.stock = 0
          })
        guarded.prepare(Shelf)
        await guarded.load(Book, [{ id: 'b-9', title: 'Kept', stock: 9 }])
        const client = kind.client(guarded)
        expect((await client.post('/books/b-9/sell-off')).status).toBe(403)
        expect((await client.post('/books/b-9/tell')).status).toBe(403)
        expect((await client.get('/books/b-9')).status).toBe(200)
      })
    })

    it('a model that requires If-Match responds with 428 without it', async () => {
      class Strict extends model(
        'strict',
        { stock: z.int(), hash: hash() },
        { requireMatch: true },
      ) {}
      const strict = kind.router(await make())
      strict.prepare(Strict).itemOperation('empty', ({ item }) => {
        item.stock = 0
      })
      await strict.load(Strict, [{ id: 's-1', stock: 5 }])
      const client = kind.client(strict)
      expect((await client.post('/stricts/s-1/empty')).status).toBe(428)
      const { etag } = await client.get('/stricts/s-1')
      expect(
        (await client.post('/stricts/s-1/empty', undefined, { 'if-match': etag })).status,
      ).toBe(200)
    })
  })
})

describe('Under JSON:API', () => {
  const kind = policies[1]!
  let api: Client

  beforeEach(async () => {
    const router = kind.router(await stores[0]!.make())
    router.prepare(Shelf)
    router.prepare(Book).itemOperation('reserve', reserve, { input: Quantity, output: Remaining })
    await router.load(Book, [{ id: 'b-1', title: 'Dune', stock: 5 }])
    api = kind.client(router)
  })

  const post = (body: unknown, contentType: string) =>
    api.post('/books/b-1/reserve', body, { 'content-type': contentType })

  it('the body may be the input as application/json, or a document with the input in meta', async () => {
    expect((await post({ quantity: 1 }, 'application/json')).at('/meta')).toEqual({ left: 4 })
    expect((await post({ quantity: 1 }, 'application/json; charset=utf-8')).at('/meta')).toEqual({
      left: 3,
    })
    expect((await post({ meta: { quantity: 1 } }, kind.mediaType)).at('/meta')).toEqual({ left: 2 })
    expect(
      (await post({ jsonapi: { version: '1.1' }, meta: { quantity: 1, '@at': 1 } }, kind.mediaType))
        .status,
    ).toBe(200)
  })

  it.each([
    [{ quantity: 1 }, kind.mediaType, 400, 'invalid-document', ''],
    [
      { data: { type: 'books' }, meta: { quantity: 1 } },
      kind.mediaType,
      400,
      'invalid-document',
      '/data',
    ],
    [{ meta: [1] }, kind.mediaType, 400, 'invalid-document', '/meta'],
    [[], kind.mediaType, 400, 'invalid-document', ''],
    [{ meta: { quantity: 1 } }, 'application/json', 422, 'invalid-input', ''],
    [
      { meta: { quantity: 1 } },
      `${kind.mediaType}; charset=utf-8`,
      415,
      'unsupported-media-type',
      undefined,
    ],
    [{ quantity: 1 }, 'application/json; charset=latin1', 415, 'unsupported-media-type', undefined],
    [{ quantity: 1 }, 'text/plain', 415, 'unsupported-media-type', undefined],
  ])('%j as %s is %d %s', async (body, contentType, status, code, pointer) => {
    const response = await post(body, contentType)
    expect([
      response.status,
      response.errors[0]?.code,
      response.errors[0]?.source?.pointer,
    ]).toEqual([status, code, pointer])
  })

  it('the self link of an item in a response is its own address, with the same document', async () => {
    const response = await api.post('/books/b-1/tell')
    expect(response.at('/meta')).toEqual({ stock: 5 })
    expect(response.at('/links')).toBeUndefined()
    const router = kind.router(await stores[0]!.make())
    router.prepare(Shelf)
    router.prepare(Book).itemOperation('touch', () => undefined)
    await router.load(Book, [{ id: 'b-1', title: 'Dune' }])
    const client = kind.client(router)
    const touched = await client.post('/books/b-1/touch?fields[books]=title')
    expect(touched.at('/links/self')).toBe('/books/b-1?fields%5Bbooks%5D=title')
    expect((await client.get(String(touched.at('/links/self')))).body).toEqual(touched.body)
  })
})
