import { createRouter, field, model, type RouterLimits, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Author = model('author', {
  name: field(z.string(), { wire: 'fullName' }),
  size: field(z.int().optional(), { wire: 'height' }),
  town: field(z.object({ zip: z.string() }).optional(), { wire: 'home' }),
  secret: field(z.string().optional(), { hidden: true }),
  price: z.number().optional(),
  books: toMany('book', { inverse: 'author' }),
})

const Box = z.object({
  kind: z.string().nullish(),
  width: z.number().nullish(),
  label: z.object({ text: z.string() }).optional(),
  sizes: z.array(z.object({ x: z.int() })).optional(),
})

const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number().optional(),
    box: field(Box.optional(), { wire: 'case' }),
    author: toOne('author', { optional: true, wire: 'writer' }),
  },
  {
    aggregate: [
      'price',
      'author.name',
      'author.size',
      'author.town',
      'author.books',
      'author.id',
      'box',
      'box.kind',
    ],
  },
)

const Essay = model(
  'essay',
  { author: toOne('author', { wire: 'writer' }) },
  { aggregate: ['author'] },
)

function routerOf(limits: Partial<RouterLimits> = {}, policy = rest()) {
  const router = createRouter({ policy, store: memory(), limits })
  for (const each of [Author, Book, Essay]) router.prepare(each)
  return router
}

interface Documented {
  readonly components: {
    readonly parameters: Record<string, { schema: { items: { anyOf: [{ enum: string[] }] } } }>
    readonly schemas: Record<string, { properties: object }>
  }
}

function documented(limits?: Partial<RouterLimits>) {
  const { components } = routerOf(limits).toOpenApi() as never as Documented
  const namesOf = (name: string) => components.parameters[name]!.schema.items.anyOf[0].enum
  return {
    facets: namesOf('WithBookFacets'),
    aggregates: namesOf('WithBookAggregates'),
    shown: Object.keys(components.schemas.BookFacets!.properties),
  }
}

const facets = [
  'price',
  'writer.fullName',
  'writer.height',
  'writer.home.zip',
  'writer.id',
  'case.kind',
  'case.width',
  'case.label.text',
]

describe('Names of members that are added up', () => {
  it('are wire names in documents, of objects those of their members', () => {
    expect(documented().facets).toEqual(facets)
    expect(documented().shown).toEqual(facets)
  })

  it.each([
    ['rest', rest],
    ['jsonApi', jsonApi],
  ] as const)('that documents list are accepted under %s', async (name, policy) => {
    const router = routerOf({ maxAggregates: 100 }, policy() as never)
    const api = client(router, undefined, name === 'rest' ? undefined : 'application/vnd.api+json')
    const { aggregates } = documented()
    expect(aggregates).toContain('sum(writer.height)')
    const response = await api.get(
      `/books?withFacets=${facets.join(',')}&withAggregates=${aggregates.join(',')}`,
    )
    expect(response.status).toBe(200)
    expect(Object.keys(response.at('/meta/facets') as object)).toEqual(facets)
  })

  it('lead over no more relations than a request may follow', async () => {
    const none = { maxRelationDepth: 0 }
    expect(documented(none).facets).toEqual(facets.filter((name) => !name.startsWith('writer.')))
    expect(documented(none).aggregates.filter((name) => name.includes('writer'))).toEqual([])
    const response = await client(routerOf(none)).get('/books?withFacets=writer.fullName')
    expect(response.errors.map(({ code }) => code)).toEqual(['limit-exceeded'])
  })

  it('are suggested as a request writes them', async () => {
    const api = client(routerOf())
    const detailsOf = async (path: string) =>
      (await api.get(path)).errors.map(({ detail }) => detail)
    expect(await detailsOf('/books?withFacets=writer.fulName,writer.name')).toEqual([
      "Cannot count the values of 'writer.fulName': 'author' has no field 'fulName'. Did you mean 'writer.fullName'?",
      `Cannot count the values of 'writer.name': 'author' has no field 'name'; expected one of ${facets.join(', ')}.`,
    ])
    expect(await detailsOf('/essays?withFacets=writer.fullNam')).toEqual([
      "Cannot count the values of 'writer.fullNam': 'author' has no field 'fullNam'. Did you mean 'writer.fullName'?",
    ])
  })
})
