import {
  action,
  type Context,
  createRouter,
  field,
  hash,
  image,
  type Middleware,
  model,
  type Router,
  type RouterOptions,
  refuse,
  respond,
  type Store,
  StoreUnavailable,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { type Client, client, mediaType } from '../spec/support/document-client.ts'
import { expectError } from '../spec/support/expecting.ts'
import { methodsOf } from '../support/methods-of.ts'
import { png } from '../support/resources.ts'
import { stores } from '../support/stores.ts'

const Shelf = model('shelf', {
  name: z.string(),
  books: toMany('book', { inverse: 'shelves' }),
  hash: hash(),
})
const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
})
const Book = model('book', {
  title: z.string().min(1),
  isbn: field(z.string().optional(), { unique: true }),
  price: z.number().default(1),
  secret: field(z.boolean().default(false), { hidden: true }),
  author: toOne('author', { optional: true }),
  shelves: toMany('shelf'),
  hash: hash(),
})

const models = [Author, Book, Shelf]
const addBook = (id: string | undefined, attributes: object = {}, relationships: object = {}) => ({
  op: 'add',
  data: { type: 'books', id, attributes: { title: 'New', ...attributes }, relationships },
})
const updateBook = (id: string, attributes: object, more: object = {}) => ({
  op: 'update',
  data: { type: 'books', id, attributes },
  ...more,
})
const removeBook = (id: string) => ({ op: 'remove', ref: { type: 'books', id } })
const addName = (type: string, name: string, id?: string) => ({
  op: 'add',
  data: { type, id, attributes: { name } },
})
const book = (id: string) => ({ type: 'books', id })
const pointerTo = (index: number) => ({ pointer: `/atomic:operations/${index}` })

interface BatchOptions extends Partial<Omit<RouterOptions, 'policy' | 'store'>> {
  readonly shared?: Middleware
  readonly ofBooks?: Middleware
  readonly ofAuthors?: Middleware
}

