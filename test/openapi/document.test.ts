import {
  action,
  createRouter,
  field,
  hash,
  image,
  list,
  type Middleware,
  model,
  type Rule,
  refuse,
  respond,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import {
  noResponseDescription,
  type OpenApiVersion,
  toOpenApi,
  toOpenApiSchema,
} from 'resourcery/openapi'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import { documentOf, operationAt, operationsOf, routerOf, schemaOf } from './documents.ts'

const Author = model(
  'author',
  {
    name: z
      .string()
      .min(1)
      .meta({ description: 'Full name as printed', examples: ['Mary Shelley'] }),
    books: toMany('book', { inverse: 'author' }),
  },
  { description: 'Who writes' },
)

class Book extends model('book', {
  title: z.string().min(1),
  price: z.number().nonnegative(),
  pageCount: field(z.int().positive().optional(), {
    wire: 'pages',
    description: 'Number of pages',
    example: 280,
  }),
  dimensions: z
    .object({
      width: z.number().meta({ description: 'Millimetres', examples: [110] }),
      height: z.number().optional(),
    })
    .optional(),
  editions: z
    .array(
      z.object({ year: z.int().meta({ description: 'Of printing' }), isbn: z.string().optional() }),
    )
    .default([]),
  author: toOne('author'),
  genres: toMany('genre'),
  cover: image({ maxBytes: 5_000_000, variants: { formats: ['png', 'webp'], sizes: [512] } }),
  scans: list(struct({ page: z.int(), scan: image() })),
  costPrice: field(z.number().optional(), { hidden: true }),
  email: field(z.email().optional(), { writeOnly: true }),
  createdAt: field(
    z.iso.datetime().default(() => new Date().toISOString()),
    { readOnly: true, description: 'When it was added' },
  ),
  hash: hash(),
}) {
  discount({ percent }: { percent: number }): void {
    this.price *= 1 - percent / 100
  }

  static {
    action(this, 'discount', {
      input: z.object({ percent: z.number() }),
      description: 'Makes it cheaper',
    })
  }
}

const Genre = model('genre', { name: z.string() }, { ids: 'client' })

const models = [Author, Book, Genre]
const policies = [
  { name: 'REST', policy: rest() },
  { name: 'JSON:API', policy: jsonApi() },
]

describe.each(policies)('The document of a router under $name', ({ policy }) => {
  const router = routerOf(models, policy)
  const document = router.toOpenApi()
  const operations = operationsOf(document)

  it('is a plain object that survives JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })

  it('gives every operation an id that can name a function, unique even without regard to case', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]{0,63}$/)
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length)
  })

  it('describes :id as the `id` path segment', () => {
    for (const { path, operation } of operations.filter(({ path }) => path.includes('{id}'))) {
      const [parameter] = (operation.parameters ?? []).filter(({ name }) => name === 'id')
      expect(parameter, path).toMatchObject({
        in: 'path',
        required: true,
        description: 'The `id` path segment',
      })
    }
  })

  it('describes every response, and names every error code where it can occur', () => {
    // Older versions have no operation for QUERY.
    const complete = router.toOpenApi({ version: '3.2.0' })
    for (const rule of router.rules.filter(({ isAlwaysRefused }) => !isAlwaysRefused)) {
      const { responses } = operationAt(
        complete,
        `${rule.method} ${rule.path.replaceAll(/:(\w+)/g, '{$1}')}`,
      )
      for (const { description } of Object.values(responses)) expect(description).not.toBe('')
      for (const { status, code } of rule.errorResponses)
        expect(responses[status]!.description).toContain(`\`${code}\``)
    }
  })

  it('has summaries in the imperative that fit a line, except for variants of images, which name the variant', () => {
    for (const { operation } of operations) {
      expect(operation.summary.length).toBeLessThanOrEqual(60)
      expect(operation.summary).toMatch(
        /^(?:List|Create|Get|Update|Replace|Delete|Add|Set|Remove|Discount|Run|As) /,
      )
    }
  })

  it('can be read without regular expressions, and describes filter operators once', () => {
    const lists = operationAt(document, 'GET /books').parameters!
    expect(JSON.stringify(lists.find(({ name }) => name === 'fields')!.schema)).not.toContain(
      '"pattern"',
    )
    expect(lists.find(({ name }) => name === 'fields')!.schema.properties.genres).toMatchObject({
      description: 'Any of `id`, `name`',
    })
    expect(lists.find(({ name }) => name === 'filter')!.description).toContain(
      '- `startsWith`: starts with the text',
    )
    expect(JSON.stringify(document).split('`startsWith`: starts with the text')).toHaveLength(2)
    const sizes = lists.filter(({ name }) => name.startsWith('pageIncluded'))
    expect(sizes.map(({ description }) => description)).toEqual([
      expect.stringMatching(/Needs .* in `include`/),
    ])
  })

  it('has an example of every number in a query that must not be 0, because pages send 0 for an empty field', () => {
    const numbers = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .filter(
        ({ in: place, schema }) =>
          place === 'query' && schema.type === 'integer' && Number(schema.minimum) > 0,
      )
    expect(numbers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['page[number]', 'pageIncluded[genres][size]']),
    )
    for (const { name, schema, example = schema.default } of numbers)
      expect(Number(example), name).toBeGreaterThanOrEqual(Number(schema.minimum))
  })

  it('has a description in the schemas of object parameters, which is all that pages show', () => {
    const objects = operations
      .flatMap(({ operation }) => operation.parameters ?? [])
      .filter(({ style, schema }) => style === 'deepObject' && !schema.$ref)
    expect(objects.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['fields', 'filterIncluded', 'sortIncluded']),
    )
    for (const { name, description, schema } of objects)
      expect(schema.description, name).toBe(description)
    const open = objects
      .map(({ schema }) => schema.additionalProperties)
      .filter((entry) => typeof entry === 'object')
    expect(open.length).toBeGreaterThan(0)
    for (const member of open) expect(member).toHaveProperty('x-additionalPropertiesName', 'path')
  })

  it('sorts paths by template, methods and statuses in their order, and components by name', () => {
    const paths = Object.keys(document.paths)
    expect(paths).toEqual([...paths].sort())
    const order = ['get', 'post', 'put', 'patch', 'delete', 'x-resourcery-allow']
    for (const item of Object.values(document.paths)) {
      const names = Object.keys(item)
      expect(names).toEqual(
        [...names].sort((entry, other) => order.indexOf(entry) - order.indexOf(other)),
      )
    }
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses).map(Number)
      expect(statuses).toEqual([...statuses].sort((entry, other) => entry - other))
    }
    for (const part of Object.values(document.components)) {
      const names = Object.keys(part)
      expect(names).toEqual([...names].sort())
    }
  })

  it('changes no id when a model is added', () => {
    const more = operationsOf(
      documentOf([...models, model('review', { text: z.string() })], policy),
    )
    for (const { method, path, operation } of operations) {
      const same = more.find((entry) => entry.method === method && entry.path === path)
      expect(same?.operation.operationId).toBe(operation.operationId)
    }
  })

  it('reveals no hidden field, host, date or product name', () => {
    const text = JSON.stringify(document).replaceAll(/x-resourcery-[a-z-]+/g, '')
    const untold = [
      /costPrice/i,
      /localhost/,
      new RegExp(new Date().toISOString().slice(0, 10)),
      /resourcery/i,
    ]
    expect(untold.filter((entry) => entry.test(text))).toEqual([])
  })

  it('lists the methods of an address, as Allow does', async () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const response = await router.handle(
        new Request(`http://localhost${path.replace(/\{\w+\}/g, '0')}`, { method: 'OPTIONS' }),
      )
      expect(response.headers.get('allow'), path).toBe(item['x-resourcery-allow'])
    }
  })

  it('links from a new item to the operations on it, and from a list to its items', () => {
    const created = operationAt(document, 'POST /books').responses[201]!
    const listed = operationAt(document, 'GET /books').responses[200]!
    expect(Object.keys(created.links!)).toEqual([
      'getBooksItemById',
      'putBooksItemById',
      'patchBooksItemById',
      'deleteBooksItemById',
    ])
    expect(Object.keys(listed.links!)).toEqual(['getBooksItemById'])
  })

  it('has tags that are described, in the order of the models', () => {
    const names = document.tags.map(({ name }) => name)
    expect(names.filter((name) => name !== 'operations')).toEqual([
      'authors',
      'books',
      'books cover variants',
      'genres',
    ])
    expect(document.tags[0]?.description).toBe('Who writes')
    for (const { operation } of operations)
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0])
  })

  it('has an empty security list where middleware requires nothing', () => {
    for (const { operation } of operations) expect(operation.security).toEqual([])
  })

  it('documents the headers of conditional requests', () => {
    const named = (route: string) =>
      (operationAt(document, route).parameters ?? []).flatMap((entry) =>
        entry.in === 'header' ? entry.name : [],
      )
    expect(named('GET /books')).toEqual([])
    expect(named('POST /books')).toEqual([])
    expect(named('GET /books/{id}')).toEqual(['If-None-Match'])
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      expect(named(`${method} /books/{id}`)).toEqual(['If-Match', 'If-None-Match'])
    expect(operationAt(document, 'GET /books/{id}').responses[304]).not.toHaveProperty('content')
    expect(operationAt(document, 'GET /books/{id}').responses[200]!.headers.ETag).toMatchObject({
      required: true,
    })
    expect(operationAt(document, 'PATCH /books/{id}').responses[412]).toBeDefined()
    expect(operationAt(document, 'PATCH /books/{id}').responses).not.toHaveProperty('428')
  })

  it('requires If-Match where the service does, which then responds with 428 without it', () => {
    const strict = createRouter({
      policy,
      store: memory(),
      blobs: memoryBlobs(),
      requireMatch: true,
    })
    for (const model of models) strict.prepare(model)
    const { parameters, responses } = operationAt(strict.toOpenApi(), 'PATCH /books/{id}')
    expect(parameters?.find(({ name }) => name === 'If-Match')).toMatchObject({ required: true })
    expect(responses[428]).toBeDefined()
  })

  it('documents Location, Accept-Patch and Retry-After', () => {
    expect(operationAt(document, 'POST /books').responses[201]!.headers.Location).toMatchObject({
      required: true,
    })
    expect(operationAt(document, 'PATCH /books/{id}').responses[415]!.headers).toHaveProperty(
      'Accept-Patch',
    )
    expect(operationAt(document, 'POST /books').responses[415]!.headers).not.toHaveProperty(
      'Accept-Patch',
    )
    expect(operationAt(document, 'GET /books').responses[503]!.headers).toHaveProperty(
      'Retry-After',
    )
  })

  it('documents query parameters with their limits', () => {
    const parameters = operationAt(document, 'GET /books').parameters!
    const named = (name: string) => parameters.find((parameter) => parameter.name === name)
    expect(named('page[size]')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 20,
    })
    expect(named('sort')).toMatchObject({ style: 'form', explode: false, schema: { maxItems: 8 } })
    expect(named('sort')?.schema.items.enum).toEqual(
      expect.arrayContaining(['price', '-price', '-author.name']),
    )
    expect(named('include')?.schema.items.enum).toEqual(
      expect.arrayContaining(['author', 'author.books', 'genres']),
    )
    expect(named('fields')).toMatchObject({ style: 'deepObject', explode: true })
    expect(named('filter[price]')).toMatchObject({
      style: 'deepObject',
      explode: true,
      schema: { $ref: '#/components/schemas/NumberFilter' },
    })
    expect(named('filter[author.name]')?.schema.$ref).toBe('#/components/schemas/TextFilter')
    expect(Object.keys(schemaOf(document, 'NumberFilter').properties)).toEqual([
      'eq',
      'ne',
      'gt',
      'gte',
      'lt',
      'lte',
      'in',
      'nin',
      'isNull',
    ])
    expect(named('withCount')?.schema.type).toBe('boolean')
  })
})

