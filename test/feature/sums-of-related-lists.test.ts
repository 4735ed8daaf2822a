import { createRouter, model, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  favorites: toMany('book'),
})

const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number(),
    tags: z.array(z.string()).default([]),
    isPublic: z.boolean().default(true),
    author: toOne('author'),
  },
  { aggregate: ['price', 'tags', 'author', 'isPublic'], search: ['title', 'author.name'] },
)

/** @param seen gets the ids of the contexts of a hook that hides books */
async function bookshop(store: Store, seen?: (string | undefined)[]) {
  const router = createRouter({ policy: jsonApi({ csv: true }), store })
  router.prepare(Author)
  const books = router.prepare(Book)
  if (seen)
    books.use({
      query: {
        getList: (query, context) => {
          seen.push(context.id)
          return query.where('isPublic').equal(true)
        },
      },
    })
  await router.load(Author, [
    { id: 'mary', name: 'Mary' },
    { id: 'jane', name: 'Jane' },
  ])
  await router.load(Book, [
    { id: 'a', title: 'Old sea', price: 1, tags: ['red'], author: 'mary' },
    { id: 'b', title: 'Old land', price: 2, tags: ['red', 'new'], author: 'mary' },
    { id: 'c', title: 'New land', price: 4, isPublic: false, author: 'mary' },
    { id: 'd', title: 'Old sky', price: 8, tags: ['new'], author: 'jane' },
  ])
  await router.items(Author).update('mary', { favorites: ['b', 'd'] })
  return client(router)
}

async function metaOf(api: Client, path: string): Promise<unknown> {
  const response = await api.get(path)
  expect(response.errors).toEqual([])
  return response.at('/meta')
}

describe.each(stores)('A related list, on $name', ({ make }) => {
  it('says what its items add up to, and how many have each value', async () => {
    const api = await bookshop(await make())
    const query = 'withAggregates=count,sum(price)&withFacets=tags,author&page[size]=1'
    expect(await metaOf(api, `/authors/mary/books?${query}`)).toEqual({
      aggregates: { count: 3, 'sum(price)': 7 },
      facets: {
        tags: [
          { value: 'red', count: 2 },
          { value: null, count: 1 },
          { value: 'new', count: 1 },
        ],
        author: [{ value: 'mary', count: 3 }],
      },
    })
    expect(await metaOf(api, `/authors/mary/favorites?${query}`)).toEqual({
      aggregates: { count: 2, 'sum(price)': 10 },
      facets: {
        tags: [
          { value: 'new', count: 2 },
          { value: 'red', count: 1 },
        ],
        author: [
          { value: 'jane', count: 1 },
          { value: 'mary', count: 1 },
        ],
      },
    })
    expect(await metaOf(api, `/authors/jane/favorites?${query}`)).toEqual({
      aggregates: { count: 0, 'sum(price)': 0 },
      facets: { tags: [], author: [] },
    })
  })

  it('has facets without the filters of a member, and never of items of other owners', async () => {
    const api = await bookshop(await make())
    const query = 'filter[tags][any]=new&filter[price][lt]=4&withFacets=tags&withAggregates=count'
    expect(await metaOf(api, `/authors/mary/books?${query}`)).toEqual({
      aggregates: { count: 1 },
      facets: {
        tags: [
          { value: 'red', count: 2 },
          { value: 'new', count: 1 },
        ],
      },
    })
    // A filter by the relation itself does not lead past the owner.
    const other = 'filter[author]=jane&withFacets=author&withAggregates=count'
    expect(await metaOf(api, `/authors/mary/books?${other}`)).toEqual({
      aggregates: { count: 0 },
      facets: { author: [{ value: 'mary', count: 3 }] },
    })
  })

  it('shows where words occur', async () => {
    const api = await bookshop(await make())
    expect(
      await metaOf(api, '/authors/mary/favorites?search=old+la&withHighlights=true&page[size]=5'),
    ).toEqual({
      highlights: [
        {
          id: 'b',
          fields: [
            {
              name: 'title',
              pieces: [
                { text: 'Old', isMatch: true },
                { text: ' ', isMatch: false },
                { text: 'land', isMatch: true },
              ],
              isExcerpt: false,
            },
          ],
        },
      ],
    })
  })

  it('adds up no item that rules or hooks hide, and asks hooks about no other item', async () => {
    const seen: (string | undefined)[] = []
    const api = await bookshop(await make(), seen)
    const query = 'withAggregates=count,sum(price)&withFacets=isPublic'
    expect(await metaOf(api, `/authors/mary/books?${query}`)).toEqual({
      aggregates: { count: 2, 'sum(price)': 3 },
      facets: { isPublic: [{ value: true, count: 2 }] },
    })
    expect(new Set(seen)).toEqual(new Set([undefined]))
  })

  it('refuses what is wrong, all at once, and a missing owner first', async () => {
    const api = await bookshop(await make())
    const query = 'withAggregates=sum(prise)&withFacets=tag,title&withHighlights=maybe'
    const { errors } = await api.get(`/authors/mary/books?${query}`)
    expect(errors.map(({ code, source }) => [code, source?.parameter])).toEqual([
      ['unknown-field', 'withAggregates'],
      ['unknown-field', 'withFacets'],
      ['invalid-aggregate', 'withFacets'],
      ['invalid-value', 'withHighlights'],
    ])
    expect((await api.get('/authors/nobody/books?withAggregates=count')).status).toBe(404)
    const file = await api.get('/authors/mary/books?withAggregates=count', { accept: 'text/csv' })
    expect(file.status).toBe(406)
    const linkage = await api.get('/authors/mary/relationships/books?withAggregates=count')
    expect(linkage.errors.map(({ code }) => code)).toEqual(['unknown-parameter'])
  })
})
