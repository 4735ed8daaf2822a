import {
  createRouter,
  model,
  type Policy,
  type PreparedRouter,
  type Router,
  type RouterOptions,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { failOnFault, get, send, storeForTest, storeKinds } from '../http/service.ts'

class Author extends model(
  'author',
  { name: z.string(), books: toMany('book', { inverse: 'author' }) },
  { ids: 'client' },
) {}
class Book extends model(
  'book',
  { title: z.string(), author: toOne('author'), tags: toMany('tag') },
  { ids: 'client' },
) {}
class Tag extends model('tag', {}, { ids: 'client' }) {}

const numbers = Array.from({ length: 9 }, (_, index) => index + 1)

type Options = Pick<RouterOptions, 'lists' | 'limits'>

async function library(
  kind: (typeof storeKinds)[number],
  options: Options,
  policy: Policy = rest(),
  prepareBooks: (books: PreparedRouter<Book>) => void = () => undefined,
): Promise<Router> {
  const router = createRouter({
    policy,
    basePath: '/api',
    store: await storeForTest(kind),
    onError: failOnFault,
    ...options,
  })
  for (const each of [Author, Tag]) router.prepare(each)
  prepareBooks(router.prepare(Book))
  await router.load(
    Tag,
    numbers.map((number) => ({ id: `t${number}` })),
  )
  await router.load(Author, [{ id: 'a1', name: 'Mary Shelley' }])
  await router.load(
    Book,
    numbers.map((number) => ({
      id: `b${number}`,
      title: `Book ${number}`,
      author: 'a1',
      tags: number === 1 ? numbers.map((number) => `t${number}`) : [],
    })),
  )
  return router
}

const paged: Options = { lists: 'paged', limits: { defaultPageSize: 4, maxPageSize: 5 } }

function nextOf(link: string | null): string {
  const next = /<([^>]*)>; rel="next"/.exec(link ?? '')?.[1]
  if (next === undefined) throw new Error(`There is no next page: ${link}`)
  return next
}

describe.each(storeKinds)('On %s', (kind) => {
  test('a list without page is its first page where lists are paged', async () => {
    const router = await library(kind, paged)
    const ids: string[] = []
    let target: string | undefined = '/api/books?sort=title'
    for (let page = 1; target; page++) {
      const response = await get(router, target)
      const { books } = response.json<{ books: { id: string }[] }>()
      expect(books.length).toBe(page < 3 ? 4 : 1)
      ids.push(...books.map(({ id }) => id))
      target = page < 3 ? nextOf(response.headers.get('link')) : undefined
    }
    expect(ids).toEqual(numbers.map((number) => `b${number}`))
  })

  test('a page that is asked for is as before', async () => {
    const router = await library(kind, paged)
    const sizeOf = async (query: string) =>
      (await get(router, `/api/books?${query}`)).json<{ books: unknown[] }>().books.length
    expect(await sizeOf('page[size]=5')).toBe(5)
    expect(await sizeOf('page[number]=3&page[size]=4')).toBe(1)
    expect(await sizeOf('page[offset]=7')).toBe(2)
    expect((await get(router, '/api/books?page[size]=6')).status).toBe(400)
  })

  test('a list beyond maxItems is refused, and can be read in pages', async () => {
    const router = await library(kind, { limits: { maxItems: 7, maxPageSize: 5 } })
    for (const method of ['GET', 'HEAD']) {
      const response = await send(router, method, '/api/books?sort=-title')
      expect(response.status).toBe(400)
    }
    const { json } = await get(router, '/api/books')
    expect(json()).toMatchObject({
      errors: [
        {
          code: 'limit-exceeded',
          detail: "The list has more than 7 items. Request it in pages, with 'page[size]'.",
        },
      ],
    })
    expect((await get(router, '/api/books?page[size]=5')).status).toBe(200)
    expect((await get(router, '/api/books?filter[id][in]=b1,b2')).status).toBe(200)
  })

  test('what the caller may see is counted, and items in code are not', async () => {
    const router = await library(kind, { limits: { maxItems: 7 } }, rest(), (books) =>
      books.use({
        query: {
          getList: (query, { request }) =>
            request.headers.from === 'some'
              ? query.where('id').notEqual('b1').limit(7)
              : request.headers.from === 'few'
                ? query.skip(2)
                : query,
        },
      }),
    )
    for (const from of ['some', 'few'])
      expect((await get(router, '/api/books', { from })).json()).toMatchObject({
        books: expect.objectContaining({ length: 7 }),
      })
    expect((await get(router, '/api/books')).status).toBe(400)
    expect(await router.items(Book).all()).toHaveLength(9)
  })

  test('related items and linkage beyond maxItems are refused', async () => {
    const router = await library(kind, { limits: { maxItems: 8 } }, jsonApi())
    for (const path of ['/authors/a1/books', '/books/b1/tags']) {
      const linkage = path.replace(/[^/]+$/, 'relationships/$&')
      for (const target of [path, linkage]) {
        const response = await get(router, `/api${target}`)
        expect([response.status, target]).toEqual([400, target])
        expect((await get(router, `/api${target}?page[size]=9`)).json().data).toHaveLength(9)
      }
    }
    expect((await get(router, '/api/books/b1/relationships/author')).status).toBe(200)
    expect((await get(router, '/api/books/b2/relationships/tags')).json().data).toEqual([])
  })

  test('a list within maxItems has all its items', async () => {
    const router = await library(kind, { limits: { maxItems: 9 } })
    const response = await get(router, '/api/books')
    expect(response.json<{ books: unknown[] }>().books).toHaveLength(9)
    expect(response.headers.get('link')).toBeNull()
  })

  test('lists of JSON:API, of related items and of linkage are pages with links', async () => {
    const router = await library(kind, paged, jsonApi())
    for (const target of [
      '/api/books',
      '/api/authors/a1/books',
      '/api/authors/a1/relationships/books',
      '/api/books/b1/tags',
      '/api/books/b1/relationships/tags',
    ]) {
      const ids: string[] = []
      let next: string | null = target
      while (next) {
        const response = await get(router, next)
        expect(response.status, response.text).toBe(200)
        const document: { data: { id: string }[]; links: { next?: string | null } } =
          response.json()
        expect(document.data.length).toBeLessThanOrEqual(4)
        ids.push(...document.data.map(({ id }) => id))
        next = document.links.next ?? null
      }
      expect(ids.length, target).toBe(9)
    }
    const toOne = await get(router, '/api/books/b1/author')
    expect(toOne.json()).toMatchObject({ data: { id: 'a1' } })
  })

  test('lines of JSON are paged too', async () => {
    const router = await library(kind, paged, rest({ jsonLines: true }))
    const response = await get(router, '/api/books', { accept: 'application/jsonl' })
    expect(response.headers.get('content-type')).toContain('application/jsonl')
    expect(response.text.trim().split('\n')).toHaveLength(4)
    expect(nextOf(response.headers.get('link'))).toContain('page%5Bsize%5D=4')
  })
})

test('the document says what a list without page is', async () => {
  const descriptionOf = async (options: Options) => {
    const router = await library('memory', options)
    return router.toOpenApi().paths['/books']?.get?.description
  }
  expect(await descriptionOf(paged)).toContain(
    'Without `page`, the response is the first page, with at most 4 items.',
  )
  expect(await descriptionOf({ limits: { maxItems: 1_000 } })).toContain(
    'a list of more than 1 000 items must be read in pages.',
  )
  expect(await descriptionOf({})).toContain('Streams all items')
})

test('options that make no sense are refused', async () => {
  await expect(library('memory', { lists: 'page' as never })).rejects.toThrow(
    "The option 'lists' of createRouter() must be 'paged' or 'whole'; got 'page'.",
  )
  await expect(library('memory', { limits: { maxItems: 0 } })).rejects.toThrow("'maxItems'")
})