interface Library {
  readonly router: Router
  readonly api: Client
  /** Sends a batch. */
  readonly operate: (
    operations: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => ReturnType<Client['operate']>
  /** Everything that is stored, including hidden members and versions. */
  readonly stored: () => Promise<unknown>
}

describe.each(stores)('Several operations in one request, on $name', ({ make }) => {
  const library = async (
    { shared, ofBooks, ofAuthors, ...options }: BatchOptions = {},
    wrap: (store: Store) => Store = (store) => store,
  ): Promise<Library> => {
    const router = createRouter({
      policy: jsonApi(),
      store: wrap(await make()),
      onError: () => undefined,
      ...options,
    })
    if (shared) router.use(shared)
    const authors = router.prepare(Author)
    if (ofAuthors) authors.use(ofAuthors)
    const books = router.prepare(Book)
    if (ofBooks) books.use(ofBooks)
    router.prepare(Shelf)
    await router.load(Author, [
      { id: 'a-1', name: 'Mary' },
      { id: 'a-2', name: 'Percy' },
    ])
    await router.load(Shelf, [{ id: 's-1', name: 'Top' }])
    await router.load(Book, [
      { id: 'b-1', title: 'Frankenstein', isbn: '1', author: 'a-1', shelves: ['s-1'] },
      { id: 'b-2', title: 'Ozymandias', isbn: '2', author: 'a-2' },
      { id: 'b-3', title: 'Secret', isbn: '3', secret: true },
    ])
    const api = client(router)
    const stored = async () => {
      const all: unknown[] = []
      for (const model of models)
        for await (const item of router.query(model).exec()) all.push(item)
      for (const { plural } of [{ plural: 'authors' }, { plural: 'books' }, { plural: 'shelves' }])
        all.push((await api.get(`/${plural}`, { authorization: 'editor' })).text)
      return all
    }
    return {
      router,
      api,
      operate: (operations, headers) => api.operate(operations, headers, '/operations'),
      stored,
    }
  }

  const editorsOnly = ({ request }: Context) =>
    request.headers.authorization === 'editor'
      ? undefined
      : respond(401, { 'www-authenticate': 'Bearer' }, 'no')
  const editor = { authorization: 'editor' }

  describe('middleware', () => {
    it('runs for the batch, and then for each operation like for a request', async () => {
      const seen: unknown[] = []
      const tell = (phase: string) => (context: Context) => {
        const { rule, id, request } = context
        seen.push([phase, rule.operation, request.method, request.path, id])
      }
      const logOf = (phase: string): NonNullable<Middleware['query']> => ({
        any: (query, context) => {
          tell(phase)(context)
          return query
        },
      })
      const { operate } = await library({
        shared: { request: { any: tell('shared') } },
        ofBooks: { request: { any: tell('books'), update: tell('update') }, query: logOf('query') },
        basePath: '/api',
      }).then(({ api }) => ({ operate: (operations: unknown) => api.operate(operations) }))
      seen.length = 0
      const { status } = await operate([
        addBook('b-9'),
        updateBook('b-9', { title: 'x' }),
        {
          op: 'add',
          ref: { ...book('b-9'), relationship: 'shelves' },
          data: [{ type: 'shelves', id: 's-1' }],
        },
        { op: 'remove', href: '/api/books/b%2D9' },
      ])
      expect(status).toBe(200)
      const requests = [
        ['CreateItem', 'POST', '/api/books', undefined],
        ['UpdateItem', 'PATCH', '/api/books/b-9', 'b-9'],
        ['RelationshipPost', 'POST', '/api/books/b-9/relationships/shelves', 'b-9'],
        ['DeleteItem', 'DELETE', '/api/books/b%2D9', 'b-9'],
      ]
      const [create, update, link, remove] = requests as [
        unknown[],
        unknown[],
        unknown[],
        unknown[],
      ]
      expect(seen.slice(0, 12)).toEqual([
        ['shared', 'Batch', 'POST', '/api/operations', undefined],
        ...[create].flatMap((entry) => [
          ['shared', ...entry],
          ['books', ...entry],
        ]),
        ...[update].flatMap((entry) => [
          ['shared', ...entry],
          ['books', ...entry],
          ['update', ...entry],
        ]),
        ...[link].flatMap((entry) => [
          ['shared', ...entry],
          ['books', ...entry],
          ['update', ...entry],
        ]),
        ...[remove].flatMap((entry) => [
          ['shared', ...entry],
          ['books', ...entry],
          ['update', ...entry],
        ]),
      ])
      expect(new Set(seen.slice(12).map((entry) => (entry as unknown[])[0]))).toEqual(
        new Set(['query']),
      )
      // By their last calls: stores that lock the items of a batch first ask which they are.
      const narrowed = seen.slice(12).map((entry) => (entry as unknown[])[1])
      expect([...new Set(narrowed.toReversed())].toReversed()).toEqual(
        requests.map(([operation]) => operation),
      )
    })

    it('sees the request that the operation would be by itself', async () => {
      const seen: unknown[] = []
      const tell = async ({ request: { headers, query, body } }: Context) => {
        const text = body && new TextDecoder().decode(await body.bytes(1_000))
        const { authorization, 'content-type': type, 'content-length': length } = headers
        seen.push([
          authorization,
          type,
          length,
          headers['if-match'],
          query,
          text && JSON.parse(text),
        ])
      }
      const { operate } = await library({
        ofBooks: { request: { create: tell, update: tell, delete_: tell } },
      })
      const data = { type: 'books', id: 'b-1', attributes: { price: 2 } }
      await operate(
        [addBook('n'), { op: 'update', data, meta: { ifMatch: '*' } }, removeBook('n')],
        editor,
      )
      expect(seen).toEqual([
        ['editor', mediaType, undefined, undefined, '', { data: addBook('n').data }],
        ['editor', mediaType, undefined, '*', '', { data }],
        ['editor', undefined, undefined, undefined, '', undefined],
      ])
    })

    it.each([
      ['create', addBook('n')],
      ['update', updateBook('b-1', { price: 2 })],
      ['patch', updateBook('b-1', { price: 2 })],
      ['delete_', removeBook('b-1')],
      [
        'relationshipPost',
        { op: 'add', ref: { ...book('b-1'), relationship: 'shelves' }, data: [] },
      ],
      [
        'relationshipPatch',
        { op: 'update', ref: { ...book('b-1'), relationship: 'shelves' }, data: [] },
      ],
      [
        'relationshipDelete',
        { op: 'remove', ref: { ...book('b-1'), relationship: 'shelves' }, data: [] },
      ],
      ['update', { op: 'update', ref: { ...book('b-1'), relationship: 'author' }, data: null }],
      ['any', removeBook('b-1')],
    ] as const)(
      'in the hook %s refuses unknown callers in a batch too',
      async (name, operation) => {
        const { operate, stored } = await library({ ofBooks: { request: { [name]: editorsOnly } } })
        const before = await stored()
        const response = await operate([addName('authors', 'Ann'), operation, removeBook('b-2')])
        expectError(response, 401, pointerTo(1))
        expect([response.headers.get('www-authenticate'), response.errors[0]?.code]).toEqual([
          'Bearer',
          'operation-refused',
        ])
        expect(await stored()).toEqual(before)
        expect((await operate([addName('authors', 'Ann'), operation], editor)).status).toBe(200)
      },
    )

    it('that refuses with an error of the catalog sends that error', async () => {
      const create = () => {
        throw refuse('forbidden', 'Only editors may add books.')
      }
      const { operate } = await library({ ofBooks: { request: { create } } })
      const response = await operate([addName('authors', 'Ann'), addBook('n')])
      expectError(response, 403, pointerTo(1))
      expect(response.errors[0]?.detail).toBe('Only editors may add books.')
    })

    it.each([200, 204, 304, 99, 600])('that responds with %i ends the batch', async (status) => {
      const create = () =>
        respond(status, { 'content-type': 'text/html', etag: '"x"', 'x-kept': '1' }, '<p>')
      const { operate, stored } = await library({ ofBooks: { request: { create } } })
      const before = await stored()
      const response = await operate([removeBook('b-1'), addBook('n')])
      expectError(response, 403, pointerTo(1))
      expect(['content-type', 'etag', 'x-kept'].map((name) => response.headers.get(name))).toEqual([
        atomicType,
        null,
        '1',
      ])
      expect(await stored()).toEqual(before)
    })

    it('of the router refuses unknown callers before their body is read', async () => {
      let isRead = false
      const { router } = await library({ shared: { request: { any: editorsOnly } } })
      const bytes = async () => {
        isRead = true
        return new Uint8Array()
      }
      const body = { bytes, stream: async function* () {} }
      const headers = { 'content-type': atomicType }
      const { status } = await router.respond({
        method: 'POST',
        path: '/operations',
        query: '',
        headers,
        body,
      })
      expect([status, isRead]).toEqual([401, false])
    })

    it('has a state for each operation, and shares the headers of the response', async () => {
      const seen: unknown[] = []
      const { operate } = await library({
        shared: { request: { any: ({ state, rule }) => void state.set('rule', rule.operation) } },
        ofBooks: {
          request: {
            any: ({ state, setHeader, id }) => {
              seen.push([...state])
              state.set(id, true)
              setHeader(`X-${id}`, 'seen')
            },
          },
        },
      })
      const response = await operate([removeBook('b-1'), removeBook('b-2')])
      expect(seen).toEqual([[['rule', 'DeleteItem']], [['rule', 'DeleteItem']]])
      expect([
        response.status,
        response.headers.get('x-b-1'),
        response.headers.get('x-b-2'),
      ]).toEqual([204, 'seen', 'seen'])
    })

    it('may wait for other writes in phase 1, and mappers may too', async () => {
      const { router, operate } = await library({
        ofBooks: {
          request: { create: async () => void (await router.load(Shelf, [{ name: 'Log' }])) },
        },
      })
      expect((await operate([addBook('n'), addBook('m')])).status).toBe(200)
      expect(await router.query(Shelf).where('name').equal('Log').size()).toBe(2)
    })
  })

  describe('items that query hooks hide', () => {
    const noSecrets: Middleware = {
      query: { getItem: (query) => query.where('secret').equal(false) },
    }

    it.each([
      ['update', (id: string) => updateBook(id, { price: 2 })],
      ['guarded update', (id: string) => updateBook(id, { price: 2 }, { meta: { ifMatch: '*' } })],
      ['stale update', (id: string) => updateBook(id, { price: 2 }, { meta: { ifMatch: '"x"' } })],
      ['invalid update', (id: string) => updateBook(id, { title: '' })],
      ['unknown attribute', (id: string) => updateBook(id, { nope: '' })],
      ['remove', removeBook],
      ['href', (id: string) => ({ op: 'remove', href: `/books/${id}` })],
      [
        'owner',
        (id: string) => ({ op: 'add', ref: { ...book(id), relationship: 'shelves' }, data: [] }),
      ],
      [
        'linkage',
        (id: string) => ({
          op: 'add',
          ref: { type: 'authors', id: 'a-1', relationship: 'books' },
          data: [book(id)],
        }),
      ],
      [
        'relation',
        (id: string) => ({
          op: 'add',
          data: {
            type: 'authors',
            attributes: { name: 'x' },
            relationships: { books: { data: [book(id)] } },
          },
        }),
      ],
    ])('are missing: %s', async (_, operation) => {
      const { operate, stored } = await library({ ofBooks: noSecrets })
      const before = await stored()
      const hidden = await operate([removeBook('b-1'), operation('b-3')])
      expect(hidden.status).toBe(404)
      expect(hidden.errors[0]?.source?.pointer).toMatch(/^\/atomic:operations\/1/)
      const missing = await operate([removeBook('b-1'), operation('b-4')])
      expect(hidden.text).toBe(missing.text.replaceAll('b-4', 'b-3'))
      expect(await stored()).toEqual(before)
    })

    it('cannot be reached by changing their visibility in the batch', async () => {
      const { operate } = await library({
        ofBooks: { query: { getItem: (query) => query.where('price').lessThan(5) } },
      })
      expectError(
        await operate([updateBook('b-1', { price: 9 }), updateBook('b-1', { price: 1 })]),
        404,
        pointerTo(1),
      )
    })

    it('cannot be created either', async () => {
      const { operate } = await library({
        ofBooks: { query: { create: (query) => query.where('price').lessThan(5) } },
      })
      expectError(
        await operate([addBook('n', { price: 4 }), addBook('m', { price: 5 })]),
        403,
        pointerTo(1),
      )
      expect((await operate([addBook('n', { price: 4 })])).status).toBe(200)
    })

    it('are not in the linkage of results', async () => {
      const { router, operate } = await library({
        ofAuthors: { query: { getItem: (query) => query.where('name').notEqual('Mary') } },
      })
      const { results } = await operate([
        updateBook('b-1', { price: 2 }),
        updateBook('b-2', { price: 2 }),
      ])
      expect(results.map(({ data }) => data?.relationships?.author?.data)).toEqual([
        null,
        { type: 'authors', id: 'a-2' },
      ])
      expect(await router.query(Book).where('author').equal('a-1').size()).toBe(1)
    })

    it('keep hidden members hidden, in requests and results', async () => {
      const { operate } = await library()
      expectError(await operate([addBook('n', { secret: true })]), 422, {
        pointer: '/atomic:operations/0/data/attributes/secret',
      })
      const { text } = await operate([updateBook('b-3', { price: 2 })])
      expect(text).not.toContain('secret"')
    })
  })

  describe('items of other models that an operation changes', () => {
    const take = {
      op: 'update',
      ref: { type: 'authors', id: 'a-1', relationship: 'books' },
      data: [book('b-2')],
    }

    it('need the approval of the hooks of update', async () => {
      const { operate, stored } = await library({ ofBooks: { request: { update: editorsOnly } } })
      const before = await stored()
      const response = await operate([addName('shelves', 'New'), take])
      expectError(response, 401, pointerTo(1))
      expect(await stored()).toEqual(before)
      expect((await operate([addName('shelves', 'New', 's-9'), take], editor)).status).toBe(200)
    })

    it('need approval for each operation, outside of the transaction, which starts again', async () => {
      const calls: unknown[] = []
      const update = async ({ id, rule }: Context) => {
        calls.push(`${rule.operation} ${id}`)
        await router.load(Shelf, [{ name: 'Log' }])
      }
      const { router, operate } = await library({ ofBooks: { request: { update } } })
      const { status, results } = await operate([
        addBook(undefined, {}, { author: { data: { type: 'authors', id: 'a-1' } } }),
        take,
        {
          op: 'update',
          ref: { type: 'authors', id: 'a-2', relationship: 'books' },
          data: [book('b-1')],
        },
      ])
      expect(status).toBe(200)
      const created = results[0]!.data!.id
      expect(calls.slice(0, 3).toSorted()).toEqual(
        [`UpdateItem ${created}`, 'UpdateItem b-1', 'UpdateItem b-2'].toSorted(),
      )
      // The hooks for the third operation run together with those for the second, in an attempt in
      // which the second failed.
      expect(calls.slice(3).toSorted()).toEqual(['UpdateItem b-1', 'UpdateItem b-2'])
      expect(await router.query(Book).where('title').equal('New').size()).toBe(1)
      expect(await router.query(Shelf).where('name').equal('Log').size()).toBe(5)
    })

    /** A store that counts the transactions that the router begins. */
    const counting = (counter: { count: number }) => (store: Store) => ({
      ...store,
      write: ((work, caller) => {
        counter.count++
        return store.write(work, caller)
      }) as Store['write'],
    })
    const ofAuthor = (author: string, ...books: readonly string[]) => ({
      op: 'update',
      ref: { type: 'authors', id: author, relationship: 'books' },
      data: books.map(book),
    })

    it('get their approvals together, so that a batch starts again a few times and not for each operation', async () => {
      const counter = { count: 0 }
      const { router, operate } = await library(
        { ofBooks: { request: { update: editorsOnly } } },
        counting(counter),
      )
      const numbers = Array.from({ length: 40 }, (_, index) => `${index}`)
      await router.load(
        Author,
        numbers.map((n) => ({ id: `m-${n}`, name: n })),
      )
      await router.load(
        Book,
        numbers.map((n) => ({ id: `m-${n}`, title: n })),
      )
      counter.count = 0
      const { status } = await operate(
        numbers.map((n) => ofAuthor(`m-${n}`, `m-${n}`)),
        editor,
      )
      expect(status).toBe(204)
      expect(counter.count).toBeLessThanOrEqual(3)
    })

    it('do not need approval when an earlier operation leaves them unchanged', async () => {
      const update = ({ id, request }: Context) =>
        id === 'b-1' && request.path.includes('/a-1/') ? respond(403, {}, 'no') : undefined
      const { router, operate } = await library({ ofBooks: { request: { update } } })
      const first = ofAuthor('a-2', 'b-1', 'b-2')
      // Alone it would remove b-1 from a-1, which the hook refuses; after the first operation a-1
      // has no book.
      const second = ofAuthor('a-1')
      expectError(await operate([second, first]), 403, pointerTo(0))
      expect((await operate([first, second])).status).toBe(204)
      expect(await router.query(Book).where('author').equal('a-2').size()).toBe(2)
    })

    it('have their final state when an operation depends on an earlier one that had to wait', async () => {
      const { operate } = await library({ ofBooks: { request: { update: editorsOnly } } })
      const deletion = removeBook('b-9')
      expectError(await operate([take, deletion], editor), 404, pointerTo(1))
      const added = [
        take,
        addName('shelves', 'New', 's-8'),
        { op: 'remove', ref: { type: 'shelves', id: 's-8' } },
      ]
      expect((await operate(added, editor)).status).toBe(200)
    })
  })

  describe('preconditions', () => {
    const tagOf = async ({ api }: Library, id: string) =>
      (await api.get(`/books/${id}`)).headers.get('etag') as string

    it('guard single operations, by the ETag of the item or by *', async () => {
      const one = await library({ requireMatch: true })
      const ifMatch = await tagOf(one, 'b-1')
      const guarded = (guard: string) =>
        updateBook('b-1', { price: 2 }, { meta: { ifMatch: guard } })
      expect((await one.operate([guarded(ifMatch), guarded('*')])).status).toBe(200)
      expectError(await one.operate([guarded(ifMatch)]), 412, {
        pointer: '/atomic:operations/0/meta/ifMatch',
      })
      expect((await one.operate([guarded(`"x", ${await tagOf(one, 'b-1')}`)])).status).toBe(200)
      const version = (await one.api.get('/books/b-1')).one.meta?.version
      expect((await one.operate([guarded(`"${version}"`)])).status).toBe(200)
    })

    it('fail for the second operation on a version, and roll back the first', async () => {
      const one = await library()
      const ifMatch = await tagOf(one, 'b-1')
      const before = await one.stored()
      const response = await one.operate([
        updateBook('b-1', { price: 2 }),
        updateBook('b-1', { price: 3 }, { meta: { ifMatch } }),
      ])
      expectError(response, 412, { pointer: '/atomic:operations/1/meta/ifMatch' })
      expect(await one.stored()).toEqual(before)
    })

    it.each([
      ['update', updateBook('b-1', { price: 2 })],
      ['remove', removeBook('b-1')],
      ['link', { op: 'add', ref: { ...book('b-1'), relationship: 'shelves' }, data: [] }],
      [
        'link from the other side',
        { op: 'add', ref: { type: 'authors', id: 'a-1', relationship: 'books' }, data: [] },
      ],
      ['with other meta', { ...updateBook('b-1', { price: 2 }), meta: { note: 1 } }],
    ])('that are required are 428 when missing: %s', async (_, operation) => {
      const { operate } = await library({ requireMatch: true })
      const response = await operate([addName('authors', 'Ann'), operation])
      expectError(response, 428, pointerTo(1))
      expect(response.errors[0]?.detail).toContain(
        "In a batch operation, use 'meta.ifMatch' instead of the If-Match header.",
      )
    })

    it('guard relations', async () => {
      const one = await library()
      const ifMatch = (await one.api.get('/authors/a-1/relationships/books')).headers.get(
        'etag',
      ) as string
      const take = (ids: string[]) => ({
        op: 'update',
        ref: { type: 'authors', id: 'a-1', relationship: 'books' },
        data: ids.map(book),
        meta: { ifMatch },
      })
      expect((await one.operate([take(['b-2'])])).status).toBe(204)
      expectError(await one.operate([take(['b-1'])]), 412, {
        pointer: '/atomic:operations/0/meta/ifMatch',
      })
    })

    it.each([
      ['x', ''],
      ['', '/ifMatch'],
      ['x"', '/ifMatch'],
      [7, '/ifMatch'],
      [null, '/ifMatch'],
      [['"x"'], '/ifMatch'],
    ])('refuse %j, which is no entity tag', async (ifMatch, suffix) => {
      const { operate } = await library()
      const meta = suffix === '' ? ifMatch : { ifMatch }
      expectError(await operate([{ ...updateBook('b-1', {}), meta }]), 400, {
        pointer: `/atomic:operations/0/meta${suffix}`,
      })
    })

    it.each(['If-Match', 'if-match', 'ifmatch', 'if_match'])(
      'refuse the misspelled member %s',
      async (name) => {
        const { operate } = await library()
        expectError(await operate([updateBook('b-1', {}, { meta: { [name]: '"x"' } })]), 400, {
          pointer: `/atomic:operations/0/meta/${name}`,
        })
      },
    )

    it('on the batch itself fail, because it has no version', async () => {
      const { operate, stored } = await library()
      const before = await stored()
      for (const tag of ['*', '"x"', 'x'])
        expectError(await operate([removeBook('b-1')], { 'if-match': tag }), 412, {
          header: 'If-Match',
        })
      expect(await stored()).toEqual(before)
      expect((await operate([removeBook('b-1')], { 'if-none-match': '*' })).status).toBe(204)
    })
  })

  describe('all or nothing', () => {
    const ninetyNine = [
      ...Array.from({ length: 30 }, (_, index) =>
        addBook(
          `n-${index}`,
          { isbn: `n-${index}` },
          { author: { data: { type: 'authors', id: 'a-2' } } },
        ),
      ),
      ...Array.from({ length: 30 }, (_, index) =>
        updateBook(`n-${index}`, { isbn: `m-${index}`, price: index }),
      ),
      ...Array.from({ length: 30 }, (_, index) => ({
        op: 'add',
        ref: { type: 'shelves', id: 's-1', relationship: 'books' },
        data: [book(`n-${index}`)],
      })),
      {
        op: 'update',
        ref: { type: 'authors', id: 'a-1', relationship: 'books' },
        data: [book('n-1'), book('b-2')],
      },
      updateBook('b-1', { isbn: 'freed' }),
      updateBook('b-2', { isbn: '1' }),
      { op: 'remove', ref: { type: 'shelves', id: 's-1' } },
      { op: 'add', data: { type: 'shelves', id: 's-1', attributes: { name: 'Other' } } },
      { op: 'update', ref: { ...book('b-2'), relationship: 'author' }, data: null },
      removeBook('b-1'),
      removeBook('n-29'),
      addName('authors', 'Ann', 'a-9'),
    ]

    it('a failure of the last of 100 operations changes nothing', async () => {
      const { operate, stored } = await library()
      expect(ninetyNine).toHaveLength(99)
      const before = await stored()
      expectError(await operate([...ninetyNine, addBook('n-5')]), 409, {
        pointer: '/atomic:operations/99/data/id',
      })
      expect(await stored()).toEqual(before)
      expectError(await operate([...ninetyNine, addBook('last', { isbn: 'm-7' })]), 409, {
        pointer: '/atomic:operations/99/data/attributes/isbn',
      })
      expect(await stored()).toEqual(before)
      expect((await operate([...ninetyNine, addBook('last', { isbn: '2' })])).status).toBe(200)
    })

    it('a hook that throws in either phase responds with 500, and nothing is changed', async () => {
      const broken = (phase: 'request' | 'query'): Middleware => ({
        [phase]: {
          create: () => {
            throw new TypeError('broken')
          },
        },
      })
      for (const phase of ['request', 'query'] as const) {
        const { operate, stored } = await library({ ofBooks: broken(phase) })
        const before = await stored()
        const response = await operate([removeBook('b-1'), addBook('n')])
        expect([response.status, response.errors[0]?.code]).toEqual([500, 'internal-error'])
        expect(await stored()).toEqual(before)
      }
    })

    it('a store that becomes unavailable is 503, and nothing is changed', async () => {
      let writes = Number.POSITIVE_INFINITY
      const { operate, stored } = await library({}, (store) => ({
        ...store,
        write: (work) =>
          store.write((transaction) =>
            work({
              ...methodsOf(transaction),
              insert: (model, item) => {
                if (writes-- <= 0) throw new StoreUnavailable('away', { retryAfterSeconds: 7 })
                return transaction.insert(model, item)
              },
            }),
          ),
      }))
      const before = await stored()
      writes = 2
      const response = await operate([addBook('x'), addBook('y'), addBook('z')])
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7'])
      expect(response.errors[0]?.source).toBeUndefined()
      expect(await stored()).toEqual(before)
    })

    it('too many operations are refused before the store is read', async () => {
      let writes = 0
      const { operate } = await library({ limits: { maxOperations: 2 } }, (store) => ({
        ...store,
        write: (work) => {
          writes++
          return store.write(work)
        },
      }))
      const before = writes
      expect(
        (await operate([removeBook('b-1'), removeBook('b-2'), removeBook('b-3')])).status,
      ).toBe(400)
      expect((await operate([{ op: 'frob' }])).status).toBe(400)
      expect(writes).toBe(before)
      expect((await operate([removeBook('b-1'), removeBook('b-2')])).status).toBe(204)
      expect(writes).toBe(before + 1)
    })
  })

  describe('in parallel with other requests', () => {
    it('batches are serialized: each sees all or nothing of the others', async () => {
      const { operate, router } = await library()
      const ref = { type: 'authors', id: 'a-1', relationship: 'books' }
      const batches = Array.from({ length: 20 }, (_, index) => [
        addBook(`n-${index}`),
        { op: 'update', ref, data: [book(`n-${index}`)] },
        updateBook('b-3', { price: index }),
      ])
      const responses = await Promise.all(batches.map((operations) => operate(operations)))
      expect(responses.map(({ status }) => status)).toEqual(batches.map(() => 200))
      expect(await router.query(Book).where('author').equal('a-1').size()).toBe(1)
      expect(await router.query(Book).where('title').equal('New').size()).toBe(20)
    })

    it('of 20 batches with one ETag, one succeeds', async () => {
      const one = await library()
      const ifMatch = (await one.api.get('/books/b-1')).headers.get('etag')
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          one.operate([
            addBook(`n-${index}`),
            updateBook('b-1', { price: index }, { meta: { ifMatch } }),
          ]),
        ),
      )
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(responses.filter(({ status }) => status === 412)).toHaveLength(19)
      expect(await one.router.query(Book).where('title').equal('New').size()).toBe(1)
    })

    it('a batch that fails rolls back no other write', async () => {
      const { operate, api, router } = await library()
      const responses = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          index % 3 === 0
            ? operate([addBook(`n-${index}`), addBook('b-1')])
            : index % 3 === 1
              ? operate([addBook(`n-${index}`)])
              : api.post('/books', {
                  data: { type: 'books', id: `n-${index}`, attributes: { title: 'New' } },
                }),
        ),
      )
      expect(responses.map(({ status }) => status)).toEqual(
        responses.map((_, index) => [409, 200, 201][index % 3]),
      )
      expect(await router.query(Book).where('title').equal('New').size()).toBe(20)
    })

