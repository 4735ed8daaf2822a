import { crc32 } from 'node:zlib'
import { field, hash, model, RegistrationError, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), hash: hash() })
const Book = model('book', {
  title: z.string(),
  price: field(z.number().optional(), { wire: 'cost' }),
  secret: field(z.string().optional(), { hidden: true }),
  note: field(z.string().optional(), { writeOnly: true }),
  author: toOne('author', { optional: true }),
  hash: hash(),
})
/** Without a hash: its ETag is the CRC32 of its JSON text. */
const Publisher = model('publisher', {
  name: z.string(),
  city: z.string().optional(),
  secret: field(z.string().optional(), { hidden: true }),
})

describe.each(stores)('GetItem, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    const { router, api: client } = service(await make(), [Author, Book, Publisher])
    await router.load(Author, [{ id: 'a-1', name: 'Mary Shelley' }])
    await router.load(Book, [
      { id: 'b-1', title: 'Frankenstein', price: 9.5, secret: 's', author: 'a-1' },
    ])
    await router.load(Publisher, [{ id: 'p-1', name: 'Lackington ✒', secret: 's' }])
    api = client
  })

  it('responds with 200 and the item under its singular key, with wire names, without hidden members', async () => {
    const response = await api.get('/books/b-1')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.body).toEqual({
      book: {
        id: 'b-1',
        title: 'Frankenstein',
        cost: 9.5,
        author: 'a-1',
        hash: expect.any(String),
      },
    })
  })

  it('responds with 404 for an unknown id, and for ids that cannot exist', async () => {
    for (const id of [
      'b-2',
      'B-1',
      'b-1%20',
      '%F0%9F%8E%AC',
      `${'x'.repeat(300)}`,
      "'",
      '%00',
      'constructor',
      '__proto__',
    ])
      expect((await api.get(`/books/${id}`)).status, id).toBe(404)
  })

  it('finds an item by its id in any percent-encoding', async () => {
    expect((await api.get('/books/%62%2D1')).at('/book/id')).toBe('b-1')
  })

  describe('GetItem rule 2: the ETag', () => {
    it('is the hash field when the item has one, as a strong ETag', async () => {
      const response = await api.get('/books/b-1')
      expect(response.etag).toBe(`"${response.at('/book/hash')}"`)
    })

    it('is a field named hash also where the model declares it by a schema of its own, unless registration refuses the schema', async () => {
      const Page = model('page', { text: z.string(), hash: z.string().optional() })
      const { router, api: own } = service(await make(), [Page])
      try {
        expect(router.rules).toHaveLength(6)
      } catch (error) {
        expect(error).toBeInstanceOf(RegistrationError)
        return
      }
      await router.load(Page, [{ id: 'p-1', text: 'x', hash: 'abc' }])
      expect((await own.get('/pages/p-1')).etag).toMatch(/^(W\/)?"abc"$/)
    })

    it("is otherwise the CRC32 of the item's JSON text, as a weak ETag", async () => {
      const response = await api.get('/publishers/p-1')
      const text = JSON.stringify(response.at('/publisher'))
      expect(response.text).toBe(`{"publisher":${text}}`)
      expect(response.etag).toBe(`W/"${crc32(text).toString(16).padStart(8, '0')}"`)
    })

    it('changes with the item, and only with it', async () => {
      const before = [(await api.get('/books/b-1')).etag, (await api.get('/publishers/p-1')).etag]
      expect([(await api.get('/books/b-1')).etag, (await api.get('/publishers/p-1')).etag]).toEqual(
        before,
      )
      await api.patch('/books/b-1', { book: { title: 'The Last Man' } })
      await api.patch('/publishers/p-1', { publisher: { city: 'London' } })
      expect((await api.get('/books/b-1')).etag).not.toBe(before[0])
      expect((await api.get('/publishers/p-1')).etag).not.toBe(before[1])
    })

    it('changes with a member that is never sent too', async () => {
      const before = await api.get('/books/b-1')
      await api.patch('/books/b-1', { book: { note: 'for us alone' } })
      const after = await api.get('/books/b-1')
      expect(after.etag).not.toBe(before.etag)
      expect(after.text).not.toContain('for us alone')
    })
  })

  describe('GetItem rule 2: If-None-Match', () => {
    it.each(['/books/b-1', '/publishers/p-1'])(
      'responds to %s with 304 and an empty body when it matches',
      async (path) => {
        const { etag } = await api.get(path)
        const response = await api.get(path, { 'if-none-match': etag })
        expect([response.status, response.text, response.etag]).toEqual([304, '', etag])
      },
    )

    it.each(['/books/b-1', '/publishers/p-1'])(
      'compares %s weakly, takes lists, and * for anything',
      async (path) => {
        const { etag } = await api.get(path)
        const opaque = etag.replace('W/', '')
        for (const header of [`W/${opaque}`, opaque, `"a", ${etag}, "b"`, `"a",${etag}`, '*']) {
          expect((await api.get(path, { 'if-none-match': header })).status, header).toBe(304)
        }
      },
    )

    it('responds with the whole item when it does not match', async () => {
      const { etag } = await api.get('/books/b-1')
      for (const header of [
        '"x"',
        '"x", W/"y"',
        etag.slice(0, -2),
        etag.replaceAll('"', ''),
        '""',
      ]) {
        const response = await api.get('/books/b-1', { 'if-none-match': header })
        expect([response.status, response.at('/book/id')], header).toEqual([200, 'b-1'])
      }
    })

    it('does not match the ETag of an earlier version', async () => {
      const { etag } = await api.get('/books/b-1')
      await api.patch('/books/b-1', { book: { title: 'The Last Man' } })
      expect((await api.get('/books/b-1', { 'if-none-match': etag })).status).toBe(200)
    })

    it('responds with 404 for a missing item, whatever the ETag', async () => {
      expect((await api.get('/books/b-9', { 'if-none-match': '*' })).status).toBe(404)
    })
  })

  it('rule 7: PUT and PATCH respond with the ETag that GET then has, and POST does too', async () => {
    for (const [plural, singular, members] of [
      ['books', 'book', { title: 'Lodore' }],
      ['publishers', 'publisher', { name: 'Murray' }],
    ] as const) {
      const posted = await api.post(`/${plural}`, { [singular]: { id: 'x', ...members } })
      expect(posted.etag).toBe((await api.get(`/${plural}/x`)).etag)
      const patched = await api.patch(`/${plural}/x`, { [singular]: {} })
      expect(patched.etag).toBe((await api.get(`/${plural}/x`)).etag)
      const put = await api.put(`/${plural}/x`, { [singular]: { ...members } })
      expect(put.etag).toBe((await api.get(`/${plural}/x`)).etag)
      expect(put.etag).not.toBe('')
    }
  })

  describe('representations', () => {
    const others = [
      '/books/b-1?include=author',
      '/books/b-1?fields[books]=title',
      '/books/b-1?fields[books]=title,cost',
    ]

    it('have ETags of their own', async () => {
      const tags = await Promise.all(
        ['/books/b-1', ...others].map(async (path) => (await api.get(path)).etag),
      )
      expect(new Set(tags).size).toBe(4)
      for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/)
    })

    it('respond with 304 to their own ETag, and not to that of another', async () => {
      const { etag: plain } = await api.get('/books/b-1')
      for (const path of others) {
        const { etag } = await api.get(path)
        expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304)
        expect((await api.get(path, { 'if-none-match': plain })).status).toBe(200)
        expect((await api.get('/books/b-1', { 'if-none-match': etag })).status).toBe(200)
      }
    })

    it('change their ETag when an included item changes', async () => {
      const { etag } = await api.get('/books/b-1?include=author')
      await api.patch('/authors/a-1', { author: { name: 'Mary Wollstonecraft Shelley' } })
      expect((await api.get('/books/b-1?include=author', { 'if-none-match': etag })).status).toBe(
        200,
      )
    })

    it('have a weak ETag when the model has no hash', async () => {
      const response = await api.get('/publishers/p-1?fields[publishers]=name')
      expect(response.etag).toMatch(/^W\/"/)
      expect(response.etag).not.toBe((await api.get('/publishers/p-1')).etag)
    })
  })

  describe('HEAD', () => {
    it.each([
      '/books/b-1',
      '/publishers/p-1',
      '/books/b-1?include=author',
      '/books',
      '/books?page[size]=1',
    ])('responds to %s as GET does, without a body', async (path) => {
      const [head, get] = [await api.head(path), await api.get(path)]
      expect([head.status, head.text]).toEqual([200, ''])
      for (const name of ['content-type', 'etag', 'link', 'vary'])
        expect(head.headers.get(name), name).toBe(get.headers.get(name))
    })

    it('responds with 304 and 404 as GET does', async () => {
      const { etag } = await api.get('/books/b-1')
      expect((await api.head('/books/b-1', { 'if-none-match': etag })).status).toBe(304)
      const missing = await api.head('/books/b-9')
      expect([missing.status, missing.text]).toEqual([404, ''])
    })
  })

  it('rule 8: reads the id from the path for operation and middleware alike', async () => {
    const { router } = service(await make(), [])
    const ids: (string | undefined)[] = []
    router.prepare(Author).use({
      request: {
        any: (context) => {
          ids.push(context.id, context.params.id)
        },
      },
    })
    const own = client(router)
    await own.post('/authors', { author: { id: 'a:1', name: 'x' } })
    await own.get('/authors/a%3A1')
    await own.patch('/authors/a:1', { author: {} })
    await own.put('/authors/a:1', { author: { name: 'y' } })
    await own.delete('/authors/a:1')
    expect(ids).toEqual([undefined, undefined, ...Array.from({ length: 8 }, () => 'a:1')])
  })
})
