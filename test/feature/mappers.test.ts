import { createRouter, field, hash, model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import type { MapperOptions } from 'resourcery/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  bio: z.string().optional(),
  salary: field(z.number().optional(), { hidden: true }),
})
class Book extends model('book', {
  title: z.string(),
  price: z.number(),
  pageCount: field(z.int().optional(), { wire: 'pages' }),
  bio: z.string().optional(),
  costPrice: field(z.number().optional(), { hidden: true }),
  email: field(z.string().optional(), { writeOnly: true }),
  author: toOne<{ id: string; name: string; salary?: number }>('author'),
  editor: toOne<{ id: string; name: string }>('author', { optional: true }),
  fans: toMany<{ id: string; name: string }>('author'),
  hash: hash(),
}) {
  shout() {
    return this.title.toUpperCase()
  }
}

const stored = {
  id: 'b-1',
  title: 'Dune',
  price: 9.5,
  pageCount: 412,
  bio: 'long',
  costPrice: 4,
  email: 'x@y.example',
  author: 'a-1',
  fans: ['a-1', 'a-2'],
}

describe.each(stores)('Response mappers, on $name', ({ make }) => {
  const mapped = async (
    prepare: (book: ReturnType<typeof prepared>) => unknown,
  ): Promise<Client> => {
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Author)
    prepare(prepared(router))
    await router.load(Author, [
      { id: 'a-1', name: 'Frank', salary: 1_000 },
      { id: 'a-2', name: 'Jane' },
    ])
    await router.load(Book, [stored, { id: 'b-2', title: 'Emma', price: 5, author: 'a-2' }])
    return client(router)
  }
  const prepared = (router: ReturnType<typeof createRouter>) => router.prepare(Book)

  const price = (book: { price: number }) => ({
    ...book,
    displayPrice: `€ ${book.price.toFixed(2)}`,
  })
  const adds = { displayPrice: z.string() }

  it('shared behaviour 3: run before serialization, for every response with an item', async () => {
    const api = await mapped((book) => book.map(price, { adds }))
    expect((await api.get('/books/b-1')).at('/book/displayPrice')).toBe('€ 9.50')
    expect((await api.get('/books')).at('/books/1/displayPrice')).toBe('€ 5.00')
    expect((await api.get('/books?page[size]=1')).at('/books/0/displayPrice')).toBe('€ 9.50')
    const created = await api.post('/books', {
      book: { id: 'b-3', title: 'x', price: 1, author: 'a-1' },
    })
    expect(created.at('/book/displayPrice')).toBe('€ 1.00')
    expect((await api.patch('/books/b-1', { book: { price: 2 } })).at('/book/displayPrice')).toBe(
      '€ 2.00',
    )
    const replaced = await api.put('/books/b-1', { book: { title: 'x', price: 3, author: 'a-1' } })
    expect(replaced.at('/book/displayPrice')).toBe('€ 3.00')
  })

  it('add members that are not stored, and filters and sorts by them say so', async () => {
    const api = await mapped((book) => book.map(price, { adds }))
    const detailOf = async (query: string) => (await api.get(`/books?${query}`)).errors[0]?.detail
    expect(await detailOf('filter[displayPrice]=5')).toBe(
      "Cannot filter by 'displayPrice': 'displayPrice' is computed for responses, not stored.",
    )
    expect(await detailOf('sort=cost')).not.toContain('displayPrice')
  })

  it('of a model run for its included items', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Author).map((author) => ({ ...author, initial: author.name[0] }), {
      adds: { initial: z.string() },
      hides: ['bio'],
    })
    router.prepare(Book)
    await router.load(Author, [{ id: 'a-1', name: 'Frank', bio: 'x' }])
    await router.load(Book, [{ id: 'b-1', title: 'x', price: 1, author: 'a-1' }])
    const response = await client(router).get('/books/b-1?include=author')
    expect(response.at('/authors')).toEqual([{ id: 'a-1', name: 'Frank', initial: 'F' }])
  })

  it("get instances of the model's class, with the model's own names and relations as objects", async () => {
    const seen: Book[] = []
    const api = await mapped((book) =>
      book.map((entry) => {
        seen.push(entry)
        return entry
      }),
    )
    const response = await api.get('/books/b-1')
    expect(seen[0]).toBeInstanceOf(Book)
    expect(seen[0]?.shout()).toBe('DUNE')
    expect(seen[0]).toMatchObject({
      id: 'b-1',
      pageCount: 412,
      costPrice: 4,
      author: { id: 'a-1', name: 'Frank', salary: 1_000 },
      editor: null,
      fans: [
        { id: 'a-1', name: 'Frank' },
        { id: 'a-2', name: 'Jane' },
      ],
    })
    expect(response.at('/book')).toEqual({
      id: 'b-1',
      title: 'Dune',
      price: 9.5,
      pages: 412,
      bio: 'long',
      author: 'a-1',
      editor: null,
      fans: ['a-1', 'a-2'],
      hash: expect.any(String),
    })
  })

  it('may be asynchronous, and keep the order of the list', async () => {
    const api = await mapped((book) =>
      book.map(
        async (entry) => {
          for (let tick = 0; tick < (entry.id === 'b-1' ? 50 : 0); tick++) await Promise.resolve()
          return price(entry)
        },
        { adds },
      ),
    )
    const response = await api.get('/books')
    expect(response.ids('books')).toEqual(['b-1', 'b-2'])
    expect(response.at('/books/0/displayPrice')).toBe('€ 9.50')
  })

  it('are chained: each gets what the one before returned', async () => {
    const api = await mapped((book) =>
      book.map(price, { adds }).map(
        (entry) => ({
          ...entry,
          label: `${(entry as unknown as { displayPrice: string }).displayPrice}!`,
        }),
        {
          adds: { label: z.string() },
        },
      ),
    )
    expect((await api.get('/books/b-1')).at('/book/label')).toBe('€ 9.50!')
  })

  it('get the context of the request', async () => {
    const api = await mapped((book) =>
      book.map((entry, context) => ({ ...entry, asked: context.request.headers['x-user'] ?? '' }), {
        adds: { asked: z.string() },
      }),
    )
    expect((await api.get('/books/b-1', { 'x-user': 'mary' })).at('/book/asked')).toBe('mary')
  })

  it('may change a member without declaring it', async () => {
    const api = await mapped((book) =>
      book.map((entry) => ({ ...entry, title: entry.title.toUpperCase() })),
    )
    expect((await api.get('/books/b-1')).at('/book/title')).toBe('DUNE')
  })

  it('give the representation an ETag of its own, which still guards writes', async () => {
    let currency = '€'
    const api = await mapped((book) =>
      book.map((entry) => ({ ...entry, displayPrice: `${currency} ${entry.price}` }), { adds }),
    )
    const { etag } = await api.get('/books/b-1')
    expect((await api.get('/books/b-1', { 'if-none-match': etag })).status).toBe(304)
    currency = '$'
    expect((await api.get('/books/b-1', { 'if-none-match': etag })).status).toBe(200)
    expect(
      (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': etag })).status,
    ).toBe(200)
    expect(
      (await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': etag })).status,
    ).toBe(412)
  })

  describe('nothing hidden is sent', () => {
    it('neither hidden nor write-only members, whatever the mapper returns', async () => {
      const api = await mapped((book) => book.map((entry) => ({ ...entry })))
      for (const path of [
        '/books',
        '/books/b-1',
        '/books/b-1?include=author',
        '/books?fields[books]=title',
      ])
        expect((await api.get(path)).text, path).not.toMatch(/costPrice|email|x@y|salary|1000/)
    })

    it('nor whole related objects: ids are sent', async () => {
      const api = await mapped((book) => book.map((entry) => entry))
      expect((await api.get('/books/b-1')).text).not.toMatch(/Frank|Jane/)
    })

    it('nor members that were not declared', async () => {
      const api = await mapped((book) => book.map((entry) => ({ ...entry, surprise: 1 })))
      expect((await api.get('/books/b-1')).text).not.toContain('surprise')
    })

    it('nor another id or hash', async () => {
      const api = await mapped((book) =>
        book.map((entry) => ({ ...entry, id: 'forged', hash: 'forged' })),
      )
      const response = await api.get('/books/b-1')
      expect(response.at('/book/id')).toBe('b-1')
      expect(response.at('/book/hash')).toMatch(/^[\w-]{43}$/)
    })
  })

  describe('what they hide', () => {
    const hiding = (options: MapperOptions) => mapped((book) => book.map((entry) => entry, options))

    it('is never sent, whatever the mapper returns', async () => {
      const api = await hiding({ hides: ['bio', 'pageCount', 'fans'] })
      for (const path of ['/books', '/books/b-1', '/books?page[size]=1'])
        expect((await api.get(path)).text, path).not.toMatch(/"bio"|"pages"|"fans"/)
    })

    it('cannot be filtered, sorted, selected or included by: refused as if it did not exist', async () => {
      const api = await hiding({ hides: ['bio', 'pageCount', 'fans'] })
      for (const query of [
        'filter[NAME]=1',
        'filter[NAME][gt]=1',
        'filter[NAME][any]=a-1',
        'filter=isNull(NAME)',
        'sort=NAME',
        'fields[books]=NAME',
        'include=NAME',
      ]) {
        const detailOf = async (name: string) => {
          const response = await api.get(`/books?${query.replace('NAME', name)}`)
          expect(response.status, query).toBe(400)
          return response.text.replaceAll(name, 'NAME')
        }
        const unknown = await detailOf('zzz')
        for (const name of ['bio', 'pages', 'fans'])
          expect(await detailOf(name), `${query} ${name}`).toBe(unknown)
      }
    })

    it('keeps its value on PUT', async () => {
      const store = await make()
      const router = createRouter({ policy: rest(), store })
      router.prepare(Author)
      router.prepare(Book).map((entry) => entry, { hides: ['bio', 'fans'] })
      await router.load(Author, [
        { id: 'a-1', name: 'x' },
        { id: 'a-2', name: 'y' },
      ])
      await router.load(Book, [stored])
      const api = client(router)
      expect(
        (await api.put('/books/b-1', { book: { title: 'x', price: 1, author: 'a-1' } })).status,
      ).toBe(200)
      for await (const item of router.query(Book).exec())
        expect(item).toMatchObject({ bio: 'long', fans: ['a-1', 'a-2'] })
    })
  })

  describe('what they add', () => {
    it('can be sent back, and is ignored', async () => {
      const api = await mapped((book) => book.map(price, { adds }))
      const before = await api.get('/books/b-1')
      for (const response of [
        await api.put('/books/b-1', before.body),
        await api.patch('/books/b-1', before.body),
      ])
        expect([response.status, response.body, response.etag]).toEqual([
          200,
          before.body,
          before.etag,
        ])
      const forged = await api.patch('/books/b-1', { book: { displayPrice: 5 } })
      expect([forged.status, forged.at('/book/displayPrice')]).toEqual([200, '€ 9.50'])
    })

    it('can be selected, but neither filtered nor sorted by', async () => {
      const api = await mapped((book) => book.map(price, { adds }))
      expect((await api.get('/books/b-1?fields[books]=displayPrice')).body).toEqual({
        book: { id: 'b-1', displayPrice: '€ 9.50' },
      })
      expect((await api.get('/books?filter[displayPrice]=x')).status).toBe(400)
      expect((await api.get('/books?sort=displayPrice')).status).toBe(400)
    })
  })

  describe('that throw', () => {
    const failing = async () => {
      const reported: unknown[] = []
      const router = createRouter({
        policy: rest(),
        store: await make(),
        onError: (error) => reported.push(error),
      })
      router.prepare(Author).map((author) => {
        if (author.id === 'a-2') throw new Error('swordfish')
        return author
      })
      await router.load(Author, [
        { id: 'a-1', name: 'x' },
        { id: 'a-2', name: 'y' },
      ])
      return { api: client(router), reported }
    }

    it.each(['/authors/a-2', '/authors?page[size]=5'])(
      'respond to %s with an opaque 500, and are reported to onError',
      async (path) => {
        const { api, reported } = await failing()
        const response = await api.get(path)
        expect([response.status, response.text.includes('swordfish')]).toEqual([500, false])
        expect(reported).toEqual([expect.objectContaining({ message: 'swordfish' })])
        expect((await api.get('/authors/a-1')).status).toBe(200)
      },
    )

    it('abort a streamed list instead of ending it as if it were complete, and are reported to onError', async () => {
      const { api, reported } = await failing()
      const outcome = await api.get('/authors').then(
        (response) => response.status,
        () => 'broken off',
      )
      expect([500, 'broken off']).toContain(outcome)
      expect(reported).toEqual([expect.objectContaining({ message: 'swordfish' })])
    })
  })

  it('are refused at registration where they cannot work', async () => {
    const refusal = async (options: MapperOptions) => {
      const router = createRouter({ policy: rest(), store: await make() })
      router.prepare(Author)
      const book = router.prepare(Book)
      expect(() => {
        book.map((entry) => entry, options)
        return router.rules
      }).toThrow(/mapper.*'book'/i)
    }
    await refusal({ adds: { title: z.string() } })
    await refusal({ adds: { pages: z.number() } })
    await refusal({ adds: { id: z.string() } })
    await refusal({ adds: { 'no name': z.string() } })
    await refusal({ hides: ['nothing'] })
    await refusal({ hides: ['pages'] })
  })
})
