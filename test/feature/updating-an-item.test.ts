import { field, hash, model, type Router, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { expectPointersInto } from '../support/pointers.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string() })
const Book = model('book', {
  title: z.string().min(1),
  price: z.number().nonnegative(),
  pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
  note: z.string().nullish(),
  inStock: z.boolean().default(true),
  tags: z.array(z.string()).default([]),
  size: z
    .object({ width: z.number(), height: z.number().optional(), unit: z.string().default('mm') })
    .optional(),
  extra: z.json().optional(),
  raw: z.unknown().optional(),
  isbn: field(z.string().optional(), { unique: true }),
  createdAt: field(z.string().default('then'), { readOnly: true }),
  costPrice: field(z.number().optional(), { hidden: true }),
  email: field(z.email().optional(), { writeOnly: true }),
  author: toOne('author'),
  editor: toOne('author', { optional: true }),
  fans: toMany('author'),
  hash: hash(),
})
/** Without a hash: its ETags are weak. */
const Publisher = model('publisher', { name: z.string(), city: z.string().optional() })
const Account = model('account', { balance: z.number(), hash: hash() }, { requireMatch: true })

const stored = {
  id: 'b-1',
  title: 'Frankenstein',
  price: 9.5,
  pageCount: 280,
  note: 'first',
  tags: ['gothic', 'monster'],
  size: { width: 10, height: 20, unit: 'cm' },
  isbn: '111',
  costPrice: 4,
  email: 'mary@example.org',
  author: 'a-1',
  editor: 'a-2',
  fans: ['a-2', 'a-3'],
}

describe.each(stores)('UpdateItem, on $name', ({ make }) => {
  let api: Client
  let router: Router

  beforeEach(async () => {
    const fixture = service(await make(), [Author, Book, Publisher, Account])
    router = fixture.router
    await router.load(
      Author,
      ['a-1', 'a-2', 'a-3'].map((id) => ({ id, name: id })),
    )
    await router.load(Book, [
      stored,
      { id: 'b-2', title: 'Lodore', price: 1, isbn: '222', author: 'a-1' },
    ])
    await router.load(Publisher, [{ id: 'p-1', name: 'Lackington' }])
    await router.load(Account, [{ id: 'x', balance: 1 }])
    api = fixture.api
  })

  const book = async () => (await api.get('/books/b-1')).at('/book') as Record<string, unknown>

  describe('rule 4: merges', () => {
    it('responds with 200 and the full updated item: sent fields overwrite, unmentioned ones are preserved', async () => {
      const before = await book()
      const response = await api.patch('/books/b-1', { book: { price: 12, pages: 300 } })
      expect(response.status).toBe(200)
      expect(response.at('/book')).toEqual({
        ...before,
        price: 12,
        pages: 300,
        hash: expect.any(String),
      })
      expect(await book()).toEqual(response.at('/book'))
    })

    it('reports invalid values together with missing related items', async () => {
      const response = await api.patch('/books/b-1', {
        book: { price: 'x', author: 'a-9', editor: 'a-2', fans: ['a-8'] },
      })
      expect([response.status, response.errors.map((error) => error.source?.pointer)]).toEqual([
        422,
        ['/book/price', '/book/author', '/book/fans/0'],
      ])
    })

    it('takes application/merge-patch+json as well', async () => {
      const response = await api.patch(
        '/books/b-1',
        { book: { price: 1 } },
        { 'content-type': 'application/merge-patch+json' },
      )
      expect([response.status, response.at('/book/price')]).toEqual([200, 1])
    })

    it('null removes a member', async () => {
      const response = await api.patch('/books/b-1', {
        book: { pages: null, size: null, isbn: null },
      })
      expect(response.status).toBe(200)
      for (const name of ['pages', 'size', 'isbn'])
        expect(response.at(`/book/${name}`), name).toBeUndefined()
      expect(await book()).toEqual(response.at('/book'))
    })

    it('null resets a member to its default', async () => {
      const response = await api.patch('/books/b-1', { book: { tags: null, inStock: null } })
      expect([response.status, response.at('/book/tags'), response.at('/book/inStock')]).toEqual([
        200,
        [],
        true,
      ])
    })

    it('arrays are replaced as a whole', async () => {
      expect((await api.patch('/books/b-1', { book: { tags: ['x'] } })).at('/book/tags')).toEqual([
        'x',
      ])
      expect((await api.patch('/books/b-1', { book: { tags: [] } })).at('/book/tags')).toEqual([])
    })

    it('structs are merged member by member', async () => {
      const response = await api.patch('/books/b-1', {
        book: { size: { width: 11, height: null } },
      })
      expect(response.at('/book/size')).toEqual({ width: 11, unit: 'cm' })
    })

    it.each([
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, null, undefined],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ])('follows the appendix of RFC 7396: %j patched with %j', async (before, patch, after) => {
      await api.patch('/books/b-1', { book: { extra: null } })
      await api.patch('/books/b-1', { book: { extra: before } })
      await api.put('/books/b-1', { book: { title: 'x', price: 1, author: 'a-1', extra: before } })
      const response = await api.patch('/books/b-1', { book: { extra: patch } })
      expect([response.status, response.at('/book/extra')]).toEqual([200, after])
      expect((await book()).extra).toEqual(after)
    })

    it('keeps a member called __proto__ as plain data', async () => {
      await api.patch('/books/b-1', '{"book":{"raw":{"__proto__":{"admin":true},"a":1}}}')
      const response = await api.patch('/books/b-1', { book: { raw: { a: 2 } } })
      expect(response.text).toContain('"__proto__":{"admin":true}')
      expect(response.text).toContain('"a":2')
      expect(({} as { admin?: boolean }).admin).toBeUndefined()
    })

    it('hidden, write-only and read-only members are preserved', async () => {
      const response = await api.patch('/books/b-1', { book: { title: 'x' } })
      expect(response.at('/book/createdAt')).toBe('then')
      for await (const item of router.query(Book).where('id').equal('b-1').exec())
        expect(item).toMatchObject({ email: 'mary@example.org', costPrice: 4 })
    })

    it('read-only members and the hash are ignored', async () => {
      const before = await api.get('/books/b-1')
      const response = await api.patch('/books/b-1', { book: { createdAt: 'now', hash: 'forged' } })
      expect([response.status, response.etag, response.body]).toEqual([
        200,
        before.etag,
        before.body,
      ])
    })

    it('an item that is sent back as it was received changes nothing', async () => {
      const before = await api.get('/books/b-1')
      const response = await api.patch('/books/b-1', before.body)
      expect([response.status, response.body, response.etag]).toEqual([
        200,
        before.body,
        before.etag,
      ])
    })
  })

  describe('rule 4: validates the merged item as a whole', () => {
    it.each([
      [{ price: -1 }, '/book/price'],
      [{ price: 'free' }, '/book/price'],
      [{ title: null }, '/book/title'],
      [{ title: '' }, '/book/title'],
      [{ size: { width: null } }, '/book/size/width'],
      [{ size: { height: 'tall' } }, '/book/size/height'],
      [{ tags: ['a', 1] }, '/book/tags/1'],
      [{ email: 'nobody' }, '/book/email'],
      [{ director: 'x' }, '/book/director'],
      [{ costPrice: 1 }, '/book/costPrice'],
      [{ pageCount: 1 }, '/book/pageCount'],
      [{ size: { depth: 1 } }, '/book/size/depth'],
      [{ author: null }, '/book/author'],
      [{ author: 'a-9' }, '/book/author'],
      [{ fans: ['a-1', 'a-9'] }, '/book/fans/1'],
    ])('%j is 422 with a pointer to %s, and nothing is changed', async (members, pointer) => {
      const before = await book()
      const body = { book: { note: 'changed', ...members } }
      const response = await api.patch('/books/b-1', body)
      expect([response.status, response.errors.map((error) => error.source?.pointer)]).toEqual([
        422,
        [pointer],
      ])
      expectPointersInto(body, response)
      expect(await book()).toEqual(before)
    })

    it('reports all errors at once', async () => {
      const body = { book: { title: '', price: -1, director: 'x', size: { width: 'x', depth: 1 } } }
      const response = await api.patch('/books/b-1', body)
      expect([400, 422]).toContain(response.status)
      // An unknown member may be reported before the values are checked.
      expect(response.errors.length).toBeGreaterThan(0)
      const values = await api.patch('/books/b-1', {
        book: { title: '', price: -1, size: { width: 'x', depth: 1 } },
      })
      expect(values.errors.map((error) => error.source?.pointer).toSorted()).toEqual([
        '/book/price',
        '/book/size/depth',
        '/book/size/width',
        '/book/title',
      ])
    })

    it('a unique value that another item holds is 409', async () => {
      const response = await api.patch('/books/b-1', { book: { isbn: '222' } })
      expect([response.status, response.errors[0]?.source]).toEqual([
        409,
        { pointer: '/book/isbn' },
      ])
      expect((await api.patch('/books/b-1', { book: { isbn: '111' } })).status).toBe(200)
    })
  })

  describe('identifiers', () => {
    it('in the body may be the one in the path', async () => {
      expect((await api.patch('/books/b-1', { book: { id: 'b-1', price: 1 } })).status).toBe(200)
    })

    it('in the body cannot differ from the one in the path: 409', async () => {
      const response = await api.patch('/books/b-1', { book: { id: 'b-2', price: 1 } })
      expect([response.status, response.errors[0]?.source]).toEqual([409, { pointer: '/book/id' }])
      expect((await book()).price).toBe(9.5)
    })

    it('that are unknown are 404', async () => {
      expect((await api.patch('/books/b-9', { book: { price: 1 } })).status).toBe(404)
    })
  })

  describe('rule 4: relation fields contain identifiers, not nested objects', () => {
    it.each([
      [{ author: { id: 'a-1' } }, '/book/author'],
      [{ editor: { id: 'a-1', name: 'x' } }, '/book/editor'],
      [{ fans: [{ id: 'a-1' }] }, '/book/fans/0'],
      [{ fans: 'a-1' }, '/book/fans'],
    ])('%j is 400', async (members, pointer) => {
      const response = await api.patch('/books/b-1', { book: members })
      expect([response.status, response.errors.map((error) => error.source?.pointer)]).toEqual([
        400,
        [pointer],
      ])
    })

    it('can be changed, cleared and replaced as a whole', async () => {
      const response = await api.patch('/books/b-1', {
        book: { author: 'a-3', editor: null, fans: ['a-1'] },
      })
      expect([
        response.at('/book/author'),
        response.at('/book/editor'),
        response.at('/book/fans'),
      ]).toEqual(['a-3', null, ['a-1']])
      expect((await api.get('/books?filter[author.name]=a-3')).ids('books')).toEqual(['b-1'])
      expect((await api.get('/books?filter[fans][any]=a-2')).ids('books')).toEqual([])
    })
  })

  describe('versions', () => {
    it('no change keeps the ETag, any change gives a new one', async () => {
      const { etag } = await api.get('/books/b-1')
      expect((await api.patch('/books/b-1', { book: {} })).etag).toBe(etag)
      expect(
        (await api.patch('/books/b-1', { book: { price: 9.5, tags: ['gothic', 'monster'] } })).etag,
      ).toBe(etag)
      expect((await api.patch('/books/b-1', { book: { fans: ['a-3', 'a-2'] } })).etag).not.toBe(
        etag,
      )
    })

    it('If-Match with the current ETag allows the write', async () => {
      const { etag } = await api.get('/books/b-1')
      expect(
        (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': etag })).status,
      ).toBe(200)
      const next = await api.get('/books/b-1')
      const several = await api.patch(
        '/books/b-1',
        { book: { price: 2 } },
        { 'if-match': `"x", ${next.etag}` },
      )
      expect(several.status).toBe(200)
    })

    it.each(['"x"', '"x", "y"', '', 'x', 'W/"x"'])(
      'If-Match: %s fails with 412, and nothing is changed',
      async (tag) => {
        const response = await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': tag })
        expect([response.status, response.errors[0]?.source]).toEqual([412, { header: 'If-Match' }])
        expect((await book()).price).toBe(9.5)
      },
    )

    it('If-Match without quotes is reported as malformed, not as another version', async () => {
      const { etag } = await api.get('/books/b-1')
      const detailOf = async (tag: string) =>
        (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': tag })).errors[0]
          ?.detail
      expect(await detailOf(etag!.replaceAll('"', ''))).toBe(
        'Invalid If-Match; expected entity tags in double quotes.',
      )
      expect(await detailOf('"x"')).toBe(
        'The book was changed: If-Match does not match the current version. Fetch it again.',
      )
    })

    it('the error of a failed precondition names the header and its value', async () => {
      const { etag } = await api.get('/books/b-1')
      const errorOf = async (headers: Readonly<Record<string, string>>) => {
        const response = await api.patch('/books/b-1', { book: { price: 1 } }, headers)
        expect(response.status).toBe(412)
        return [response.errors[0]?.source, response.errors[0]?.detail]
      }
      const exists = [{ header: 'If-None-Match' }, expect.stringContaining('matches If-None-Match')]
      expect(await errorOf({ 'if-none-match': '*' })).toEqual(exists)
      expect(await errorOf({ 'if-none-match': etag })).toEqual(exists)
      expect(await errorOf({ 'if-match': etag, 'if-none-match': '*' })).toEqual(exists)
      const stale = [{ header: 'If-Match' }, expect.stringContaining('does not match')]
      expect(await errorOf({ 'if-match': '"x"', 'if-none-match': '*' })).toEqual(stale)
      expect((await book()).price).toBe(9.5)
    })

    it('If-Match with the ETag of an earlier version fails with 412', async () => {
      const { etag } = await api.get('/books/b-1')
      await api.patch('/books/b-1', { book: { price: 1 } })
      expect(
        (await api.patch('/books/b-1', { book: { price: 2 } }, { 'if-match': etag })).status,
      ).toBe(412)
      await api.patch('/books/b-1', { book: { price: 9.5 } })
      expect(
        (await api.patch('/books/b-1', { book: { price: 2 } }, { 'if-match': etag })).status,
      ).toBe(412)
    })

    it('If-Match: * requires only that the item exists', async () => {
      expect(
        (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': '*' })).status,
      ).toBe(200)
      expect(
        (await api.patch('/publishers/p-1', { publisher: { name: 'x' } }, { 'if-match': '*' }))
          .status,
      ).toBe(200)
    })

    it('a weak ETag never guards a write', async () => {
      const { etag: strong } = await api.get('/books/b-1')
      expect(
        (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': `W/${strong}` }))
          .status,
      ).toBe(412)
      const { etag: weak } = await api.get('/publishers/p-1')
      for (const tag of [weak, weak.replace('W/', '')]) {
        const response = await api.patch(
          '/publishers/p-1',
          { publisher: { name: 'x' } },
          { 'if-match': tag },
        )
        expect(response.status, tag).toBe(412)
      }
      expect((await api.get('/publishers/p-1')).at('/publisher/name')).toBe('Lackington')
    })

    it.each([
      '?include=author',
      '?fields[books]=title',
      '?include=author,fans&fields[authors]=name',
    ])(
      'If-Match accepts the ETag of any representation of the current version: %s',
      async (query) => {
        const { etag } = await api.get(`/books/b-1${query}`)
        expect(
          (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': etag })).status,
        ).toBe(200)
        expect(
          (await api.patch('/books/b-1', { book: { price: 2 } }, { 'if-match': etag })).status,
        ).toBe(412)
      },
    )

    it('requireMatch responds with 428 without If-Match, as an option of the model', async () => {
      const response = await api.patch('/accounts/x', { account: { balance: 2 } })
      expect([response.status, response.errors[0]?.source]).toEqual([428, { header: 'If-Match' }])
      expect((await api.put('/accounts/x', { account: { balance: 2 } })).status).toBe(428)
      expect((await api.delete('/accounts/x')).status).toBe(428)
      const { etag } = await api.get('/accounts/x')
      expect(
        (await api.patch('/accounts/x', { account: { balance: 2 } }, { 'if-match': etag })).status,
      ).toBe(200)
      expect((await api.post('/accounts', { account: { balance: 1 } })).status).toBe(201)
      expect((await api.patch('/accounts/nobody', { account: { balance: 1 } })).status).toBe(404)
    })

    it('requireMatch responds with 428 without If-Match, as an option of the router', async () => {
      const { router, api: own } = service(await make(), [Publisher], { requireMatch: true })
      await router.load(Publisher, [{ id: 'p-1', name: 'x' }])
      expect((await own.patch('/publishers/p-1', { publisher: { name: 'y' } })).status).toBe(428)
      expect(
        (await own.patch('/publishers/p-1', { publisher: { name: 'y' } }, { 'if-match': '*' }))
          .status,
      ).toBe(200)
    })

    it('of 50 parallel writes with the same If-Match exactly one succeeds', async () => {
      const { etag } = await api.get('/books/b-1')
      const writes = Array.from({ length: 50 }, (_, index) =>
        api.patch('/books/b-1', { book: { price: 100 + index } }, { 'if-match': etag }),
      )
      const responses = await Promise.all(writes)
      const done = responses.filter((response) => response.status === 200)
      expect(done).toHaveLength(1)
      expect(responses.filter((response) => response.status === 412)).toHaveLength(49)
      expect((await book()).price).toBe(done[0]?.at('/book/price'))
    })

    it('of 50 parallel writes to different members none is lost', async () => {
      const writes = Array.from({ length: 50 }, (_, index) =>
        api.patch('/books/b-1', { book: { extra: { [`m${index}`]: index } } }),
      )
      for (const response of await Promise.all(writes)) expect(response.status).toBe(200)
      expect(Object.keys((await book()).extra as object)).toHaveLength(50)
    })
  })

  it.each([
    [{ price: 1 }],
    [{ book: [] }],
    [{ books: { price: 1 } }],
    ['nonsense'],
    [''],
    [undefined],
  ])('%j is malformed: 400', async (body) => {
    expect((await api.patch('/books/b-1', body)).status).toBe(400)
  })

  it('refuses unknown parameters before anything is changed', async () => {
    const response = await api.patch('/books/b-1?sort=title', { book: { price: 1 } })
    expect([response.status, response.errors[0]?.source]).toEqual([400, { parameter: 'sort' }])
    expect((await book()).price).toBe(9.5)
  })
})
