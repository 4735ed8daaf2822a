import {
  createRouter,
  date,
  dateTime,
  decimal,
  field,
  model,
  type Policy,
  type RouterOptions,
  refuse,
  type Store,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  country: z.string().nullish(),
  isPublic: z.boolean().default(true),
})

const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number().nullish(),
    pages: field(z.int().nullish(), { wire: 'pageCount' }),
    tax: decimal(12, 4, { optional: true }),
    soldAt: dateTime({ optional: true }),
    releasedOn: date({ optional: true }),
    inStock: z.boolean().default(true),
    notes: z.string().nullish(),
    cost: field(z.number().nullish(), { hidden: true }),
    tags: z.array(z.string()).default([]),
    sizes: z.array(z.int()).default([]),
    author: toOne('author', { optional: true }),
  },
  {
    aggregate: [
      'price',
      'pages',
      'tax',
      'soldAt',
      'releasedOn',
      'inStock',
      'tags',
      'sizes',
      'author',
    ],
  },
)

interface SampleBook {
  readonly id: string
  readonly title: string
  readonly price: number | null
  readonly pages: number
  readonly tax: string
  readonly soldAt: string | null
  readonly releasedOn: string
  readonly inStock: boolean
  readonly tags: readonly string[]
  readonly author: string | null
}

const countries: Readonly<Record<string, string | null>> = { ann: 'DE', bob: null, cid: 'FR' }

const books: readonly SampleBook[] = Array.from({ length: 40 }, (_, index) => ({
  id: `b${index}`,
  title: `Book ${index}`,
  price: index % 9 === 0 ? null : (index % 7) * 0.25,
  pages: index % 5,
  tax: `${(index % 3) * 5}.5`,
  soldAt:
    index % 8 === 0 ? null : `202${index % 3}-0${1 + (index % 4)}-28T23:30:0${index % 10}+00:00`,
  releasedOn: `202${index % 4}-12-30`,
  inStock: index % 2 === 0,
  tags: index % 6 === 0 ? [] : index % 3 === 0 ? ['new', 'red'] : ['new'],
  author: index % 10 === 0 ? null : Object.keys(countries)[index % 3]!,
}))

type Value = string | number | boolean | null

/** Groups an array by the texts of its keys, in the order in which they come. */
function grouped(
  items: readonly SampleBook[],
  keysOf: (book: SampleBook) => readonly Value[],
): ReadonlyMap<string, readonly SampleBook[]> {
  const groups = new Map<string, SampleBook[]>()
  for (const book of items) {
    const key = JSON.stringify(keysOf(book))
    groups.set(key, [...(groups.get(key) ?? []), book])
  }
  return groups
}

interface World extends Partial<Pick<RouterOptions, 'limits' | 'lists'>> {
  readonly policy?: Policy
  readonly prepare?: (router: ReturnType<typeof createRouter>) => void
}

async function world(
  store: Store,
  { policy = rest(), prepare, ...options }: World = {},
  mediaType?: string,
): Promise<Client> {
  const router = createRouter({ policy, store, ...options })
  if (prepare) prepare(router)
  else for (const each of [Author, Book]) router.prepare(each)
  await router.load(
    Author,
    Object.entries(countries).map(([id, country]) => ({
      id,
      name: id.toUpperCase(),
      country,
      isPublic: id !== 'cid',
    })),
  )
  await router.load(
    Book,
    books.map((book) =>
      Object.fromEntries(Object.entries(book).filter(([, value]) => value !== null)),
    ) as never,
  )
  return mediaType === undefined ? client(router) : client(router, undefined, mediaType)
}

interface Group {
  readonly by: Readonly<Record<string, Value>>
  readonly aggregates: Readonly<Record<string, Value>>
}

async function groupsOf(api: Client, query: string): Promise<readonly Group[]> {
  const response = await api.get(`/books/groups?${query}`)
  expect(response.errors).toEqual([])
  return response.at('/groups') as readonly Group[]
}