describe('Operation ids in the document', () => {
  const document = documentOf([...models, model('bookCategory', { name: z.string() })], jsonApi())

  it.each([
    ['GET /books', 'getBooks'],
    ['POST /books', 'postBooks'],
    ['GET /books/{id}', 'getBooksItemById'],
    ['PATCH /books/{id}', 'patchBooksItemById'],
    ['PUT /books/{id}', 'putBooksItemById'],
    ['DELETE /books/{id}', 'deleteBooksItemById'],
    ['GET /bookCategories/{id}', 'getBookCategoriesItemById'],
    ['GET /books/{id}/author', 'getAuthorForBooksItemById'],
    ['PATCH /books/{id}/relationships/author', 'patchRelationshipsAuthorForBooksItemById'],
    ['POST /books/{id}/discount', 'postDiscountForBooksItemById'],
    ['POST /books/{id}/cover', 'postCoverForBooksItemById'],
    ['GET /books/{id}/cover/png/512', 'getCoverPng512ForBooksItemById'],
    ['GET /books/{id}/scans/{index}/scan', 'getScansByIndexScanForBooksItemById'],
  ])('are derived from method and path: %s', (route, id) => {
    expect(operationAt(document, route).operationId).toBe(id)
  })

  it('are <id>For<Model> where an operation was registered under an id, beside custom operations of hyphenated names', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router
      .prepare(Genre)
      .itemOperation('reserve', () => undefined, { id: 'reserve' })
      .itemOperation('check-out', () => undefined)
    const custom = router.toOpenApi()
    expect(operationAt(custom, 'POST /genres/{id}/reserve').operationId).toBe('reserveForGenre')
    expect(operationAt(custom, 'POST /genres/{id}/check-out').operationId).toBe(
      'postCheckOutForGenresItemById',
    )
  })

  it('are refused at registration where two are equal, and the error names both routes', () => {
    const clashing = [
      model('book', { title: z.string() }),
      model('tome', { title: z.string() }, { plural: 'Books' }),
    ]
    expect(() => routerOf(clashing).rules).toThrow(/GET \/books\).*GET \/Books\).*'getBooks'/)
    const router = createRouter({ policy: rest(), store: memory() })
    router
      .prepare(Genre)
      .itemOperation('check-out', () => undefined)
      .itemOperation('checkOut', () => undefined)
    expect(() => router.rules).toThrow(
      /\/check-out\).*\/checkOut\).*'postCheckOutForGenresItemById'/,
    )
  })
})

