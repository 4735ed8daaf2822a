import { createRouter, field, hash, type Middleware, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string() })
const Book = model('book', {
  title: z.string(),
  price: field(z.number(), { wire: 'cost' }),
  secret: field(z.boolean().default(false), { hidden: true }),
  author: toOne('author'),
  hash: hash(),
})

const lines = { accept: 'application/jsonl' }
const onlyOpen: Middleware = { query: { getItem: (query) => query.where('secret').equal(false) } }

describe.each(stores)('A list as JSON Lines, on $name', ({ make }) => {
  const bookshop = async (count: number, policy = rest({ jsonLines: true })) => {
    const router = createRouter({ policy, basePath: '/api', store: await make() })
    router.prepare(Author)
    router.prepare(Book).use(onlyOpen)
    await router.load(Author, [{ id: 'mary', name: 'Mary' }])
    await router.load(
      Book,
      Array.from({ length: count }, (_, index) => ({
        id: `b${String(index).padStart(5, '0')}`,
        title: `Line\nbreak ${index} ‘日’`,
        price: index % 7,
        secret: index % 10 === 9,
        author: 'mary',
      })),
    )
    return client(router)
  }
  const itemsOf = (text: string) =>
    text.split('\n').map((line) => JSON.parse(line) as { readonly id: string })

  it.each([
    '',
    '?sort=-cost,title',
    '?filter[cost][gt]=3',
    '?fields[books]=title',
    '?page[size]=5&page[number]=2',
  ])('has the items of the list, each on a line of its own: %s', async (query) => {
    const api = await bookshop(60)
    const response = await api.get(`/api/books${query}`, lines)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/jsonl',
    ])
    expect(response.headers.get('vary')).toBe('Accept')
    const whole = await api.get(`/api/books${query}`)
    expect(itemsOf(response.text)).toEqual((whole.body as { readonly books: object[] }).books)
    expect(response.headers.get('link')).toBe(whole.headers.get('link'))
    expect(response.text).not.toContain('secret')
  })

  it('is sent batch by batch, however long it is', async () => {
    const response = await (await bookshop(3_000)).get('/api/books', lines)
    const items = itemsOf(response.text)
    expect(items.length).toBe(2_700)
    expect(new Set(items.map(({ id }) => id)).size).toBe(2_700)
  })

  it('is empty where there is nothing', async () => {
    const api = await bookshop(0)
    for (const address of ['/api/books', '/api/books?page[size]=5']) {
      const response = await api.get(address, lines)
      expect([response.status, response.text]).toEqual([200, ''])
    }
  })

  it('responds to HEAD with its headers', async () => {
    const response = await (await bookshop(3)).head('/api/books', lines)
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/jsonl',
    ])
  })

  it.each([
    ['application/jsonl', 'application/jsonl'],
    ['Application/JSONL', 'application/jsonl'],
    ['application/jsonl, application/json;q=0.9', 'application/jsonl'],
    ['application/jsonl, */*;q=0.1', 'application/jsonl'],
    ['application/json, application/jsonl', 'application/json'],
    ['application/json, application/jsonl;q=0.5', 'application/json'],
    ['application/jsonl;q=0, */*', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    [undefined, 'application/json'],
  ])('is sent to clients that name and prefer it: %s', async (accept, type) => {
    const response = await (await bookshop(1)).get(
      '/api/books',
      accept === undefined ? {} : { accept },
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
  })

  it.each(['include=author', 'include=', 'withCount=true'])('is 406 with %s', async (query) => {
    const response = await (await bookshop(1)).get(`/api/books?${query}`, lines)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      406,
      'application/problem+json',
    ])
    expect(response.errors[0]).toMatchObject({
      code: 'not-acceptable',
      source: { header: 'Accept' },
    })
  })

  it('sends errors of the query as problems', async () => {
    const response = await (await bookshop(1)).get('/api/books?filter[secret]=true', lines)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/problem+json',
    ])
  })

  it('is listed in the error when no representation is acceptable', async () => {
    const response = await (await bookshop(1)).get('/api/books', { accept: 'text/html' })
    expect(response.status).toBe(406)
    expect(response.errors[0]?.detail).toContain('application/json, application/jsonl')
  })

  it('is for lists alone, and only where registration enables it', async () => {
    expect((await (await bookshop(1)).get('/api/books/b00000', lines)).status).toBe(406)
    expect((await (await bookshop(1, rest())).get('/api/books', lines)).status).toBe(406)
    expect((await (await bookshop(1, jsonApi())).get('/api/books', lines)).status).toBe(406)
  })
})
