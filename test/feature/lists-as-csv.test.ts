import { createRouter, field, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
})
const Book = model('book', {
  title: z.string(),
  price: field(z.number(), { wire: 'cost' }),
  isbn: z.string().nullable().optional(),
  genres: z.array(z.string()).default([]),
  secret: field(z.boolean().default(false), { hidden: true }),
  author: toOne('author'),
  hash: hash(),
})

const csv = { accept: 'text/csv' }
const header = 'id,title,cost,isbn,genres,author,hash'
const books = [
  { id: 'a', title: 'Say "no", Emma', price: -1.5, isbn: '', author: 'mary' },
  { id: 'b', title: '=HYPERLINK("x")', price: 2, isbn: null, genres: ['x', 'y'], author: 'mary' },
  { id: 'c', title: 'Ünder\nway', price: 3, author: 'mary' },
]

describe.each(stores)('A list as comma-separated values, on $name', ({ make }) => {
  describe.each([
    ['REST', rest({ csv: true })],
    ['JSON:API', jsonApi({ csv: true })],
  ])('under %s', (_, policy) => {
    const bookshop = async (items: readonly object[] = books) => {
      const router = createRouter({ policy, basePath: '/api', store: await make() })
      router.prepare(Author)
      router.prepare(Book)
      await router.load(Author, [{ id: 'mary', name: 'Mary' }])
      await router.load(Book, items as never)
      return client(router)
    }

    it('has a header and a row for each item (RFC 4180)', async () => {
      const response = await (await bookshop()).get('/api/books?sort=id', csv)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv'])
      const hashes = [...response.text.matchAll(/,([\w-]{43})(?=\r\n|$)/g)].map(([, text]) => text)
      expect(hashes).toHaveLength(3)
      expect(response.text).toBe(
        [
          header,
          `a,"Say ""no"", Emma",-1.5,"","[]",mary,${hashes[0]}`,
          `b,"'=HYPERLINK(""x"")",2,,"[""x"",""y""]",mary,${hashes[1]}`,
          `c,"Ünder\nway",3,,"[]",mary,${hashes[2]}`,
        ].join('\r\n'),
      )
    })

    it('has the columns that the client chose, in the order of the model', async () => {
      const api = await bookshop()
      const path = '/api/books?sort=-id&fields[books]=cost,title&filter[cost][gt]=1'
      const { text } = await api.get(path, csv)
      expect(text).toBe(`id,title,cost\r\nc,"Ünder\nway",3\r\nb,"'=HYPERLINK(""x"")",2`)
    })

    it('has only a header where there is nothing', async () => {
      const api = await bookshop([])
      for (const path of ['/api/books', '/api/books?page[size]=5'])
        expect((await api.get(path, csv)).text).toBe(`${header}\r\n`)
    })

    it('has links to other pages in a header', async () => {
      const api = await bookshop()
      const first = await api.get('/api/books?sort=id&page[size]=2&fields[books]=', csv)
      expect(first.text).toBe('id\r\na\r\nb')
      const second = await api.get(first.link('next')!, csv)
      expect(second.text).toBe('id\r\nc')
    })

    it('has all items of a long list', async () => {
      const many = Array.from({ length: 2_500 }, (_, index) => ({
        ...books[0]!,
        id: `b${index}`,
      }))
      const { text } = await (await bookshop(many)).get('/api/books?fields[books]=title', csv)
      expect(text.split('\r\n')).toHaveLength(2_501)
    })

    it('is 406 with pages by cursor, where the query is too long for links', async () => {
      const api = await bookshop()
      const ids = [
        ...books.map(({ id }) => id),
        ...Array.from({ length: 300 }, (_, n) => `a-book-${n}`),
      ]
      const send = (page: string) =>
        api.send('QUERY', '/api/books', `filter[id][in]=${ids.join(',')}&fields[books]=${page}`, {
          ...csv,
          'content-type': 'application/x-www-form-urlencoded',
        })
      const cut = await send('&page[size]=2')
      expect([cut.status, cut.errors[0]?.code]).toEqual([406, 'not-acceptable'])
      expect((await send('&page[number]=2&page[size]=2')).text).toBe('id\r\nc')
      expect((await send('')).text).toBe('id\r\na\r\nb\r\nc')
    })

    it.each(['include=author', 'withCount=true'])('is 406 with %s', async (query) => {
      const response = await (await bookshop()).get(`/api/books?${query}`, csv)
      expect(response.status).toBe(406)
      expect(response.errors[0]).toMatchObject({
        code: 'not-acceptable',
        source: { header: 'Accept' },
      })
    })

    it.each([
      ['text/*', 'text/csv'],
      ['text/csv, application/json;q=0.5', 'text/csv'],
      ['text/html, text/*;q=0.5', 'text/csv'],
    ])('is sent to clients that accept nothing else, or prefer it: %s', async (accept, type) => {
      const response = await (await bookshop()).get('/api/books', { accept })
      expect(response.headers.get('content-type')).toBe(type)
    })

    it('is what QUERY gets with a body of any length that names a file', async () => {
      const api = await bookshop()
      const ids = [
        'a',
        'download',
        ...Array.from({ length: 400 }, (_, n) => `${n}`.padStart(90, 'x')),
      ]
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const filter = `filter[id][in]=${ids.join(',')}&fields[books]=title`
      const plain = await api.send('QUERY', '/api/books', filter, form)
      expect([plain.status, plain.headers.get('content-disposition')]).toEqual([200, null])
      const file = await api.send('QUERY', '/api/books', `${filter}&%64ownload=a.csv`, form)
      expect(file.text).toBe('id,title\r\na,"Say ""no"", Emma"')
    })

    it('is what a browser saves under a name with this extension', async () => {
      const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
      const path = '/api/books?fields[books]=&download=Büchér.csv'
      const response = await (await bookshop()).get(path, browser)
      expect(response.text).toBe('id\r\na\r\nb\r\nc')
      expect(response.headers.get('content-disposition')).toBe(
        `attachment; filename="B_ch_r.csv"; filename*=UTF-8''B%C3%BCch%C3%A9r.csv`,
      )
      expect(response.headers.get('content-type')).toBe('text/csv')
    })

    it('is not what a browser saves under another name', async () => {
      const api = await bookshop()
      const json = await api.get('/api/books?download=all.json', { accept: '*/*' })
      expect(json.headers.get('content-disposition')).toBe('attachment; filename="all.json"')
      expect(json.headers.get('content-type')).not.toContain('csv')
    })

    it.each(['books', 'books.exe', 'books.jsonl', '.csv', '', '..%2f.'])(
      'is refused as a file named %j',
      async (name) => {
        const response = await (await bookshop()).get(`/api/books?download=${name}`)
        expect(response.status).toBe(400)
        expect(response.errors).toMatchObject([
          { code: 'invalid-value', source: { parameter: 'download' } },
        ])
        expect(response.errors[0]!.detail).toContain('.json, .csv')
        expect(response.headers.get('content-disposition')).toBeNull()
      },
    )

    it('has empty cells for what the caller may not read', async () => {
      const router = createRouter({
        policy,
        basePath: '/api',
        store: await make(),
        security: { callerSchema: Caller, authentication: [token] },
      })
      router.prepare(Author)
      router.prepare(Book).access(({ item, caller, anyone }) => ({
        read: anyone,
        fields: { price: { read: item.author.equal(caller.id) } },
      }))
      await router.load(Author, [
        { id: 'mary', name: 'Mary' },
        { id: 'jane', name: 'Jane' },
      ])
      await router.load(Book, [books[0]!, { ...books[2]!, author: 'jane' }])
      const path = '/api/books?sort=id&fields[books]=cost'
      const { text } = await client(router).get(path, { ...csv, ...as('jane') })
      expect(text).toBe('id,cost\r\na,\r\nc,3')
    })
  })

  it('is offered for related lists of JSON:API, and nowhere without the option', async () => {
    const serve = async (policy: ReturnType<typeof jsonApi>) => {
      const router = createRouter({ policy, store: await make() })
      router.prepare(Author)
      router.prepare(Book)
      await router.load(Author, [{ id: 'mary', name: 'Mary' }])
      await router.load(Book, books)
      return client(router)
    }
    const path = '/authors/mary/books?sort=id&fields[books]='
    expect((await (await serve(jsonApi({ csv: true }))).get(path, csv)).text).toBe(
      'id\r\na\r\nb\r\nc',
    )
    for (const policy of [rest(), jsonApi()]) {
      const api = await serve(policy)
      expect((await api.get('/books', csv)).status).toBe(406)
      expect((await api.get('/books?download=a.csv')).status).toBe(400)
    }
  })

  it('is one of the JSON Lines with resource objects under JSON:API', async () => {
    const router = createRouter({ policy: jsonApi({ jsonLines: true }), store: await make() })
    router.prepare(Author)
    router.prepare(Book)
    await router.load(Author, [{ id: 'mary', name: 'Mary' }])
    await router.load(Book, books)
    const api = client(router)
    const { text } = await api.get('/books?sort=id', { accept: 'application/jsonl' })
    const whole = (await api.get('/books?sort=id')).at('/data')
    expect(text.split('\n').map((line) => JSON.parse(line))).toEqual(whole)
  })
})