async function problemsOf(api: Client, query: string) {
  const { errors } = await api.get(`/books/groups?${query}`)
  return errors.map(({ status, code, detail, source }) => [status, code, detail, source?.parameter])
}

describe.each(stores)('Groups of a list, on $name', ({ make }) => {
  it('add up the items with the same values, in the order of these', async () => {
    const api = await world(await make())
    const groups = await groupsOf(
      api,
      'groupBy=author.country,inStock&withAggregates=count,sum(price),max(pageCount)&filter[pageCount][gt]=0',
    )
    const expected = grouped(
      books.filter(({ pages }) => pages > 0),
      ({ author, inStock }) => [author && countries[author]!, inStock],
    )
    expect(groups.map(({ by }) => Object.values(by))).toEqual([
      [null, false],
      [null, true],
      ['DE', false],
      ['DE', true],
      ['FR', false],
      ['FR', true],
    ])
    for (const { by, aggregates } of groups) {
      const items = expected.get(JSON.stringify(Object.values(by)))!
      expect(aggregates).toEqual({
        count: items.length,
        'sum(price)': items.reduce((sum, { price }) => sum + (price ?? 0), 0),
        'max(pageCount)': Math.max(...items.map(({ pages }) => pages)),
      })
    }
    expect(groups).toHaveLength(expected.size)
  })

  it('have parts of dates, and of date-times in a time zone', async () => {
    const api = await world(await make())
    const byDay = (groups: readonly Group[]) =>
      groups.map(({ by, aggregates }) => [...Object.values(by), aggregates.count])
    expect(
      byDay(
        await groupsOf(
          api,
          'groupBy=year(releasedOn),quarter(releasedOn),week(releasedOn)&withAggregates=count',
        ),
      ),
    ).toEqual([
      ['2020', '2020-Q4', '2020-W53', 10],
      ['2021', '2021-Q4', '2021-W52', 10],
      ['2022', '2022-Q4', '2022-W52', 10],
      ['2023', '2023-Q4', '2023-W52', 10],
    ])
    const sold = books.filter(({ soldAt }) => soldAt !== null).map(({ soldAt }) => soldAt!)
    const months = (await groupsOf(
      api,
      'groupBy=month(soldAt)&withAggregates=count&filter[soldAt][isNull]=false',
    )) as readonly Group[]
    const inUtc = new Map<string, number>()
    for (const at of sold) inUtc.set(at.slice(0, 7), (inUtc.get(at.slice(0, 7)) ?? 0) + 1)
    expect(byDay(months)).toEqual([...inUtc].sort(([one], [other]) => (one < other ? -1 : 1)))
    // Half past eleven in the evening in UTC is the next day in Berlin.
    for (const [timeZone, day] of [
      ['UTC', '2021-02-28'],
      ['Europe/Berlin', '2021-03-01'],
    ])
      expect(
        await groupsOf(
          api,
          `groupBy=day(soldAt),day(releasedOn)&timeZone=${timeZone}&filter[id]=b1`,
        ),
      ).toEqual([{ by: { 'day(soldAt)': day, 'day(releasedOn)': '2021-12-30' }, aggregates: {} }])
  })

  it('have the days of the Gregorian calendar in the first and last years', async () => {
    const api = await world(await make())
    const times = [
      '0001-01-01T00:00:00Z',
      '0099-06-01T00:00:00Z',
      '1500-01-01T12:00:00Z',
      '1582-10-10T12:00:00Z',
      '9999-12-31T12:00:00Z',
      '9999-12-31T23:59:59Z',
    ]
    for (const [index, soldAt] of times.entries()) {
      const book = { id: `old${index}`, title: 'Old', soldAt }
      expect((await api.post('/books', { book })).status).toBe(201)
    }
    const parts = async (timeZone: string) => {
      const keys = 'day(soldAt),week(soldAt),year(soldAt)'
      const query = `groupBy=${keys}&timeZone=${timeZone}&withAggregates=count&filter[id][startsWith]=old`
      const groups = (await groupsOf(api, query)) as readonly Group[]
      return groups.map(({ by, aggregates }) => [...Object.values(by), aggregates.count])
    }
    const between = [
      ['1500-01-01', '1500-W01', '1500', 1],
      ['1582-10-10', '1582-W40', '1582', 1],
      // The first of January 10000 in Berlin counts as the last day that has four digits.
      ['9999-12-31', '9999-W52', '9999', 2],
    ]
    expect(await parts('Europe/Berlin')).toEqual([
      ['0001-01-01', '0001-W01', '0001', 1],
      ['0099-06-01', '0099-W23', '0099', 1],
      ...between,
    ])
    expect(await parts('America/New_York')).toEqual([
      ['0000-12-31', '0000-W52', '0000', 1],
      ['0099-05-31', '0099-W22', '0099', 1],
      ...between,
    ])
  })

  it('have each value of a list, and null for none', async () => {
    const api = await world(await make())
    const groups = await groupsOf(api, 'groupBy=tags,inStock&withAggregates=count&sort=-count')
    const counts = grouped(
      books.flatMap((book) =>
        book.tags.length === 0
          ? [{ ...book, tags: [] }]
          : book.tags.map((tag) => ({ ...book, tags: [tag] })),
      ),
      ({ tags, inStock }) => [tags[0] ?? null, inStock],
    )
    expect(groups).toHaveLength(counts.size)
    for (const { by, aggregates } of groups)
      expect(aggregates.count).toBe(counts.get(JSON.stringify([by.tags, by.inStock]))!.length)
  })

  it('are filtered and sorted by keys and by what they add up to', async () => {
    const api = await world(await make())
    const asc = await groupsOf(
      api,
      'groupBy=author&withAggregates=count,sum(tax),avg(tax)&sort=count,-author',
    )
    const counts = [...grouped(books, ({ author }) => [author])].map(([key, items]) => ({
      author: JSON.parse(key)[0] as string | null,
      count: items.length,
    }))
    counts.sort(
      (one, other) =>
        one.count - other.count || ((one.author ?? '') < (other.author ?? '') ? 1 : -1),
    )
    expect(asc.map(({ by, aggregates }) => [by.author, aggregates.count])).toEqual(
      counts.map(({ author, count }) => [author, count]),
    )
    // Decimal numbers compare as numbers: 10.5 is more than 5.5.
    const byTax = await groupsOf(api, 'groupBy=tax&sort=-tax')
    expect(byTax.map(({ by }) => by.tax)).toEqual(['10.5', '5.5', '0.5'])
    const large = await groupsOf(
      api,
      'groupBy=tax&withAggregates=sum(tax),min(tax)&filterGroups[sum(tax)][gt]=9.50&filterGroups[tax][in]=10.50,0.5',
    )
    expect(large.map(({ by }) => by.tax)).toEqual(['10.5'])
    // Sums of integers beyond 2^53 are texts, and compare exactly.
    for (const id of ['most1', 'most2', 'most3']) {
      const pageCount = id === 'most1' ? Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER - 1
      const book = { id, title: 'Most', pageCount }
      expect((await api.post('/books', { book })).status).toBe(201)
    }
    const sum = '27021597764222971'
    for (const [operator, value, isKept] of [
      ['eq', sum, true],
      ['eq', '27021597764222972', false],
      ['ne', sum, false],
      ['gte', sum, true],
      ['gte', '27021597764222971.5', false],
      ['gt', sum, false],
      ['gt', '27021597764222970', true],
      ['lte', sum, true],
      ['lt', sum, false],
      ['lt', '27021597764222972', true],
      ['lt', '1e999', true],
      ['in', `1,${sum}`, true],
      ['nin', `1,${sum}`, false],
    ] as const)
      expect(
        await groupsOf(
          api,
          `groupBy=inStock&withAggregates=sum(pageCount)&filter[id][startsWith]=most&filterGroups[sum(pageCount)][${operator}]=${value}`,
        ),
        `${operator} ${value}`,
      ).toEqual(isKept ? [{ by: { inStock: true }, aggregates: { 'sum(pageCount)': sum } }] : [])
    const named = await groupsOf(
      api,
      'groupBy=author,year(soldAt)&withAggregates=count&filterGroups[author][startsWith]=a&filterGroups[year(soldAt)][gte]=2021&filterGroups[count][ne]=0',
    )
    expect(named.map(({ by }) => Object.values(by))).toEqual(
      [
        ['ann', '2021'],
        ['ann', '2022'],
      ].filter(([, year]) =>
        books.some(({ author, soldAt }) => author === 'ann' && soldAt?.startsWith(year!)),
      ),
    )
    const none = await groupsOf(
      api,
      'groupBy=author&withAggregates=sum(price)&filterGroups[author][isNull]=true&filterGroups[sum(price)][nin]=1,2',
    )
    expect(none.every(({ by }) => by.author === null)).toBe(true)
  })

  it('come in pages, with links and their number', async () => {
    const api = await world(await make())
    const query = 'groupBy=pageCount&withAggregates=count&sort=-pageCount&withCount=true'
    const first = await api.get(`/books/groups?${query}&page[size]=2`)
    expect(first.body).toEqual({
      groups: [
        { by: { pageCount: 4 }, aggregates: { count: 8 } },
        { by: { pageCount: 3 }, aggregates: { count: 8 } },
      ],
      meta: { page: { total: 5 } },
    })
    const next = await api.get(first.link('next')!)
    expect((next.at('/groups') as Group[]).map(({ by }) => by.pageCount)).toEqual([2, 1])
    const last = await api.get(next.link('last')!)
    expect((last.at('/groups') as Group[]).map(({ by }) => by.pageCount)).toEqual([0])
    expect(last.link('next')).toBeUndefined()
    const rest = await api.get(`/books/groups?${query}&page[offset]=4&page[limit]=5`)
    expect((rest.at('/groups') as Group[]).map(({ by }) => by.pageCount)).toEqual([0])
    const beyond = await api.get(`/books/groups?${query}&page[number]=9&page[size]=5`)
    expect(beyond.at('/groups')).toEqual([])
    const paged = await world(await make(), {
      lists: 'paged',
      limits: { defaultPageSize: 2 },
    })
    const page = await paged.get(`/books/groups?${query}`)
    expect(page.at('/groups')).toEqual(first.at('/groups'))
    expect((await paged.get(page.link('next')!)).at('/groups')).toEqual(next.at('/groups'))
  })

  it('are the meta of a document without data under JSON:API', async () => {
    const api = await world(await make(), { policy: jsonApi() }, 'application/vnd.api+json')
    const query = 'groupBy=inStock&withAggregates=count&withCount=true&page%5Bsize%5D=1'
    const response = await api.get(`/books/groups?${query}`)
    const path = '/books/groups?groupBy=inStock&withAggregates=count&withCount=true'
    expect(response.body).toEqual({
      jsonapi: { version: '1.1' },
      links: {
        self: `${path}&page%5Bsize%5D=1`,
        first: `${path}&page%5Bnumber%5D=1&page%5Bsize%5D=1`,
        prev: null,
        next: `${path}&page%5Bnumber%5D=2&page%5Bsize%5D=1`,
        last: `${path}&page%5Bnumber%5D=2&page%5Bsize%5D=1`,
      },
      meta: {
        page: { total: 2 },
        groups: [{ by: { inStock: false }, aggregates: { count: 20 } }],
      },
    })
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json')
  })

  it('can be asked for with QUERY and HEAD', async () => {
    const api = await world(await make())
    const query = 'groupBy=inStock&withAggregates=count'
    const expected = await api.get(`/books/groups?${query}`)
    const queried = await api.send('QUERY', '/books/groups', query, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(queried.body).toEqual(expected.body)
    const head = await api.head(`/books/groups?${query}`)
    expect([head.status, head.text]).toEqual([200, ''])
  })

  it('take a value as null where a rule hides it, and no item that rules or hooks hide', async () => {
    const api = await world(await make(), {
      prepare: (router) => {
        router.prepare(Author).access(({ item, anyone }) => ({
          fields: { country: { read: item.isPublic.equal(true), write: anyone } },
        }))
        router.prepare(Book).access(({ item, anyone }) => ({
          read: item.pages.lessThan(4),
          fields: { price: { read: item.inStock.equal(true), write: anyone } },
        }))
      },
    })
    const seen = books.filter(({ pages }) => pages < 4)
    const groups = await groupsOf(
      api,
      'groupBy=author.country&withAggregates=count,sum(price),max(pageCount)&filterGroups[author.country][ne]=FR',
    )
    expect(groups).toEqual(
      [null, 'DE'].map((country) => {
        const items = seen.filter(({ author }) => (author === 'ann' ? 'DE' : null) === country)
        return {
          by: { 'author.country': country },
          aggregates: {
            count: items.length,
            'sum(price)': items
              .filter(({ inStock }) => inStock)
              .reduce((sum, { price }) => sum + (price ?? 0), 0),
            'max(pageCount)': 3,
          },
        }
      }),
    )
    const hooked = await world(await make(), {
      prepare: (router) => {
        router.prepare(Author)
        router.prepare(Book).use({
          query: { getList: (query) => query.where('inStock').equal(true).sort('id').limit(3) },
        })
      },
    })
    expect(await groupsOf(hooked, 'groupBy=inStock&withAggregates=count')).toEqual([
      { by: { inStock: true }, aggregates: { count: 3 } },
    ])
  })

  it('refuse what is wrong, all at once', async () => {
    const api = await world(await make())
    expect(
      await problemsOf(
        api,
        'groupBy=prise,cost,title,year(price),century(soldAt),tags,sizes&withAggregates=sum(inStock),total',
      ),
    ).toMatchInlineSnapshot(`
      [
        [
          400,
          "limit-exceeded",
          "'groupBy' must have at most 4 members.",
          "groupBy",
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
          "Expected a function, as in withAggregates=count,sum(price); got 'total'.",
          "withAggregates",
        ],
      ]
    `)
    expect(
      await problemsOf(
        api,
        'groupBy=prise,cost,title,year(price)&withAggregates=sum(inStock)&timeZone=Mars/Olympus&sort=prise,-coun,cost&filterGroups[sum(inStock)][gt]=1&filterGroups[cost]=1&filterGroups=1&page[after]=x&withCount=maybe',
      ),
    ).toMatchInlineSnapshot(`
      [
        [
          400,
          "unknown-field",
          "Cannot group by 'prise': 'book' has no field 'prise'. Did you mean 'price'?",
          "groupBy",
        ],
        [
          400,
          "unknown-field",
          "Cannot group by 'cost': 'book' has no field 'cost'; expected one of price, pageCount, tax, soldAt, releasedOn, inStock, tags, sizes, author.",
          "groupBy",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot group by 'title': the model does not list it in 'aggregate'; expected one of price, pageCount, tax, soldAt, releasedOn, inStock, tags, sizes, author.",
          "groupBy",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot group by the year of 'price'; expected a date or a date-time.",
          "groupBy",
        ],
        [
          400,
          "invalid-aggregate",
          "Cannot use 'sum' for 'inStock'; expected a number.",
          "withAggregates",
        ],
        [
          400,
          "invalid-value",
          "Expected the IANA name of a time zone, such as Europe/Berlin; got 'Mars/Olympus'.",
          "timeZone",
        ],
        [
          400,
          "unknown-parameter",
          "Write a filter of groups as filterGroups[name]=value or filterGroups[name][operator]=value.",
          "filterGroups",
        ],
        [
          400,
          "invalid-sort",
          "Cannot sort groups by 'coun', which neither 'groupBy' nor 'withAggregates' names. Did you mean 'count'?",
          "sort",
        ],
        [
          400,
          "unknown-parameter",
          "Unknown query parameter 'page[after]'; expected one of page[size], page[number], page[limit], page[offset].",
          "page[after]",
        ],
        [
          400,
          "invalid-value",
          "'withCount' must be true or false; got 'maybe'.",
          "withCount",
        ],
      ]
    `)
    expect(
      await problemsOf(
        api,
        'groupBy=author,century(soldAt),tags,sizes&withAggregates=count&filterGroups[count][gt]=x&filterGroups[count][contains]=1&filterGroups[author][a][b]=1&sort[x]=1&groupBy[x]=1&timeZone=%2B01:00',
      ),
    ).toMatchInlineSnapshot(`
      [
        [
          400,
          "invalid-aggregate",
          "Unknown part of a date 'century'; expected one of year, quarter, month, week, day.",
          "groupBy",
        ],
        [
          400,
          "unknown-parameter",
          "Write 'groupBy=…' without brackets.",
          "groupBy[x]",
        ],
        [
          400,
          "invalid-aggregate",
          "Only one member of 'groupBy' may be a list: 'tags' or 'sizes'. Group by one, and filter by the other.",
          "groupBy",
        ],
        [
          400,
          "invalid-value",
          "Expected the IANA name of a time zone, such as Europe/Berlin; got '+01:00'.",
          "timeZone",
        ],
        [
          400,
          "unknown-parameter",
          "Write a filter of groups as filterGroups[name]=value or filterGroups[name][operator]=value.",
          "filterGroups[author][a][b]",
        ],
        [
          400,
          "invalid-value",
          "Expected an integer, such as 42, got 'x'.",
          "filterGroups[count][gt]",
        ],
        [
          400,
          "unknown-operator",
          "Unknown operator 'contains' for 'count'; expected one of eq, ne, gt, gte, lt, lte, in, nin, isNull.",
          "filterGroups[count][contains]",
        ],
        [
          400,
          "unknown-parameter",
          "Write 'sort=…' without brackets.",
          "sort[x]",
        ],
      ]
    `)
    expect(await problemsOf(api, 'withAggregates=count')).toMatchInlineSnapshot(`
      [
        [
          400,
          "invalid-aggregate",
          "'groupBy' must name the members to group by, separated by commas, as in groupBy=author,year(publishedAt).",
          undefined,
        ],
      ]
    `)
    expect(await problemsOf(api, '')).toMatchInlineSnapshot(`
      [
        [
          400,
          "invalid-aggregate",
          "'groupBy' must name the members to group by, separated by commas, as in groupBy=author,year(publishedAt).",
          undefined,
        ],
      ]
    `)
    expect(
      await problemsOf(api, 'groupBy=author&groupBy=tags&fields[books]=title'),
    ).toMatchInlineSnapshot(`
      [
        [
          400,
          "repeated-parameter",
          "'groupBy' appears more than once. Separate several values by commas.",
          "groupBy",
        ],
        [
          400,
          "unknown-parameter",
          "Unknown query parameter 'fields[books]'; expected one of groupBy, withAggregates, timeZone, filterGroups, sort, filter, page, withCount.",
          "fields[books]",
        ],
      ]
    `)
    expect(
      await problemsOf(
        api,
        'groupBy=author&withAggregates=count&filterGroups[count][gte]=1&filterGroups[count][gte]=2',
      ),
    ).toEqual([
      [
        400,
        'repeated-parameter',
        "'filterGroups[count][gte]' appears more than once. Use '[in]' for several values, as in filterGroups[count][in]=1,2.",
        'filterGroups[count][gte]',
      ],
    ])
    const inValues = 'groupBy=author&withAggregates=count&filterGroups[count][in]=1,2'
    expect(await groupsOf(api, inValues)).toBeInstanceOf(Array)
  })

  it('may be by a member named count, but then not with the number of items', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    const Box = model('box', { count: z.int() }, { plural: 'boxes', aggregate: ['count'] })
    router.prepare(Box)
    for (const count of [1, 1, 2]) await router.items(Box).create({ count })
    const api = client(router)
    const response = await api.get(
      '/boxes/groups?groupBy=count&withAggregates=sum(count)&filterGroups[count]=1',
    )
    expect(response.at('/groups')).toEqual([{ by: { count: 1 }, aggregates: { 'sum(count)': 2 } }])
    const refused = await api.get('/boxes/groups?groupBy=count&withAggregates=count')
    expect([refused.status, refused.errors]).toMatchObject([
      400,
      [{ code: 'invalid-aggregate', source: { parameter: 'withAggregates' } }],
    ])
    const document = JSON.stringify(router.toOpenApi())
    expect(document.split('"name":"filterGroups[count]"')).toHaveLength(2)
    await router.close()
  })

  it('are limited, as is what they are grouped by', async () => {
    const api = await world(await make(), {
      limits: { maxGroups: 4, maxGroupKeys: 2, maxSortKeys: 1 },
    })
    expect(await problemsOf(api, 'groupBy=pageCount')).toMatchInlineSnapshot(`
      [
        [
          400,
          "limit-exceeded",
          "The list has more than 4 groups. Filter it, or group by fewer members.",
          "groupBy",
        ],
      ]
    `)
    expect(await groupsOf(api, 'groupBy=pageCount&filter[pageCount][gt]=0')).toHaveLength(4)
    expect(
      await problemsOf(api, 'groupBy=pageCount,tax,price&sort=tax,price'),
    ).toMatchInlineSnapshot(`
      [
        [
          400,
          "limit-exceeded",
          "'groupBy' must have at most 2 members.",
          "groupBy",
        ],
        [
          400,
          "limit-exceeded",
          "'sort' must have at most 1 names.",
          "sort",
        ],
      ]
    `)
  })

  it('answer for a hidden member as for one that does not exist', async () => {
    const api = await world(await make())
    const detailsOf = async (name: string, query: string) =>
      (await problemsOf(api, query.replaceAll('NAME', name))).map(([, code, detail]) => [
        code,
        String(detail).replaceAll(name, 'x'),
      ])
    for (const query of [
      'groupBy=NAME',
      'groupBy=year(NAME)',
      'groupBy=author.NAME',
      'groupBy=author&sort=NAME',
      'groupBy=author&withAggregates=min(NAME)&filterGroups[min(NAME)]=1',
    ])
      expect(await detailsOf('cost', query)).toEqual(await detailsOf('zost', query))
  })

  it('run the request hooks of the models that their members lead to', async () => {
    const api = await world(await make(), {
      prepare: (router) => {
        router.prepare(Author).use({ request: { read: () => refuse('forbidden', 'No authors.') } })
        router.prepare(Book)
      },
    })
    const statusOf = async (path: string) => (await api.get(path)).status
    for (const path of [
      '/books?filter[author.country]=DE',
      '/books?withAggregates=countDistinct(author.country)',
      '/books?withFacets=author.country',
      '/books/groups?groupBy=author.country',
      '/books/groups?groupBy=tax&withAggregates=countDistinct(author.country)',
    ])
      expect([path, await statusOf(path)]).toEqual([path, 403])
    expect(await statusOf('/books/groups?groupBy=author')).toBe(200)
  })

  it('refuse a time zone that only the database does not know', async () => {
    const store = await make()
    const api = await world(store)
    const unknown = Object.assign(new Error('time zone not recognized'), { sqlState: '22023' })
    vi.spyOn(store, 'groups').mockRejectedValue(unknown)
    expect(await problemsOf(api, 'groupBy=year(soldAt)&timeZone=America/Coyhaique')).toEqual([
      [
        400,
        'invalid-value',
        "The database does not know the time zone 'America/Coyhaique'. Choose another name of it.",
        'timeZone',
      ],
    ])
    vi.restoreAllMocks()
  })

  it('are no address of a model that declares nothing, whose items may have the id', async () => {
    const api = await world(await make())
    expect((await api.post('/authors', { author: { id: 'groups', name: 'G' } })).status).toBe(201)
    expect((await api.get('/authors/groups')).at('/author/name')).toBe('G')
  })

  it('are typed by what code asks for, of members that need not be declared', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Author, Book]) router.prepare(each)
    await router.load(Author, [{ id: 'ann', name: 'Ann', country: 'DE' }])
    await router.load(Book, [
      { id: 'one', title: 'One', pages: 2, cost: 1.5, author: 'ann', tax: '1.50' },
      { id: 'two', title: 'Two', pages: 3, cost: 0.1, author: 'ann', tax: '2' },
      { id: 'three', title: 'Three', pages: 5, cost: 0.2 },
    ])
    expect(
      await router.items(Book).groups({
        by: ['author.country'],
        aggregates: ['count', 'sum(cost)', 'max(pages)', 'sum(tax)'],
        where: (query) => query.where('title').notEqual('Two'),
      }),
    ).toEqual([
      {
        by: { 'author.country': null },
        aggregates: { count: 1, 'sum(cost)': 0.2, 'max(pages)': 5, 'sum(tax)': '0' },
      },
      {
        by: { 'author.country': 'DE' },
        aggregates: { count: 1, 'sum(cost)': 1.5, 'max(pages)': 2, 'sum(tax)': '1.5' },
      },
    ])
    const [first] = await router.transaction((items) =>
      items(Book).groups({ by: ['year(soldAt)'], timeZone: 'Asia/Tokyo' }),
    )
    expect(first).toEqual({ by: { 'year(soldAt)': null }, aggregates: {} })
    const items = router.items(Book)
    const refused: readonly [object, string][] = [
      [{ by: ['prise'] }, "'book' has no field 'prise'"],
      [{ by: ['tags', 'sizes'] }, 'Items can be grouped by one list'],
      [{ by: ['year(title)'] }, "'year(title)' is not a part of a date"],
      [{ by: ['century(soldAt)'] }, "'century(soldAt)' is not a part of a date"],
      [{ by: ['title'], aggregates: ['sum(title)'] }, "'sum(title)' cannot be computed"],
      [{ by: ['title'], aggregates: ['total'] }, "'total' is not a function"],
      [{ by: ['title'], timeZone: 'PST' }, "'PST' is not a time zone"],
    ]
    for (const [options, message] of refused)
      await expect(items.groups(options as never)).rejects.toThrow(message)
  })

  it('refuse options that code misspells, and names that are no array', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Book)
    router.prepare(Author)
    const groups = (options: object) => router.items(Book).groups(options as never)
    await expect(groups({ by: ['author'], timezone: 'Europe/Berlin' })).rejects.toThrow(
      "Unknown option 'timezone' of groups(). Did you mean 'timeZone'?",
    )
    await expect(groups({})).rejects.toThrow("The option 'by' of groups() must be an array")
    await expect(groups({ by: 'author' })).rejects.toThrow("'by' of groups() must be an array")
    await expect(groups({ by: ['author'], aggregates: 'count' })).rejects.toThrow("'aggregates'")
    await router.close()
  })

  it('have for callers in code what their requests get', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    const seen: unknown[] = []
    router.prepare(Author).use({
      request: {
        getList: async (context) => {
          const books = router.items(Book, { as: context })
          seen.push(
            await books.groups({ by: ['tax'], aggregates: ['count', 'sum(tax)'] }),
            await books.groups({ by: ['cost'] }).catch(({ message }) => message),
          )
        },
      },
    })
    router.prepare(Book).access(({ item, anyone }) => ({
      read: item.pages.lessThan(5),
      fields: { tax: { read: item.inStock.equal(true), write: anyone } },
    }))
    await router.load(Book, [
      { id: 'one', title: 'One', pages: 1, tax: '1', inStock: true },
      { id: 'two', title: 'Two', pages: 2, tax: '2', inStock: false },
      { id: 'three', title: 'Three', pages: 5, tax: '3', inStock: true },
    ])
    await client(router).get('/authors')
    expect(seen).toEqual([
      [
        { by: { tax: null }, aggregates: { count: 1, 'sum(tax)': '0' } },
        { by: { tax: '1' }, aggregates: { count: 1, 'sum(tax)': '1' } },
      ],
      expect.stringContaining("'book' has no field 'cost'"),
    ])
  })
})
