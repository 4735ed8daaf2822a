import {
  createRouter,
  dateTime,
  decimal,
  field,
  model,
  type Policy,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  country: z.string().nullish(),
  isPublic: z.boolean().default(true),
  books: toMany('book', { inverse: 'author' }),
})

const Genre = model('genre', { name: z.string() })

const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number().nullish(),
    pages: field(z.int().nullish(), { wire: 'pageCount' }),
    tax: decimal(12, 4, { optional: true }),
    publishedAt: dateTime({ optional: true }),
    inStock: z.boolean().default(true),
    notes: z.string().nullish(),
    copies: z.int().nullish(),
    cost: field(z.number().nullish(), { hidden: true }),
    tags: z.array(z.string()).default([]),
    author: toOne('author', { optional: true }),
    genres: toMany('genre'),
  },
  {
    aggregate: [
      'price',
      'pages',
      'tax',
      'publishedAt',
      'inStock',
      'copies',
      'tags',
      'author',
      'genres',
    ],
  },
)

const books = [
  {
    id: 'b1',
    title: 'One',
    price: 0.1,
    pages: 100,
    tax: '1.10',
    publishedAt: '2024-05-01T10:00:00+02:00',
    inStock: true,
    copies: 3,
    tags: ['new', 'new'],
    author: 'a1',
    genres: ['g1', 'g2'],
  },
  {
    id: 'b2',
    title: 'Two',
    price: 0.2,
    pages: 9_007_199_254_740_991,
    tax: '2.2',
    publishedAt: '2023-01-01T00:00:00Z',
    inStock: false,
    copies: 4,
    tags: ['old'],
    author: 'a1',
    genres: ['g1'],
  },
  { id: 'b3', title: 'Three', pages: 1, inStock: true, copies: 5, author: 'a2', genres: [] },
]

interface World {
  readonly policy?: Policy
  readonly prepare?: (router: ReturnType<typeof createRouter>) => void
}

async function world(
  store: Store,
  { policy = rest(), prepare }: World = {},
  mediaType?: string,
): Promise<Client> {
  const router = createRouter({ policy, store })
  if (prepare) prepare(router)
  else for (const each of [Author, Genre, Book]) router.prepare(each)
  await router.load(Author, [
    { id: 'a1', name: 'Ann', country: 'DE', isPublic: true },
    { id: 'a2', name: 'Bob', isPublic: false },
  ])
  await router.load(Genre, [
    { id: 'g1', name: 'Crime' },
    { id: 'g2', name: 'Horror' },
  ])
  await router.load(Book, books as never)
  return mediaType === undefined ? client(router) : client(router, undefined, mediaType)
}