describe('Schemas of a model', () => {
  const document = documentOf(models)

  it('say what a response always has, and what may be null', () => {
    const book = schemaOf(document, 'Book')
    expect(book.required).toEqual([
      'id',
      'title',
      'price',
      'editions',
      'scans',
      'createdAt',
      'author',
      'genres',
      'cover',
      'hash',
    ])
    expect(book.properties).not.toHaveProperty('email')
    expect(book.properties.createdAt).toMatchObject({ readOnly: true })
    expect(book.properties.hash).toMatchObject({ readOnly: true })
    expect(book.properties.author?.type).toBe('string')
  })

  it('say what a client has to send, and that no other member is accepted', () => {
    const create = schemaOf(document, 'BookCreate')
    expect(create.required).toEqual(['title', 'price', 'author'])
    expect(create.additionalProperties).toBe(false)
    expect(create.properties.email).toMatchObject({ writeOnly: true })
    expect(create.properties.dimensions).toMatchObject({ additionalProperties: false })
    expect(create.properties.editions?.default).toEqual([])
    // Members that a client received and may send back are ignored.
    expect(create.properties.createdAt).toEqual({
      readOnly: true,
      description: 'When it was added',
    })
    expect(create.properties.hash).toMatchObject({
      readOnly: true,
      description: expect.stringContaining('version'),
    })
  })

  it.each(policies)(
    'describe each member of a request as responses do, read-only ones too: $name',
    ({ policy }) => {
      const Described = model('author', {
        name: z.string().meta({ description: 'As printed' }),
        since: field(z.string().default('1800'), {
          readOnly: true,
          description: 'When it was added',
        }),
        books: toMany('work', { inverse: 'author', description: 'What the author wrote' }),
      })
      const Work = model('work', { author: toOne('author', { description: 'Who wrote it' }) })
      const router = createRouter({ policy, store: memory() })
      router.prepare(Work)
      router.prepare(Described).map((author) => ({ ...author, shown: '1' }), {
        adds: { shown: z.string().meta({ description: 'To show' }) },
      })
      const { schemas = {} } = router.toOpenApi().components
      const text = (name: string) =>
        JSON.stringify(Object.entries(schemas).filter(([key]) => key.startsWith(name)))
      for (const name of ['AuthorCreate', 'AuthorReplace', 'AuthorPatch'])
        for (const description of [
          'As printed',
          'When it was added',
          'What the author wrote',
          'To show',
        ])
          expect(text(name), name).toContain(`"description":"${description}"`)
    },
  )

  it('say that a replacement keeps what clients cannot see, and may repeat the id of the path', () => {
    const replace = schemaOf(document, 'BookReplace')
    expect(replace.required).toEqual(['title', 'price', 'author'])
    expect(replace.properties.id?.type).toBe('string')
  })

  it('say that a change may leave out anything, and remove with null what may be absent', () => {
    const patch = schemaOf(document, 'BookPatch')
    expect(patch.required).toBeUndefined()
    expect(patch.properties.pages?.type).toEqual(['integer', 'null'])
    expect(patch.properties.title?.type).toBe('string')
    expect(patch.properties.dimensions).not.toHaveProperty('required')
    expect(patch.properties.dimensions?.properties.height?.type).toEqual(['number', 'null'])
    expect(patch.properties.dimensions?.properties.width?.type).toBe('number')
    // An array is replaced as a whole.
    expect(patch.properties.editions?.items.required).toEqual(['year'])
    expect(JSON.stringify(patch)).not.toContain('"default"')
  })

  it('carry descriptions and examples wherever the field appears, through nested structs and arrays', () => {
    for (const name of ['Book', 'BookPart', 'BookCreate', 'BookReplace', 'BookPatch']) {
      const { properties } = schemaOf(document, name)
      expect(properties.pages, name).toMatchObject({
        description: 'Number of pages',
        examples: [280],
      })
      expect(properties.dimensions?.properties.width, name).toMatchObject({
        description: 'Millimetres',
        examples: [110],
      })
      expect(properties.editions?.items.properties.year, name).toMatchObject({
        description: 'Of printing',
      })
    }
  })

  it('name fields as clients see them: a renamed one appears under its wire name', () => {
    for (const name of ['Book', 'BookCreate', 'BookPatch']) {
      expect(schemaOf(document, name).properties).toHaveProperty('pages')
      expect(schemaOf(document, name).properties).not.toHaveProperty('pageCount')
    }
  })

  it('require the id as the model does', () => {
    expect(schemaOf(document, 'GenreCreate').required).toContain('id')
    expect(schemaOf(document, 'BookCreate').properties.id?.type).toEqual(['string', 'null'])
    const server = documentOf([model('book', { title: z.string() }, { ids: 'server' })])
    expect(schemaOf(server, 'BookCreate').properties.id?.type).toBe('null')
  })

  it('leave out what changes over time, such as generated defaults', () => {
    const Entry = model('entry', {
      at: z.iso.datetime().default(() => new Date().toISOString()),
      key: z.uuid().default(() => crypto.randomUUID()),
      kind: z.string().default('note'),
    })
    const { properties } = schemaOf(documentOf([Entry]), 'EntryCreate')
    expect([properties.at?.default, properties.key?.default, properties.kind?.default]).toEqual([
      undefined,
      undefined,
      'note',
    ])
  })

  it('refer to themselves where their fields do', () => {
    const part = z.object({
      name: z.string(),
      get parts() {
        return z.array(part).optional()
      },
    })
    const recursive = documentOf([model('machine', { frame: part })])
    const frame = schemaOf(recursive, 'Machine').properties.frame!
    expect(frame.$ref).toMatch(/^#\/components\/schemas\/MachineFrame/)
    const named = schemaOf(recursive, frame.$ref!.split('/').at(-1)!)
    expect(named.properties.parts?.items.$ref).toBe(frame.$ref)
  })

  it('wrap a single item under its singular and a list under its plural, with what may be included beside', () => {
    expect(schemaOf(document, 'BookDocument')).toMatchObject({
      required: ['book'],
      properties: { book: {}, authors: {}, genres: {}, _books: {} },
    })
    expect(schemaOf(document, 'BookListDocument')).toMatchObject({
      required: ['books'],
      properties: { books: {} },
    })
    expect(Object.keys(schemaOf(document, 'GenreDocument').properties)).toEqual(['genre'])
  })

  it('contain what mappers add, and not what they hide', () => {
    const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    router.prepare(Author)
    router.prepare(Genre)
    router.prepare(Book).map(({ price: _, ...book }) => ({ ...book, shown: '1' }), {
      adds: { shown: z.string() },
      hides: ['price'],
      writable: ['price'],
    })
    const mapped = router.toOpenApi()
    expect(schemaOf(mapped, 'Book').properties).toHaveProperty('shown')
    expect(schemaOf(mapped, 'Book').required).toContain('shown')
    expect(schemaOf(mapped, 'Book').properties).not.toHaveProperty('price')
    expect(schemaOf(mapped, 'BookCreate').properties.shown).toEqual({ readOnly: true })
    expect(schemaOf(mapped, 'BookReplace').required).not.toContain('price')
    expect(schemaOf(mapped, 'BookCreate').properties.price).toMatchObject({
      type: 'number',
      writeOnly: true,
    })
  })

  it('keep the name of each model, whatever names are derived from others', () => {
    const cars = documentOf([
      model('carPart', { name: z.string() }),
      model('car', { name: z.string() }),
    ])
    expect(schemaOf(cars, 'CarPart').required).toEqual(['id', 'name'])
    expect(schemaOf(cars, 'CarPart2').required).toEqual(['id'])
  })

  it('describe whole items only where `fields` is not documented', () => {
    const whole = documentOf(models, rest(), { fields: false })
    expect(Object.keys(whole.components.schemas!)).not.toContain('BookPart')
    expect(schemaOf(whole, 'BookDocument').properties.book?.$ref).toBe('#/components/schemas/Book')
    expect(operationAt(whole, 'GET /books').parameters?.map(({ name }) => name)).not.toContain(
      'fields',
    )
  })
})

describe.each(policies)('Actions in the document under $name', ({ name, policy }) => {
  const output = z.object({ left: z.int() })
  const reserve = z.object({ quantity: z.int().min(1).optional() })
  const router = createRouter({ policy, store: memory() })
  router
    .prepare(Genre)
    .itemOperation('reserve', () => ({ left: 1 }), {
      input: reserve,
      output,
      responses: { 409: 'Nothing is left' },
    })
    .itemOperation('touch', () => undefined)
  const document = router.toOpenApi()
  const reserved = operationAt(document, 'POST /genres/{id}/reserve')
  const touched = operationAt(document, 'POST /genres/{id}/touch')

  it('describe their input, which is optional where all its members are', () => {
    expect(schemaOf(document, 'GenreReserveInput')).toMatchObject({
      properties: { quantity: { type: 'integer', minimum: 1 } },
      ...(name === 'REST'
        ? { additionalProperties: false }
        : { propertyNames: { anyOf: [{ enum: ['quantity'] }, { pattern: '^@' }] } }),
    })
    expect(reserved.requestBody).toMatchObject({ required: false })
    expect(reserved.requestBody?.content['application/json']?.schema.$ref).toMatch(
      /GenreReserveInput$/,
    )
    expect(touched.requestBody).toBeUndefined()
    const book = documentOf(models, policy)
    expect(operationAt(book, 'POST /books/{id}/discount').requestBody).toMatchObject({
      required: true,
    })
    expect(operationAt(book, 'POST /books/{id}/discount').description).toBe('Makes it cheaper')
  })

  it('describe their output, or the item', () => {
    const [response] = Object.values(reserved.responses[200]!.content!)
    const [item] = Object.values(touched.responses[200]!.content!)
    expect((name === 'REST' ? response!.schema : response!.schema.properties.meta)?.$ref).toMatch(
      /GenreReserveOutput$/,
    )
    expect(item!.schema.$ref).toMatch(/GenreDocument$/)
  })

  it('merge their declared responses with those of the service, one entry for each status', () => {
    expect(reserved.responses[409]!.description).toContain('`conflict`')
    expect(reserved.responses[409]!.description).toContain('Nothing is left')
    expect(touched.responses[409]!.description).not.toContain('Nothing is left')
  })
})

describe('Binary resources in the document', () => {
  const document = documentOf(models)

  it('are bytes of their allowed types, whole or as ranges', () => {
    const { responses, parameters } = operationAt(document, 'GET /books/{id}/cover')
    expect(Object.keys(responses[200]!.content!)).toContain('image/webp')
    expect(Object.keys(responses[200]!.headers)).toEqual(
      expect.arrayContaining([
        'ETag',
        'Cache-Control',
        'Content-Length',
        'Accept-Ranges',
        'Content-Disposition',
      ]),
    )
    expect(responses[206]!.headers['Content-Range']).toMatchObject({ required: true })
    expect(responses[416]!.headers['Content-Range']).toMatchObject({ required: true })
    expect(responses[304]).not.toHaveProperty('content')
    expect(parameters?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Range', 'If-Range', 'If-None-Match']),
    )
  })

  it('are set by their bytes or by a form part, up to their limit, and the response is the item', () => {
    const { requestBody, responses } = operationAt(document, 'POST /books/{id}/cover')
    const { content } = requestBody!
    expect(content['image/png']?.schema).toEqual({
      contentMediaType: 'image/png',
      maxLength: 5_000_000,
    })
    expect(content['multipart/form-data']).toMatchObject({
      schema: { required: ['cover'], additionalProperties: false },
      encoding: { cover: {} },
    })
    expect(responses[200]!.content?.['application/json']?.schema.$ref).toMatch(/BookDocument$/)
    expect(responses[413]).toBeDefined()
  })

  it.each(policies)(
    'are described in each operation, because generators read a shared body as one without a type: $name',
    (one) => {
      const { paths, components } = documentOf(models, one.policy)
      expect(paths['/books/{id}/cover']?.post?.requestBody?.content).toHaveProperty(
        'multipart/form-data',
      )
      expect(components).not.toHaveProperty('requestBodies')
    },
  )

  it('have one path for each variant of an image, of that type alone', () => {
    const paths = Object.keys(document.paths).filter((path) =>
      path.startsWith('/books/{id}/cover/'),
    )
    expect(paths).toEqual(['/books/{id}/cover/png/512', '/books/{id}/cover/webp/512'])
    const { responses } = operationAt(document, 'GET /books/{id}/cover/png/512')
    expect(Object.keys(responses[200]!.content!)).toEqual(['image/png'])
  })

  it('are written as binary strings in OpenAPI 3.0', () => {
    const old = documentOf(models, rest(), { version: '3.0.4' })
    const { content } = operationAt(old, 'POST /books/{id}/cover').requestBody!
    expect(content['image/png']?.schema).toEqual({
      type: 'string',
      format: 'binary',
      maxLength: 5_000_000,
    })
    expect(content['multipart/form-data']?.schema.properties.cover).toMatchObject({
      format: 'binary',
    })
  })

  it('are in items with their address, type, size, hash and name, or null', () => {
    expect(schemaOf(document, 'Book').properties.cover?.anyOf).toEqual([
      { $ref: '#/components/schemas/BinaryResource' },
      { type: 'null' },
    ])
    expect(schemaOf(document, 'Book').properties.scans?.items.required).toContain('scan')
    const links = schemaOf(documentOf(models, jsonApi()), 'Book').properties.links!
    expect(links.required).toEqual(['self', 'cover'])
  })
})

describe('toOpenApiSchema', () => {
  const [, book] = describeModels(models)

  it('maps a field description to a schema, through nested structs and arrays', () => {
    expect(toOpenApiSchema(book!, book!.fieldsByName.get('pageCount')!)).toMatchObject({
      type: 'integer',
      description: 'Number of pages',
      examples: [280],
    })
    expect(toOpenApiSchema(book!, book!.fieldsByName.get('editions')!)).toMatchObject({
      type: 'array',
      items: {
        type: 'object',
        properties: { year: { type: 'integer', description: 'Of printing' } },
      },
    })
  })

  it('writes relations as ids', () => {
    expect(toOpenApiSchema(book!, book!.fieldsByName.get('author')!)).toEqual({
      type: 'string',
      'x-resourcery-relates-to': 'authors',
    })
    expect(toOpenApiSchema(book!, book!.fieldsByName.get('genres')!)).toEqual({
      type: 'array',
      items: { type: 'string', 'x-resourcery-relates-to': 'genres' },
    })
  })

  it('writes for OpenAPI 3.0 too', () => {
    expect(
      toOpenApiSchema(book!, book!.fieldsByName.get('pageCount')!, { version: '3.0.4' }),
    ).toEqual({
      type: 'integer',
      minimum: 0,
      exclusiveMinimum: true,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Number of pages',
      example: 280,
    })
  })
})

describe('What middleware declares', () => {
  const requireUser: Middleware = {
    request: {
      create: ({ request }) => {
        if (!request.headers.authorization) throw refuse('unauthorized', 'Sign in first.')
        return request.headers.authorization === 'Bearer tea'
          ? respond(418, { 'x-tea': 'green' })
          : undefined
      },
      any: (context) => context.setHeader('X-Request-Id', '1'),
    },
    declares: {
      security: { token: { type: 'http', scheme: 'bearer', scopes: [] } },
      errors: ['unauthorized'],
      responses: {
        418: { description: 'Short and stout', headers: { 'X-Tea': 'Its kind' } },
        409: {},
      },
      headers: { 'X-Request-Id': 'Names the request' },
    },
  }
  const onlyCreate: Middleware = {
    request: { create: () => undefined },
    declares: { errors: ['too-many-requests'] },
  }
  const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
  router.use(requireUser).prepare(Book).use(onlyCreate)
  router.prepare(Author)
  router.prepare(Genre)
  const document = router.toOpenApi()

  it('is documented for each operation that its hooks run for', () => {
    const create = operationAt(document, 'POST /books')
    const list = operationAt(document, 'GET /books')
    expect(create.security).toEqual([{ token: [] }])
    expect(document.components.securitySchemes).toEqual({
      token: { type: 'http', scheme: 'bearer' },
    })
    expect(create.responses[401]!.content).toHaveProperty(['application/problem+json'])
    expect(create.responses[429]).toBeDefined()
    expect(list.responses[401]).toBeDefined()
    expect(list.responses[429]).toBeUndefined()
  })

  it("is merged with the operation's own responses: one entry for each status", () => {
    const {
      409: conflict,
      418: teapot,
      201: created,
    } = operationAt(document, 'POST /books').responses
    expect(teapot).toMatchObject({
      description: 'Short and stout',
      headers: { 'X-Tea': {}, 'X-Request-Id': {} },
    })
    expect(teapot).not.toHaveProperty('content')
    expect(conflict!.description).toContain('`already-exists`')
    expect(conflict!.description).toContain(noResponseDescription)
    expect(created!.headers['X-Request-Id']?.description).toBe('Names the request')
  })

  it('matches the response', async () => {
    const send = (authorization?: string) =>
      router.handle(
        new Request('http://localhost/genres', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
          body: JSON.stringify({ genre: { id: 'g', name: 'Gothic' } }),
        }),
      )
    expect((await send()).status).toBe(401)
    expect((await send('Bearer tea')).status).toBe(418)
    expect((await send('Bearer x')).status).toBe(201)
  })
})

