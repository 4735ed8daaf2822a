import { field, hash, type ItemOf, model, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { expectPointersInto } from '../support/pointers.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string().min(1),
  books: toMany('book', { inverse: 'author' }),
})
const Genre = model('genre', { name: z.string() }, { ids: 'client' })
const Ticket = model('ticket', { text: z.string().optional() }, { ids: 'server' })
const Book = model('book', {
  title: z.string().min(1).max(40),
  price: z.number().nonnegative(),
  pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
  isbn: field(z.string().optional(), { unique: true }),
  inStock: z.boolean().default(true),
  tags: z.array(z.string().min(1)).default([]),
  size: z
    .object({ width: z.number(), frame: z.object({ code: z.string() }).optional() })
    .optional(),
  editions: z.array(z.object({ year: z.int(), format: z.enum(['paper', 'audio']) })).default([]),
  createdAt: field(
    z.iso.datetime().default(() => new Date().toISOString()),
    { readOnly: true },
  ),
  costPrice: field(z.number().optional(), { hidden: true }),
  email: field(z.email().optional(), { writeOnly: true }),
  author: toOne('author', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
})

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe.each(stores)('CreateItem, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    const fixture = service(await make(), [Author, Book, Genre, Ticket])
    await fixture.router.load(Author, [{ id: 'a-1', name: 'Mary Shelley' }])
    await fixture.router.load(Genre, [
      { id: 'gothic', name: 'Gothic' },
      { id: 'drama', name: 'Drama' },
    ])
    api = fixture.api
  })

  const titles = async () =>
    (await api.get('/books?sort=title')).at('/books') as { title: string }[]

  it('responds with 201 and the created item, defaults filled in, under its singular key', async () => {
    const response = await api.post('/books', {
      book: {
        id: 'b-1',
        title: 'Frankenstein',
        price: 9.5,
        pages: 280,
        author: 'a-1',
        genres: ['gothic', 'drama'],
      },
    })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      book: {
        id: 'b-1',
        title: 'Frankenstein',
        price: 9.5,
        pages: 280,
        inStock: true,
        tags: [],
        editions: [],
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        author: 'a-1',
        genres: ['gothic', 'drama'],
        hash: expect.any(String),
      },
    })
    expect((await api.get('/books/b-1')).body).toEqual(response.body)
  })

  describe('rule 3: identifiers', () => {
    it('sets the Location header to the address of the new item', async () => {
      for (const id of [undefined, 'b-1', 'b:1@x.~_', 'A'.repeat(128), '0']) {
        const response = await api.post('/books', {
          book: { ...(id && { id }), title: 'Lodore', price: 1 },
        })
        const location = response.headers.get('location') ?? ''
        expect(location).toMatch(/^\/books\//)
        expect((await api.get(location)).at('/book/id')).toBe(id ?? response.at('/book/id'))
      }
    })

    it('makes Location absolute with baseUrl, and never with the Host of the request', async () => {
      const fromRequest = service(await make(), [Book, Author, Genre], { basePath: '/api' })
      const created = await client(fromRequest.router, 'http://evil.example').post(
        '/api/books',
        {
          book: { id: 'b-1', title: 'x', price: 1 },
        },
        { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      )
      expect(created.headers.get('location')).toBe('/api/books/b-1')

      const fixture = service(await make(), [Book, Author, Genre], {
        basePath: '/api',
        baseUrl: 'https://books.example',
      })
      const response = await fixture.api.post('/api/books', {
        book: { id: 'b-1', title: 'x', price: 1 },
      })
      expect(response.headers.get('location')).toBe('https://books.example/api/books/b-1')
      const page = await fixture.api.get('/api/books?page[size]=1')
      expect(page.link('first')).toMatch(/^https:\/\/books\.example\/api\/books\?/)
    })

    it('are UUIDv7 when the server chooses them, and sort by time', async () => {
      const ids: unknown[] = []
      for (let count = 0; count < 30; count++)
        ids.push((await api.post('/tickets', { ticket: {} })).at('/ticket/id'))
      for (const id of ids) expect(id).toMatch(uuid7)
      expect((await api.get('/tickets')).ids('tickets')).toEqual(ids)
    })

    it('may be chosen by the client under the policy "either", which is the default', async () => {
      expect(
        (await api.post('/authors', { author: { id: 'a-2', name: 'Polidori' } })).at('/author/id'),
      ).toBe('a-2')
      expect((await api.post('/authors', { author: { name: 'Byron' } })).at('/author/id')).toMatch(
        uuid7,
      )
    })

    it('must not be chosen by the client under the policy "server"', async () => {
      const response = await api.post('/tickets', { ticket: { id: 't-1' } })
      expect([response.status, response.errors[0]?.code]).toEqual([403, 'id-not-allowed'])
      expect(response.errors[0]?.source).toEqual({ pointer: '/ticket/id' })
      expect((await api.get('/tickets')).body).toEqual({ tickets: [] })
    })

    it('must be chosen by the client under the policy "client"', async () => {
      expect((await api.post('/genres', { genre: { id: 'poetry', name: 'Poetry' } })).status).toBe(
        201,
      )
      const response = await api.post('/genres', { genre: { name: 'Prose' } })
      expect([response.status, response.errors[0]?.code]).toEqual([422, 'invalid-id'])
    })

    it.each(['', 'a b', 'a/b', 'a?b', 'a#b', 'a%b', 'ä', '🎬', "a'b", 'a\nb', 'x'.repeat(129)])(
      'cannot be %j: 422 with a pointer',
      async (id) => {
        const response = await api.post('/books', { book: { id, title: 'x', price: 1 } })
        expect([response.status, response.errors[0]?.source]).toEqual([
          422,
          { pointer: '/book/id' },
        ])
        expect(await titles()).toEqual([])
      },
    )

    it.each([5, true, ['b-1'], { id: 'b-1' }])('must be strings, not %j', async (id) => {
      const response = await api.post('/books', { book: { id, title: 'x', price: 1 } })
      expect([response.status, response.errors[0]?.source]).toEqual([422, { pointer: '/book/id' }])
    })

    it('responds with 409 Conflict when an item with the same id exists, and does not change it', async () => {
      await api.post('/books', { book: { id: 'b-1', title: 'Frankenstein', price: 9.5 } })
      const response = await api.post('/books', { book: { id: 'b-1', title: 'Other', price: 1 } })
      expect([response.status, response.errors[0]?.code]).toEqual([409, 'already-exists'])
      expect(response.errors[0]?.source).toEqual({ pointer: '/book/id' })
      expect((await api.get('/books/b-1')).at('/book/title')).toBe('Frankenstein')
    })

    it('responds with 409 rather than 422 when the id exists and a related item is missing', async () => {
      await api.post('/books', { book: { id: 'b-1', title: 'Frankenstein', price: 9.5 } })
      const response = await api.post('/books', {
        book: { id: 'b-1', title: 'Other', price: 1, author: 'nobody' },
      })
      expect(response.status).toBe(409)
    })

    it('lets exactly one of many parallel requests use an id', async () => {
      const requests = Array.from({ length: 20 }, (_, index) =>
        api.post('/books', { book: { id: 'b-1', title: `Title ${index}`, price: index } }),
      )
      const statuses = (await Promise.all(requests)).map((response) => response.status)
      expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    })

    it('can be used again after the item is deleted', async () => {
      await api.post('/books', { book: { id: 'b-1', title: 'x', price: 1 } })
      await api.delete('/books/b-1')
      expect((await api.post('/books', { book: { id: 'b-1', title: 'y', price: 1 } })).status).toBe(
        201,
      )
    })

    it('of two models are independent', async () => {
      expect(
        (await api.post('/books', { book: { id: 'same', title: 'x', price: 1 } })).status,
      ).toBe(201)
      expect((await api.post('/authors', { author: { id: 'same', name: 'x' } })).status).toBe(201)
    })
  })

  describe('rule 3: relations', () => {
    it('responds with 422 and a pointer to the relation to a missing item, and stores nothing', async () => {
      const body = {
        book: {
          title: 'x',
          price: 1,
          author: 'a-9',
          genres: ['gothic', 'no~such/one', 'drama', 'nor'],
        },
      }
      const response = await api.post('/books', body)
      expect(response.status).toBe(422)
      expect(response.errors.map((error) => [error.code, error.source?.pointer])).toEqual([
        ['related-not-found', '/book/author'],
        ['related-not-found', '/book/genres/1'],
        ['related-not-found', '/book/genres/3'],
      ])
      expect(await titles()).toEqual([])
    })

    it('points to each relation that names a missing item, even if several name the same one', async () => {
      const person = model('person', {
        name: z.string(),
        tutor: toOne('person', { optional: true }),
        friends: toMany('person'),
      })
      const { api: people } = service(await make(), [person])
      const response = await people.post('/people', {
        person: { name: 'Ada', tutor: 'nobody', friends: ['nobody'] },
      })
      expect(response.errors.map((error) => error.source?.pointer)).toEqual([
        '/person/tutor',
        '/person/friends/0',
      ])
    })

    it('reports missing items together with invalid values and unknown members', async () => {
      const body = {
        book: {
          title: '',
          price: 1,
          pages: 1.5,
          colour: 'red',
          author: 'a-9',
          genres: ['gothic', 'nor'],
        },
      }
      const response = await api.post('/books', body)
      expect([
        response.status,
        response.errors.map((error) => [error.code, error.source?.pointer]),
      ]).toEqual([
        422,
        [
          ['unknown-member', '/book/colour'],
          ['invalid-member', '/book/title'],
          ['invalid-member', '/book/pages'],
          ['related-not-found', '/book/author'],
          ['related-not-found', '/book/genres/1'],
        ],
      ])
      expectPointersInto(body, response)
      expect(await titles()).toEqual([])
    })

    it('accepts null and an empty array', async () => {
      const response = await api.post('/books', {
        book: { title: 'x', price: 1, author: null, genres: [] },
      })
      expect([response.status, response.at('/book/author'), response.at('/book/genres')]).toEqual([
        201,
        null,
        [],
      ])
    })

    it('stores an id once, however often it is sent', async () => {
      const response = await api.post('/books', {
        book: { title: 'x', price: 1, genres: ['drama', 'gothic', 'drama'] },
      })
      expect(response.at('/book/genres')).toEqual(['drama', 'gothic'])
    })

    it.each([
      ['author', { id: 'a-1' }, '/book/author'],
      ['author', { id: 'a-1', name: 'Mary Shelley' }, '/book/author'],
      ['author', ['a-1'], '/book/author'],
      ['author', 5, '/book/author'],
      ['genres', [{ id: 'gothic' }], '/book/genres/0'],
      ['genres', ['gothic', null], '/book/genres/1'],
      ['genres', 'gothic', '/book/genres'],
      ['genres', null, '/book/genres'],
      ['genres', { 0: 'gothic' }, '/book/genres'],
    ])('must be sent as ids, not as nested objects: %s %j is 400', async (name, value, pointer) => {
      const body = { book: { title: 'x', price: 1, [name]: value } }
      const response = await api.post('/books', body)
      expect([response.status, response.errors.map((error) => error.source?.pointer)]).toEqual([
        400,
        [pointer],
      ])
      expectPointersInto(body, response)
      expect(await titles()).toEqual([])
    })

    it('may lead to the item itself, by the id that the client chose', async () => {
      const Page = model(
        'page',
        {
          parent: toOne('page'),
          links: toMany('page'),
          children: toMany('page', { inverse: 'parent' }),
        },
        { ids: 'client', upsert: true },
      )
      const { api } = service(await make(), [Page])
      const own = { id: 'top', parent: 'top', links: ['top'] }
      const created = await api.post('/pages', { page: own })
      expect([created.status, created.at('/page')]).toEqual([201, own])
      const put = await api.put('/pages/other', { page: { parent: 'other', links: [] } })
      expect([put.status, put.at('/page/parent')]).toEqual([201, 'other'])
      expect(
        (await api.post('/pages', { page: { ...own, links: ['none'] } })).status,
        'is taken',
      ).toBe(409)
    })

    it('are required where the model says so', async () => {
      const Owned = model('owned', { author: toOne('author') }, { plural: 'ownedOnes' })
      const { api: own } = service(await make(), [Author, Book, Genre, Owned])
      for (const body of [{ owned: {} }, { owned: { author: null } }]) {
        const response = await own.post('/ownedOnes', body)
        expect(response.status).toBe(422)
        expect(response.errors[0]?.detail).toContain('author')
        expectPointersInto(body, response)
      }
    })
  })

  describe('rule 3: the model type', () => {
    const Writer = model('writer', {
      name: z.string(),
      secret: field(z.string().optional(), { hidden: true }),
    })
    const Base = model('novel', {
      title: z.string(),
      slug: field(z.string().default(''), { readOnly: true }),
      writer: toOne<{ id: string; name: string; secret?: string }>('writer'),
      fans: toMany<{ id: string; name: string }>('writer'),
    })
    const seen: unknown[] = []
    class Novel extends Base {
      constructor(values: ItemOf<typeof Base>) {
        super(values)
        seen.push({ ...values })
        if (this.slug === '')
          this.slug = `${this.writer.name}: ${this.title} (${this.fans.length})`.toLowerCase()
      }
    }

    it('sees related items as objects, while the store keeps ids', async () => {
      const { router, api: own } = service(await make(), [Writer, Novel])
      await router.load(Writer, [
        { id: 'w-1', name: 'Mary', secret: 's' },
        { id: 'w-2', name: 'Percy' },
      ])
      seen.length = 0
      const response = await own.post('/novels', {
        novel: { id: 'n-1', title: 'Frankenstein', writer: 'w-1', fans: ['w-2'] },
      })
      expect(response.status).toBe(201)
      expect(seen[0]).toEqual({
        id: 'n-1',
        title: 'Frankenstein',
        slug: '',
        writer: { id: 'w-1', name: 'Mary', secret: 's' },
        fans: [{ id: 'w-2', name: 'Percy' }],
      })
      expect(response.at('/novel')).toEqual({
        id: 'n-1',
        title: 'Frankenstein',
        slug: 'mary: frankenstein (1)',
        writer: 'w-1',
        fans: ['w-2'],
      })
      expect((await own.get('/novels/n-1')).body).toEqual(response.body)
      await own.patch('/writers/w-1', { writer: { name: 'Mary Shelley' } })
      const included = await own.get('/novels/n-1?include=writer')
      expect(included.at('/writers')).toEqual([{ id: 'w-1', name: 'Mary Shelley' }])
      expect((await own.get('/novels?filter[slug][startsWith]=mary:')).ids('novels')).toEqual([
        'n-1',
      ])
    })

    it('that throws responds with an opaque 500, and nothing is stored', async () => {
      class Fragile extends Base {
        constructor(values: ItemOf<typeof Base>) {
          super(values)
          throw new Error('secret reason')
        }
      }
      const reported: unknown[] = []
      const { router, api: own } = service(await make(), [Writer, Fragile], {
        onError: (error) => reported.push(error),
      })
      await router.load(Writer, [{ id: 'w-1', name: 'Mary' }])
      const response = await own.post('/novels', { novel: { title: 'x', writer: 'w-1' } })
      expect(response.status).toBe(500)
      expect(response.text).not.toContain('secret reason')
      expect(reported).toEqual([expect.objectContaining({ message: 'secret reason' })])
      expect((await own.get('/novels?withCount=true')).at('/meta/page/total')).toBe(0)
    })
  })

  describe('members', () => {
    it('that only the service sets are ignored: read-only ones and the hash', async () => {
      const response = await api.post('/books', {
        book: { title: 'x', price: 1, hash: 'forged', createdAt: '1999-01-01T00:00:00Z' },
      })
      expect(response.status).toBe(201)
      expect(response.at('/book/hash')).not.toBe('forged')
      expect(response.at('/book/createdAt')).not.toBe('1999-01-01T00:00:00Z')
    })

    it('of an item that GET returned can all be sent back under another id', async () => {
      await api.post('/books', {
        book: { id: 'b-1', title: 'x', price: 1, author: 'a-1', email: 'a@b.example' },
      })
      const item = (await api.get('/books/b-1')).at('/book') as object
      const response = await api.post('/books', { book: { ...item, id: 'b-2' } })
      expect([response.status, response.at('/book/author')]).toEqual([201, 'a-1'])
    })

    it('that are write-only are accepted, validated and never sent', async () => {
      const response = await api.post('/books?include=author', {
        book: { id: 'b-1', title: 'x', price: 1, email: 'mary@example.org' },
      })
      expect([response.status, response.text.includes('mary@')]).toEqual([201, false])
      for (const path of ['/books', '/books/b-1', '/books?page[size]=1', '/books?include=author'])
        expect((await api.get(path)).text).not.toContain('mary@')
      const bad = await api.post('/books', { book: { title: 'x', price: 1, email: 'nobody' } })
      expect([bad.status, bad.errors[0]?.source]).toEqual([422, { pointer: '/book/email' }])
    })

    it.each([
      [{ director: 'x' }, '/book/director', 'director'],
      [{ Title: 'x' }, '/book/Title', 'Title'],
      [{ pageCount: 5 }, '/book/pageCount', 'pageCount'],
      [{ costPrice: 5 }, '/book/costPrice', 'costPrice'],
      [{ constructor: 1 }, '/book/constructor', 'constructor'],
      [{ toString: 'x' }, '/book/toString', 'toString'],
      [{ 'a/b': 1 }, '/book/a~1b', 'a/b'],
      [{ 'x~y': 1 }, '/book/x~0y', 'x~y'],
      [{ '': 1 }, '/book/', ''],
      [{ size: { width: 1, depth: 2 } }, '/book/size/depth', 'depth'],
      [{ size: { width: 1, frame: { code: 'x', hue: 1 } } }, '/book/size/frame/hue', 'hue'],
      [
        {
          editions: [
            { year: 1818, format: 'paper' },
            { year: 1, format: 'audio', isbn: 'x' },
          ],
        },
        '/book/editions/1/isbn',
        'isbn',
      ],
    ])(
      'that the model does not have are 422, and the error names them: %j',
      async (members, pointer, name) => {
        const body = { book: { title: 'x', price: 1, ...members } }
        const response = await api.post('/books', body)
        expect([response.status, response.errors.map((error) => error.code)]).toEqual([
          422,
          ['unknown-member'],
        ])
        expect(response.errors[0]?.source).toEqual({ pointer })
        expect(response.errors[0]?.detail).toContain(name)
        expectPointersInto(body, response)
        expect(await titles()).toEqual([])
      },
    )

    it('are unknown with a list of those that can be set, without hidden ones', async () => {
      const response = await api.post('/books', { book: { title: 'x', price: 1, colour: 'red' } })
      expect(response.errors[0]?.detail).toBe(
        "Unknown member 'colour' of the model 'book'; expected one of id, title, price, pages, isbn, inStock, tags, size, editions, email, author, genres.",
      )
    })

    it('inside a value are unknown with a list of those it has, and missing ones are required', async () => {
      const response = await api.post('/books', {
        book: { title: 'x', price: 1, size: { height: 2 } },
      })
      expect(response.errors.map((error) => error.detail)).toEqual([
        expect.stringMatching(/^'size\.width' is required: /),
        "Unknown member 'height' in 'size'; expected one of width, frame.",
      ])
    })

    it('called __proto__ are unknown members too', async () => {
      const response = await api.post(
        '/books',
        '{"book":{"title":"x","price":1,"__proto__":{"price":0}}}',
      )
      expect([response.status, response.errors[0]?.code]).toEqual([422, 'unknown-member'])
    })

    it('that are hidden are refused in the words for members that do not exist', async () => {
      const detailOf = async (name: string) =>
        (await api.post('/books', { book: { title: 'x', price: 1, [name]: 'x' } })).text.replaceAll(
          name,
          'NAME',
        )
      expect(await detailOf('costPrice')).toBe(await detailOf('fakePrice'))
    })

    it('that are invalid are 422, all at once, each with a pointer into the body', async () => {
      const body = {
        book: {
          id: 'not an id',
          title: '',
          price: 'free',
          pages: 1.5,
          tags: ['ok', '', 5],
          size: { width: 'wide' },
          editions: [{ year: 1818, format: 'paper' }, { format: 'stone' }],
        },
      }
      const response = await api.post('/books', body)
      expect(response.status).toBe(422)
      const pointers = response.errors.map((error) => error.source?.pointer)
      for (const pointer of [
        '/book/id',
        '/book/title',
        '/book/price',
        '/book/pages',
        '/book/tags/1',
        '/book/tags/2',
        '/book/size/width',
        '/book/editions/1/format',
      ])
        expect(pointers).toContain(pointer)
      // The year is missing, so the error points to its parent.
      expect(pointers).toContain('/book/editions/1')
      expectPointersInto(body, response)
      expect(
        response.errors.find((error) => error.source?.pointer === '/book/editions/1')?.detail,
      ).toContain('year')
    })

    it('that are required and missing are 422, with a pointer to the item', async () => {
      const body = { book: { pages: 5 } }
      const response = await api.post('/books', body)
      expect(response.status).toBe(422)
      expect(response.errors.map((error) => error.source?.pointer)).toEqual(['/book', '/book'])
      expect(response.errors.map((error) => error.detail).join()).toMatch(/title.*price/)
      expectPointersInto(body, response)
    })

    it('cannot be null where the model requires a value', async () => {
      const body = { book: { title: null, price: 1, pages: null } }
      const response = await api.post('/books', body)
      expect([response.status, response.errors[0]?.source?.pointer]).toEqual([422, '/book/title'])
      expectPointersInto(body, response)
    })

    it('keep every character and number that JSON can hold', async () => {
      const title = '𝒜 "\\\n\t\u2028 🎬 é é ﷽'
      const price = 0.1 + 0.2
      await api.post('/books', { book: { id: 'b-1', title, price, isbn: '' } })
      const response = await api.get('/books/b-1')
      expect([
        response.at('/book/title'),
        response.at('/book/price'),
        response.at('/book/isbn'),
      ]).toEqual([title, price, ''])
    })

    it('that are unique refuse a value of another item with 409 and a pointer', async () => {
      await api.post('/books', { book: { title: 'x', price: 1, isbn: '123' } })
      const response = await api.post('/books', { book: { title: 'y', price: 1, isbn: '123' } })
      expect([response.status, response.errors[0]?.code]).toEqual([409, 'value-taken'])
      expect(response.errors[0]?.source).toEqual({ pointer: '/book/isbn' })
      expect((await titles()).map((book) => book.title)).toEqual(['x'])
    })

    it('that are unique may be absent in many items', async () => {
      for (const title of ['x', 'y'])
        expect((await api.post('/books', { book: { title, price: 1 } })).status).toBe(201)
    })
  })

  describe('the wrapper: a body is an object with the singular key alone', () => {
    it.each([
      [{ title: 'x', price: 1 }],
      [{}],
      [{ books: { title: 'x', price: 1 } }],
      [{ Book: { title: 'x', price: 1 } }],
      [{ book: { title: 'x', price: 1 }, author: { name: 'y' } }],
      [{ book: { title: 'x', price: 1 }, meta: {} }],
      [{ book: [{ title: 'x', price: 1 }] }],
      [{ book: 'x' }],
      [{ book: null }],
      [[{ book: { title: 'x', price: 1 } }]],
      ['"book"'],
      ['5'],
      ['null'],
    ])('%j is 400', async (body) => {
      const response = await api.post('/books', body)
      expect(response.status).toBe(400)
      expectPointersInto(typeof body === 'string' ? JSON.parse(body) : body, response)
      expect(await titles()).toEqual([])
    })

    it.each([
      ['nothing', undefined],
      ['an empty body', ''],
      ['white space', ' \n'],
      ['no JSON', 'title=x'],
      ['half a document', '{"book":{"title":"x"'],
      ['two documents', '{"book":{"title":"x","price":1}}{}'],
      ['a trailing comma', '{"book":{"title":"x","price":1,}}'],
      ['a comment', '{"book":{"title":"x","price":1}} // yes'],
      ['NaN', '{"book":{"title":"x","price":NaN}}'],
      ['a member twice', '{"book":{"title":"x","price":1,"price":2}}'],
      ['a number beyond all bounds', '{"book":{"title":"x","price":1e999}}'],
    ])('%s is 400', async (_, body) => {
      const response = await api.post('/books', body)
      expect(response.status).toBe(400)
      expect(await titles()).toEqual([])
    })

    it('cannot be nested without end', async () => {
      const deep = `{"book":{"title":${'['.repeat(5_000)}${']'.repeat(5_000)},"price":1}}`
      expect((await api.post('/books', deep)).status).toBe(400)
    })
  })
})