    it('reads see nothing of a batch before its commit', async () => {
      const { operate, router } = await library()
      const batch = operate(Array.from({ length: 100 }, () => addBook(undefined)))
      const sizes = new Set<number>()
      let isDone = false
      void batch.then(() => {
        isDone = true
      })
      while (!isDone) {
        sizes.add(await router.query(Book).where('title').equal('New').size())
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect((await batch).status).toBe(200)
      for (const size of sizes) expect([0, 100]).toContain(size)
    })
  })

  it('results are mapped by mappers', async () => {
    const router = createRouter({ policy: jsonApi(), store: await make() })
    router.prepare(Book).map((entry) => ({ ...entry, label: `${entry.title}!` }), {
      adds: { label: z.string() },
      hides: ['isbn'],
      writable: ['isbn'],
    })
    router.prepare(Author)
    router.prepare(Shelf)
    const api = client(router)
    const { results } = await api.operate(
      [addBook('n', { isbn: '7' }), updateBook('n', { title: 'x' })],
      {},
      '/operations',
    )
    expect(results.map(({ data }) => data?.attributes)).toEqual([
      { title: 'New', price: 1, label: 'New!' },
      { title: 'x', price: 1, label: 'x!' },
    ])
  })
})

describe.each(stores)('Operations that change no item, on $name', ({ make }) => {
  class Counter extends model('counter', {
    count: z.int().default(0),
    photo: image(),
    hash: hash(),
  }) {
    bump(): void {}

    static {
      action(this, 'bump')
    }
  }

  const counters = async () => {
    const blobs = memoryBlobs()
    const router = createRouter({ policy: jsonApi(), store: await make(), blobs })
    router.prepare(Counter)
    await router.load(Counter, [{ id: 'c-1' }])
    return { router, api: client(router) }
  }

  it.each(['bump', 'photo', 'nothing'])('cannot be used in a batch: %s', async (name) => {
    const { api } = await counters()
    const before = (await api.get('/counters/c-1')).text
    for (const op of ['add', 'update', 'remove']) {
      const response = await api.operate(
        [{ op, href: `/counters/c-1/${name}`, data: {} }],
        {},
        '/operations',
      )
      expectError(response, 404, { pointer: '/atomic:operations/0/href' })
    }
    expect((await api.get('/counters/c-1')).text).toBe(before)
  })

  it('blobs of an item are kept when the batch that deletes it fails, and deleted when it succeeds', async () => {
    const { router, api } = await counters()
    const sendRequest = (method: string, body?: Uint8Array<ArrayBuffer>) =>
      router.handle(
        new Request('http://localhost/counters/c-1/photo', {
          method,
          ...(body && { body, headers: { 'content-type': 'image/png' } }),
        }),
      )
    expect((await sendRequest('POST', png(1))).status).toBe(200)
    const remove = { op: 'remove', ref: { type: 'counters', id: 'c-1' } }
    expectError(await api.operate([remove, remove], {}, '/operations'), 404, {
      pointer: '/atomic:operations/1',
    })
    const stored = await sendRequest('GET')
    expect([stored.status, Buffer.from(await stored.arrayBuffer()).equals(png(1))]).toEqual([
      200,
      true,
    ])
    expect((await api.operate([remove], {}, '/operations')).status).toBe(204)
    expect((await sendRequest('GET')).status).toBe(404)
    expect(await router.sweep(0)).toBe(0)
  })
})

describe('A batch', () => {
  it('exists only under JSON:API', async () => {
    const { memory } = await import('resourcery/memory')
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('tag', { name: z.string() }))
    const request = new Request('http://localhost/operations', { method: 'POST', body: '{}' })
    expect((await router.handle(request)).status).toBe(404)
    expect(router.rules.map((rule) => rule.operation)).not.toContain('Batch')
  })

  it('needs an address that nothing else uses', async () => {
    const { memory } = await import('resourcery/memory')
    const router = createRouter({ policy: jsonApi(), store: memory() })
    router.prepare(model('operation', { name: z.string() }))
    expect(() => router.rules).toThrow(
      "The path '/operations' of the model 'operation' is the path of Atomic Operations. Set another plural with { plural: '…' }.",
    )
  })
})
