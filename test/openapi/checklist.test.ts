import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { createRouter, field, hash, type Info, type Middleware, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import type { OpenApiVersion } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { models as bookstoreModels } from '../../examples/bookstore/bookstore.ts'
import { client } from '../support/client.ts'
import { documentOf, operationAt, operationsOf, schemaOf } from './documents.ts'
import { scenarios } from './scenarios/all.ts'

const {
  author: Author,
  publisher: Publisher,
  genre: Genre,
  book: Book,
  review: Review,
} = bookstoreModels
const versions: readonly OpenApiVersion[] = ['3.0.4', '3.1.2', '3.2.0']
const policies = [
  { name: 'REST', policy: rest() },
  { name: 'JSON:API', policy: jsonApi() },
]

type Json = { readonly [member: string]: Json } | readonly Json[] | string | number | boolean | null

/** Every object in the document, with the path to it. */
function* objectsIn(
  value: Json,
  path = '',
): Generator<readonly [path: string, object: { readonly [member: string]: Json }]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as { readonly [member: string]: Json }]
  for (const [name, one] of Object.entries(value)) yield* objectsIn(one as Json, `${path}/${name}`)
}

const documents = scenarios.map(({ name, router }) => ({
  name,
  router,
  document: JSON.parse(JSON.stringify(router.toOpenApi())) as Json,
}))

describe.each(policies)('A document under $name is the same, byte for byte', ({ policy }) => {
  const models = [Author, Book, Genre, Publisher, Review]
  const note = (name: string): Middleware => ({
    request: { any: () => undefined },
    declares: {
      security: { [name]: { type: 'apiKey', in: 'header', name } },
      headers: { [`X-${name}`]: name },
      responses: { [name === 'One' ? 402 : 418]: { description: name } },
    },
  })

  it.each(versions)(
    'whatever the order in which models, operations and middleware are registered, in %s',
    (version) => {
      const text = (order: readonly number[]) => {
        const router = createRouter({ policy, store: memory(), blobs: memoryBlobs() })
        const [first, second] = order[0]! < order[1]! ? ['One', 'Two'] : ['Two', 'One']
        router.use(note(first!)).use(note(second!))
        for (const index of order) {
          const prepared = router.prepare(models[index]!)
          for (const name of index % 2 === 0 ? ['check-out', 'lend'] : ['lend', 'check-out'])
            if (models[index] === Genre) prepared.itemOperation(name, () => undefined)
        }
        const { tags = [], ...document } = router.toOpenApi({ version })
        // Tags stand in the order of registration, so that a page begins with what comes first.
        return JSON.stringify([document, tags.toSorted(byName)])
      }
      const expectedText = text([0, 1, 2, 3, 4])
      fc.assert(
        fc.property(
          fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
          (order) => text(order) === expectedText,
        ),
        { numRuns: 8 },
      )
    },
  )
})

describe('Operation ids', () => {
  it('are refused where they differ in case alone', () => {
    const clashing = [
      model('bookshop', {}, { plural: 'bookshops' }),
      model('bookShop', {}, { plural: 'bookShops' }),
    ]
    expect(() => documentOf(clashing)).toThrow(/GET \/bookshops\).*GET \/bookShops\)/)
  })

  it('are refused where two operations of a model are registered under one', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router
      .prepare(Genre)
      .itemOperation('lend', () => undefined, { id: 'lend' })
      .itemOperation('lend-out', () => undefined, { id: 'lend' })
    expect(() => router.rules).toThrow(/\/lend\).*\/lend-out\).*'lendForGenre'/)
  })

  it('keep the two schemes apart: <id>For<Model>, and what is made of a hyphenated path', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router
      .prepare(model('lamp', {}))
      .itemOperation('post-on', () => undefined)
      .itemOperation('on', () => undefined, { id: 'postOn' })
    const ids = operationsOf(router.toOpenApi()).map(({ operation }) => operation.operationId)
    expect(ids).toEqual(expect.arrayContaining(['postPostOnForLampsItemById', 'postOnForLamp']))
  })
})

/** Examples of shared schemas, with JSON Pointers to the schemas. */
function examplesIn(document: Json) {
  return [...objectsIn(document)].flatMap(([path, { examples }]) => {
    if (!path.startsWith('/components/schemas/') || !Array.isArray(examples)) return []
    return examples.map((example) => ({ at: encodeURI(path), example }))
  })
}

it('Documents of scenarios have examples', () => {
  expect(documents.flatMap(({ document }) => examplesIn(document)).length).toBeGreaterThan(100)
})