describe('noResponseDescription', () => {
  it('is the description where a rule has no description of its response', () => {
    expect(noResponseDescription).toBe('[no description]')
    const rule = routerOf([Genre]).rules[0]!
    const bare = toOpenApi([{ ...rule, response: { ...rule.response, description: '' } } as Rule])
    expect(operationAt(bare, 'GET /genres').responses[200]?.description).toBe(noResponseDescription)
    expect(JSON.stringify(documentOf(models, jsonApi())).includes(noResponseDescription)).toBe(
      false,
    )
  })
})

describe('The versions', () => {
  it.each(['3.0.4', '3.1.2', '3.2.0'] as const)('%s is written by option', (version) => {
    expect(documentOf(models, rest(), { version }).openapi).toBe(version)
  })

  it('3.1.2 is written unless another is asked for', () => {
    expect(documentOf(models).openapi).toBe('3.1.2')
  })

  it('3.0.4 has none of the keywords that came later', () => {
    for (const policy of [rest(), jsonApi()]) {
      const text = JSON.stringify(documentOf(models, policy, { version: '3.0.4' }))
      const later = [
        '"const"',
        '"examples"',
        '"patternProperties"',
        '"propertyNames"',
        '"null"',
        '"prefixItems"',
        '"type":[',
      ].filter((entry) => text.includes(entry))
      expect(later).toEqual([])
      expect([/"\$ref":"[^"]*","/, /,"\$ref"/].filter((sibling) => sibling.test(text))).toEqual([])
    }
  })
})

