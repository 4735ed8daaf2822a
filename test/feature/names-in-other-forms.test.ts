import { createRouter, date, model, toOne } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Author = model('author', { name: z.string() })
const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number(),
    releasedOn: date({ optional: true }),
    genres: z.array(z.string()).default([]),
    author: toOne('author'),
    cost: z.number().optional(),
  },
  { aggregate: ['price', 'releasedOn', 'genres', 'author', 'author.name'], search: ['title'] },
)
const Measurement = model(
  'measurement',
  { place: z.string(), min: z.number(), max: z.number(), count: z.int() },
  { aggregate: ['place', 'max'] },
)

const router = createRouter({ policy: rest(), store: memory() })
router.prepare(Author)
router.prepare(Book)
router.prepare(Measurement)
const api = client(router)

async function detailsOf(path: string): Promise<readonly string[]> {
  const { status, errors } = await api.get(path)
  expect(status).toBe(400)
  return errors.map(({ detail }) => detail)
}

describe('A name in the form of another service, or misspelt,', () => {
  it.each([
    ['releasedOn.month', 'month(releasedOn)'],
    ['releasedOn:year', 'year(releasedOn)'],
    ['releasedOn(week)', 'week(releasedOn)'],
    ['day_releasedOn', 'day(releasedOn)'],
    ['releasedOnQuarter', 'quarter(releasedOn)'],
    ['Month(releasedOn)', 'month(releasedOn)'],
    ['month(releasedOn', 'month(releasedOn)'],
  ])('is a part of a date: %s', async (name, meant) => {
    expect(await detailsOf(`/books/groups?groupBy=${name}`)).toEqual([
      `Cannot group by '${name}'. Did you mean '${meant}'?`,
    ])
  })

  it.each(['sum(price)', 'count', 'countDistinct(author)'])(
    'is a function, which groups nothing: %s',
    async (name) => {
      expect(await detailsOf(`/books/groups?groupBy=${name}`)).toEqual([
        `Cannot group by the function '${name}'. Name it in 'withAggregates'.`,
      ])
    },
  )

  it.each([
    ['min', "the model does not list it in 'aggregate'; expected one of place, max."],
    ['count', "the model does not list it in 'aggregate'; expected one of place, max."],
    ['sum', "'measurement' has no field 'sum'; expected one of place, max."],
  ])('is that of a function, and not called: %s', async (name, reason) => {
    expect(await detailsOf(`/measurements/groups?groupBy=${name}`)).toEqual([
      `Cannot group by '${name}': ${reason}`,
    ])
  })

  it.each([
    [
      'price.sum',
      "as in withAggregates=count,sum(price); got 'price.sum'. Did you mean 'sum(price)'?",
    ],
    ['price.sum()', "got 'price.sum()'. Did you mean 'sum(price)'?"],
    ['avg:price', "got 'avg:price'. Did you mean 'avg(price)'?"],
    ['sum(price', "got 'sum(price'. Did you mean 'sum(price)'?"],
    ['count(*)', "'count' takes no member. Did you mean 'count'?"],
    ['count(price)', "'count' takes no member. Use 'countDistinct' to count values."],
    ['sum()', "Cannot use 'sum' for '': the name is empty; expected one of price"],
    ['COUNT', "got 'COUNT'. Did you mean 'count'?"],
    ['price', "got 'price'."],
    ['total(price)', "Unknown function 'total'. Did you mean 'sum'?"],
    ['Average(price)', "Unknown function 'Average'. Did you mean 'avg'?"],
    ['summ(price)', "Unknown function 'summ'. Did you mean 'sum'?"],
    ['median(price)', "Unknown function 'median'; expected one of count, sum"],
    ['sum(pirce)', "'book' has no field 'pirce'. Did you mean 'price'?"],
  ])('names a function: %s', async (name, detail) => {
    for (const path of ['/books?', '/books/groups?groupBy=author&']) {
      const [first, ...others] = await detailsOf(`${path}withAggregates=${name}`)
      expect(first).toContain(detail)
      expect(others).toEqual([])
    }
  })

  it.each([
    ['withFacets=count(genres)', "takes members without functions. Did you mean 'genres'?"],
    [
      'withFacets=month(releasedOn)',
      "takes members without functions. Groups count items by it: 'groupBy=month(releasedOn)'.",
    ],
    [
      'filter[price]=null',
      "Expected a number, such as 9.5, got 'null'. Write 'filter[price][isNull]=true' for no value.",
    ],
    ['filter[price][gt]=null', "Write 'filter[price][isNull]=true' for no value."],
    ['withFacets=', "Cannot count the values of '': the name is empty; expected one of price"],
    ['search=sea&sort=relevance.x', "'book' has no field 'relevance'; expected one of"],
    ['withFacets=genre', "'book' has no field 'genre'. Did you mean 'genres'?"],
    ['search=sea&sort=-relevence', "'book' has no field 'relevence'. Did you mean 'relevance'?"],
    [
      'sort=score',
      "'book' has no field 'score'; expected one of id, title, price, releasedOn, author, cost.",
    ],
    [
      'search=sea&sort=score',
      'expected one of id, title, price, releasedOn, author, cost, relevance.',
    ],
    ['sort=-relevence', "'book' has no field 'relevence'. Did you mean 'relevance'?"],
    [
      'search=sea&sort=author.relevence',
      "'author' has no field 'relevence'; expected one of id, name.",
    ],
  ])('stands in a parameter of lists: %s', async (query, detail) => {
    const [first, ...others] = await detailsOf(`/books?${query}`)
    expect(first).toContain(detail)
    expect(others).toEqual([])
  })

  it.each([
    ['withAggregates=count&filterGroups[cuont][gte]=1', "names. Did you mean 'count'?"],
    ['filterGroups[cuont][gte]=1', "names. Did you mean 'count'?"],
    [
      'filterGroups[count][gte]=1',
      "'count', which neither 'groupBy' nor 'withAggregates' names. Name it in 'withAggregates' too.",
    ],
    ['sort=-sum(price)', "names. Name it in 'withAggregates' too."],
    ['sort=releasedOn', "names. Name it in 'groupBy' too."],
    ['sort=autor', "names. Did you mean 'author'?"],
    ['page[number]=60000&page[size]=100', "'page[number]' must be at most 10001; got 60000."],
    ['page[number]=1&page[offset]=1', 'Use number and size, or offset and limit.'],
    ['sort=xyzxyzxyz', "names; expected 'author'."],
  ])('stands in a parameter of groups: %s', async (query, detail) => {
    const [first, ...others] = await detailsOf(`/books/groups?groupBy=author&${query}`)
    expect(first).toContain(detail)
    expect(first).not.toContain('cursor')
    expect(others).toEqual([])
  })

  it.each([
    ['Berlin', 'Europe/Berlin'],
    ['Europe/Berln', 'Europe/Berlin'],
    ['Eurpoe/Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['GMT', 'UTC'],
  ])('is a time zone: %s', async (name, meant) => {
    const zone = encodeURIComponent(name)
    expect(await detailsOf(`/books/groups?groupBy=year(releasedOn)&timeZone=${zone}`)).toEqual([
      `Expected the IANA name of a time zone, such as Europe/Berlin; got '${name}'. Did you mean '${meant}'?`,
    ])
    await expect(router.items(Book).groups({ by: ['releasedOn'], timeZone: name })).rejects.toThrow(
      `Did you mean '${meant}'?`,
    )
  })
})