describe.each(documents)('The document of $name', ({ document, router }) => {
  it('has examples that fit the schemas they stand in', () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema({ $id: 'https://document.test/', ...(document as object) })
    for (const { at, example } of examplesIn(document))
      expect(
        ajv.validate({ $ref: `https://document.test/#${at}` }, example),
        `${at}: ${JSON.stringify(example)}`,
      ).toBe(true)
  })

  it('has no header parameters that OpenAPI expresses by other means', () => {
    const parameterNames = operationsOf(router.toOpenApi()).flatMap(({ operation }) =>
      (operation.parameters ?? []).flatMap((entry) =>
        entry.in === 'header' ? entry.name.toLowerCase() : [],
      ),
    )
    expect(
      parameterNames.filter((name) => ['accept', 'content-type', 'authorization'].includes(name)),
    ).toEqual([])
  })

  it('has extensions with one prefix only', () => {
    const violations = [...objectsIn(document)].flatMap(([path, object]) =>
      path.endsWith('/headers') || path.endsWith('/properties')
        ? []
        : Object.keys(object).flatMap((name) => (/^x-/i.test(name) ? [{ path, name }] : [])),
    )
    const parameters = new Set(
      [...objectsIn(document)].flatMap(([path, object]) =>
        path === '/components/parameters' ? Object.keys(object) : [],
      ),
    )
    // The title of a tag, which documentation pages share.
    const titles = violations.filter(({ name }) => name === 'x-displayName')
    expect(titles.filter(({ path }) => !path.startsWith('/tags/'))).toEqual([])
    const others = violations.filter(
      ({ name }) => name !== 'x-displayName' && !name.startsWith('x-resourcery-'),
    )
    // The documentation page uses it as the label of members with any name.
    expect(others).toEqual(
      ['FilterIncluded', 'SortIncluded']
        .filter((name) => parameters.has(name))
        .map((parameter) => ({
          path: `/components/parameters/${parameter}/schema/additionalProperties`,
          name: 'x-additionalPropertiesName',
        })),
    )
  })

  it('has one schema for all errors of the service', () => {
    const schemas = operationsOf(router.toOpenApi()).flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, { description, content = {} }]) =>
        Number(status) >= 400 && description.includes('`')
          ? Object.values(content).map(({ schema }) => schema)
          : [],
      ),
    )
    expect(new Set(schemas.map((schema) => JSON.stringify(schema))).size).toBe(1)
    expect(schemas[0]).toHaveProperty('$ref')
  })

  it('has bounds for the lists and the numbers in requests', () => {
    for (const { path, operation } of operationsOf(router.toOpenApi()))
      for (const { name, schema } of operation.parameters ?? []) {
        if (schema.type === 'array') expect(schema.maxItems, `${path} ${name}`).toBeGreaterThan(0)
        if (schema.type === 'integer') expect(schema, `${path} ${name}`).toHaveProperty('minimum')
      }
  })
})

describe('Examples that are sent', () => {
  const Shop = model(
    'shop',
    { name: z.string().meta({ examples: ['Shakespeare & Company'] }) },
    { ids: 'client' },
  )
  const Visit = model('visit', {
    on: z.iso.date().meta({ examples: ['1920-02-14'] }),
    guests: z
      .int()
      .min(1)
      .max(9)
      .meta({ examples: [2, 9] }),
    mood: z.enum(['glad', 'sad']).meta({ examples: ['glad', 'sad'] }),
    address: z.object({ street: z.string().meta({ examples: ['rue Dupuytren'] }) }),
    shop: toOne('shop'),
  })

  it.each(policies)('are accepted, under $name', async ({ name, policy }) => {
    const router = createRouter({ policy, store: memory() })
    for (const entry of [Shop, Visit]) router.prepare(entry)
    await router.load(Shop, [{ id: 'odeon', name: 'Odéon' }])
    const document = router.toOpenApi()
    const { properties } = schemaOf(
      document,
      name === 'REST' ? 'VisitCreate' : 'VisitCreateAttributes',
    )
    const example = (schema: {
      readonly examples?: readonly unknown[]
      readonly properties?: object
    }): unknown =>
      schema.examples?.[0] ??
      Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, one]) => [member, example(one)]),
      )
    const own = Object.fromEntries(
      ['on', 'guests', 'mood', 'address'].map((member) => [member, example(properties[member]!)]),
    )
    expect(own).toEqual({
      on: '1920-02-14',
      guests: 2,
      mood: 'glad',
      address: { street: 'rue Dupuytren' },
    })
    const linked = { data: { type: 'shops', id: 'odeon' } }
    const body =
      name === 'REST'
        ? { visit: { ...own, shop: 'odeon' } }
        : { data: { type: 'visits', attributes: own, relationships: { shop: linked } } }
    const type = name === 'REST' ? 'application/json' : 'application/vnd.api+json'
    const response = await client(router).post('/visits', body, { 'content-type': type })
    expect(response.status, response.text).toBe(201)
  })
})