describe('Lists as JSON Lines', () => {
  const content = (version?: OpenApiVersion, policy = rest({ jsonLines: true })) =>
    operationAt(documentOf(models, policy, version ? { version } : {}), 'GET /books')
      .responses[200]!.content!

  it('are described item by item in OpenAPI 3.2, beside the list as a whole', () => {
    expect(content('3.2.0')).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/BookListDocument' } },
      'application/jsonl': { itemSchema: { $ref: '#/components/schemas/BookOrPart' } },
    })
  })

  it('are strings in earlier versions, which do not support sequences', () => {
    for (const version of ['3.0.4', '3.1.2'] as const)
      expect(content(version)['application/jsonl']).toEqual({
        schema: { type: 'string', description: 'JSON Lines: one item per line' },
      })
  })

  it('are not described where they are not enabled', () => {
    expect(Object.keys(content('3.2.0', rest()))).toEqual(['application/json'])
  })
})

describe('The options', () => {
  it('add what rules do not know', () => {
    const info = { title: 'Books', version: '7', license: { name: 'MIT', identifier: 'MIT' } }
    const document = documentOf(models, rest(), {
      info,
      servers: [{ url: 'https://books.example/{stage}', variables: { stage: { default: 'v1' } } }],
      tags: [{ name: 'books', description: 'What is read' }, { name: 'jobs' }],
      externalDocs: { url: 'https://books.example/handbook' },
    })
    expect(document).toMatchObject({
      info,
      externalDocs: { url: 'https://books.example/handbook' },
    })
    expect(document.servers[0]?.url).toBe('https://books.example/{stage}')
    expect(document.tags).toEqual([
      { name: 'authors', 'x-displayName': 'Authors', description: 'Who writes' },
      { name: 'books', 'x-displayName': 'Books', description: 'What is read' },
      {
        name: 'books cover variants',
        'x-displayName': 'Books: cover in other sizes',
        description: 'The cover of books in other formats and sizes',
      },
      { name: 'genres', 'x-displayName': 'Genres', description: 'The genres' },
      { name: 'jobs' },
    ])
  })

  it('are optional: the server is then the mount path, wherever the document is', () => {
    const router = createRouter({
      policy: rest(),
      basePath: '/api',
      store: memory(),
      blobs: memoryBlobs(),
    })
    router.prepare(Genre)
    expect(router.toOpenApi().servers).toEqual([{ url: '/api' }])
    expect(router.toOpenApi().info).toEqual({ title: 'API', version: '1' })
  })
})

describe('Errors under JSON:API', () => {
  it('link to their documentation where the service has its address', () => {
    const documented = documentOf(models, jsonApi({ errorDocsUrl: 'https://books.example/errors' }))
    const explained = schemaOf(documented, 'JsonApiError')
    expect(explained.required).toContain('links')
    expect(explained.properties.links).toMatchObject({
      required: ['type'],
      properties: {
        type: {
          format: 'uri-reference',
          description: expect.stringContaining('https://books.example/errors'),
        },
      },
    })
    expect(schemaOf(documentOf(models, jsonApi()), 'JsonApiError').required).not.toContain('links')
  })
})