describe.each(stores)('Sums and facets of a list, on $name', ({ make }) => {
  it('add up all pages, exactly', async () => {
    const api = await world(await make())
    const response = await api.get(
      '/books?page[size]=1&withAggregates=count,sum(price),avg(price),min(price),max(price),sum(pageCount),sum(tax),avg(tax),min(publishedAt),max(publishedAt),countDistinct(author),countDistinct(inStock)',
    )
    expect(response.at('/meta/aggregates')).toEqual({
      count: 3,
      'sum(price)': 0.3,
      'avg(price)': 0.15,
      'min(price)': 0.1,
      'max(price)': 0.2,
      'sum(pageCount)': '9007199254741092',
      'sum(tax)': '3.3',
      'avg(tax)': '1.65',
      'min(publishedAt)': '2023-01-01T00:00:00Z',
      'max(publishedAt)': '2024-05-01T08:00:00Z',
      'countDistinct(author)': 2,
      'countDistinct(inStock)': 2,
    })
    expect(response.ids('books')).toHaveLength(1)
  })

  it('are 0 and null for an empty list', async () => {
    const api = await world(await make())
    const response = await api.get(
      '/books?filter[title]=none&withAggregates=count,sum(price),avg(price),min(tax),countDistinct(author)&withFacets=author',
    )
    expect(response.at('/meta')).toEqual({
      aggregates: {
        count: 0,
        'sum(price)': 0,
        'avg(price)': null,
        'min(tax)': null,
        'countDistinct(author)': 0,
      },
      facets: { author: [] },
    })
  })

  it('count the most frequent values first, each without its own filter', async () => {
    const api = await world(await make())
    const response = await api.get(
      '/books?filter[author]=a1&filter[inStock]=true&withFacets=author,inStock,genres,tags,author.country&withCount=true',
    )
    expect(response.at('/meta')).toEqual({
      page: { total: 1 },
      facets: {
        author: [
          { value: 'a1', count: 1 },
          { value: 'a2', count: 1 },
        ],
        inStock: [
          { value: false, count: 1 },
          { value: true, count: 1 },
        ],
        genres: [
          { value: 'g1', count: 1 },
          { value: 'g2', count: 1 },
        ],
        tags: [{ value: 'new', count: 1 }],
        'author.country': [{ value: 'DE', count: 1 }],
      },
    })
    const byId = await api.get('/books?filter[author.id]=a1&withFacets=author,author.id,inStock')
    const authors = [
      { value: 'a1', count: 2 },
      { value: 'a2', count: 1 },
    ]
    expect(byId.at('/meta/facets')).toEqual({
      author: authors,
      'author.id': authors,
      inStock: [
        { value: false, count: 1 },
        { value: true, count: 1 },
      ],
    })
    const all = await api.get('/books?withFacets=genres,tags,author.country')
    expect(all.at('/meta/facets')).toEqual({
      genres: [
        { value: 'g1', count: 2 },
        { value: null, count: 1 },
        { value: 'g2', count: 1 },
      ],
      tags: [
        { value: null, count: 1 },
        { value: 'new', count: 1 },
        { value: 'old', count: 1 },
      ],
      'author.country': [
        { value: 'DE', count: 2 },
        { value: null, count: 1 },
      ],
    })
  })

  it('are the same under JSON:API', async () => {
    const api = await world(await make(), { policy: jsonApi() }, 'application/vnd.api+json')
    const response = await api.get('/books?withAggregates=count,sum(price)&withFacets=inStock')
    expect(response.at('/meta')).toEqual({
      aggregates: { count: 3, 'sum(price)': 0.3 },
      facets: {
        inStock: [
          { value: true, count: 2 },
          { value: false, count: 1 },
        ],
      },
    })
    const counted = await api.get('/books?withAggregates=count&withCount=true')
    expect(counted.at('/meta')).toEqual({ page: { total: 3 }, aggregates: { count: 3 } })
  })

  it('take a value as null where a rule hides it from the caller', async () => {
    const api = await world(await make(), {
      prepare: (router) => {
        router.prepare(Author).access(({ item, anyone }) => ({
          fields: { country: { read: item.isPublic.equal(false), write: anyone } },
        }))
        router.prepare(Genre)
        router.prepare(Book).access(({ item, anyone }) => ({
          fields: {
            price: { read: item.inStock.equal(true), write: anyone },
            tags: { read: item.inStock.equal(false), write: anyone },
          },
        }))
      },
    })
    const response = await api.get(
      '/books?withAggregates=count,sum(price),countDistinct(author.country)&withFacets=tags,author.country',
    )
    expect(response.at('/meta')).toEqual({
      aggregates: { count: 3, 'sum(price)': 0.1, 'countDistinct(author.country)': 0 },
      facets: {
        tags: [
          { value: null, count: 2 },
          { value: 'old', count: 1 },
        ],
        'author.country': [{ value: null, count: 3 }],
      },
    })
  })

  it('add up no item that rules or hooks hide, nor more than a hook limits the list to', async () => {
    const api = await world(await make(), {
      prepare: (router) => {
        for (const each of [Author, Genre]) router.prepare(each)
        router
          .prepare(Book)
          .use({ query: { getList: (query) => query.where('inStock').equal(true) } })
      },
    })
    const narrowed = await api.get('/books?withAggregates=count,sum(copies)&withFacets=inStock')
    expect(narrowed.at('/meta')).toEqual({
      aggregates: { count: 2, 'sum(copies)': 8 },
      facets: { inStock: [{ value: true, count: 2 }] },
    })
    const limited = await world(await make(), {
      prepare: (router) => {
        for (const each of [Author, Genre]) router.prepare(each)
        router.prepare(Book).use({
          query: { getList: (query) => query.sort('copies', 'desc').limit(2) },
        })
      },
    })
    const response = await limited.get(
      '/books?page[size]=1&withAggregates=count,sum(copies)&withFacets=author',
    )
    expect(response.at('/meta')).toEqual({
      aggregates: { count: 2, 'sum(copies)': 9 },
      facets: {
        author: [
          { value: 'a1', count: 1 },
          { value: 'a2', count: 1 },
        ],
      },
    })
  })

  it('refuse what is wrong, all at once', async () => {
    const api = await world(await make())
    const problems = async (query: string) =>
      ((await api.get(`/books?${query}`)).errors ?? []).map(({ status, code, detail, source }) => [
        status,
        code,
        detail,
        source?.parameter,
      ])
    expect(
      await problems(
        'withAggregates=sum(prise),sum(cost),sum(title),sum(inStock),total(price),count(price),sum,count,count,min(tags),sum(author.books)&withFacets=cost,title,publishedAt.x',
      ),
    ).toMatchInlineSnapshot(`
      [
        [
          400,
          "unknown-field",
          "Cannot use 'sum' for 'prise': 'book' has no field 'prise'. Did you mean 'price'?",
          "withAggregates",
        ],
        [
          400,
          "unknown-field",
          "Cannot use 'sum' for 'cost': 'book' has no field 'cost'; expected one of price, pageCount, tax, publishedAt, inStock, copies, tags, author, genres.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot use 'sum' for 'title': the model does not list it in 'aggregate'; expected one of price, pageCount, tax, publishedAt, inStock, copies, tags, author, genres.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot use 'sum' for 'inStock'; expected a number.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "Unknown function 'total'. Did you mean 'sum'?",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "'count' takes no member. Use 'countDistinct' to count values.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "Expected a function, as in withAggregates=count,sum(price); got 'sum'.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "'count' is named twice in 'withAggregates'.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot use 'min' for 'tags'; expected a number or a date.",
          "withAggregates",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot use 'sum' for 'author.books': it is a list of a related item.",
          "withAggregates",
        ],
        [
          400,
          "unknown-field",
          "Cannot count the values of 'cost': 'book' has no field 'cost'; expected one of price, pageCount, tax, publishedAt, inStock, copies, tags, author, genres.",
          "withFacets",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot count the values of 'title': the model does not list it in 'aggregate'; expected one of price, pageCount, tax, publishedAt, inStock, copies, tags, author, genres.",
          "withFacets",
        ],
        [
          400,
          "unknown-field",
          "Cannot count the values of 'publishedAt.x': 'publishedAt' has no member 'x'.",
          "withFacets",
        ],
      ]
    `)
  })

  it('answer for a hidden member as for one that does not exist', async () => {
    const api = await world(await make())
    const detailOf = async (name: string, query: string) =>
      (await api.get(`/books?${query}`)).errors.map(({ code, detail }) => [
        code,
        detail.replaceAll(name, 'x'),
      ])
    for (const query of ['withAggregates=sum(NAME)', 'withFacets=NAME', 'withFacets=author.NAME'])
      expect(await detailOf('cost', query.replace('NAME', 'cost'))).toEqual(
        await detailOf('zost', query.replace('NAME', 'zost')),
      )
  })

  it('are no parameters of a model that declares nothing', async () => {
    const api = await world(await make())
    const response = await api.get('/authors?withAggregates=count&withFacets=country')
    expect(response.errors.map(({ code, source }) => [code, source?.parameter])).toEqual([
      ['unknown-parameter', 'withAggregates'],
      ['unknown-parameter', 'withFacets'],
    ])
  })
})