describe('Responses that several middleware declare with one status', () => {
  const declared = (...reasons: z.ZodType[]) => {
    const router = createRouter({ policy: rest(), store: memory() })
    for (const reason of reasons) {
      const content = { 'application/json': reason }
      router.use({
        request: { any: () => undefined },
        declares: { responses: { 402: { description: 'Pay', content } } },
      })
    }
    router.prepare(Genre)
    return operationAt(router.toOpenApi(), 'GET /genres').responses[402]!
  }
  const upgrade = z.object({ upgrade: z.url() })
  const plan = z.object({ plan: z.string() })

  it('may match any of them', () => {
    const { content, description } = declared(upgrade, plan, upgrade)
    const { schema } = content!['application/json']!
    expect(description).toBe('Pay')
    expect(schema.anyOf?.map((entry) => Object.keys(entry.properties ?? {}))).toEqual([
      ['upgrade'],
      ['plan'],
    ])
  })

  it('are written once where they are equal', () => {
    expect(declared(upgrade, upgrade).content!['application/json']!.schema).toMatchObject({
      required: ['upgrade'],
    })
  })
})

describe('The description of the service', () => {
  const info: Info = {
    title: 'Books',
    version: '7',
    summary: 'What is read',
    description: 'All *books*.',
    termsOfService: 'https://books.example/terms',
    contact: { name: 'Desk', email: 'desk@books.example' },
    license: { name: 'MIT', identifier: 'MIT' },
  }

  it('has the info of the options', () => {
    expect(documentOf([Genre], rest(), { info }).info).toEqual(info)
    expect(documentOf([Genre], rest(), { info, version: '3.2.0' }).info).toEqual(info)
  })

  it('leaves out what OpenAPI 3.0 does not support, and gives the license an address', () => {
    const { summary: _, ...others } = info
    const license = { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' }
    expect(documentOf([Genre], rest(), { info, version: '3.0.4' }).info).toEqual({
      ...others,
      license,
    })
  })
})

describe('A deprecated field', () => {
  const Account = model('account', {
    code: z.string().meta({ deprecated: true, description: 'Use the id' }),
    name: field(z.string(), { description: 'As *printed*' }),
    hash: hash(),
  })
  const document = documentOf([Account])

  it('is deprecated in every schema and parameter with it', () => {
    for (const name of [
      'Account',
      'AccountPart',
      'AccountCreate',
      'AccountReplace',
      'AccountPatch',
    ])
      expect(schemaOf(document, name).properties.code, name).toMatchObject({
        deprecated: true,
        description: 'Use the id',
      })
    const parameters = operationAt(document, 'GET /accounts').parameters!
    expect(parameters.find(({ name }) => name === 'filter[code]')).toMatchObject({
      deprecated: true,
    })
    expect(parameters.find(({ name }) => name === 'filter[name]')).not.toHaveProperty('deprecated')
  })
})

describe('Headers of responses', () => {
  const headersOf = (route: string, status: number) =>
    operationAt(documentOf([Author, Book, Genre, Publisher, Review]), route).responses[status]!
      .headers

  it('of binary resources give range, length and ETag', () => {
    const bytes = [
      'Accept-Ranges',
      'Cache-Control',
      'Content-Disposition',
      'Content-Length',
      'ETag',
    ]
    for (const name of bytes)
      expect(headersOf('GET /books/{id}/cover', 200)[name], name).toMatchObject({ required: true })
    for (const name of [...bytes, 'Content-Range'])
      expect(headersOf('GET /books/{id}/cover', 206)[name], name).toMatchObject({ required: true })
    expect(headersOf('GET /books/{id}/cover', 416)['Content-Range']).toMatchObject({
      required: true,
    })
    expect(headersOf('GET /books/{id}/cover', 304)).not.toHaveProperty('Content-Length')
  })

  it('of lists link to other pages', () => {
    expect(headersOf('GET /books', 200).Link?.description).toContain('RFC 8288')
  })

  it('of 415 and 503 say which codings are supported and when to retry', () => {
    expect(headersOf('POST /books', 415)).toHaveProperty('Accept-Encoding')
    expect(headersOf('GET /books/{id}/cover/png/64', 503)).toHaveProperty('Retry-After')
  })
})

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}
