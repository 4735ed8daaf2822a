import { createRouter, field, file, hash, model, type Policy, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
})
const Book = model('book', {
  title: z.string(),
  size: z.object({ width: z.number(), height: z.number() }).optional(),
  keywords: field(z.array(z.string()).optional(), { filter: false, sort: false }),
  editions: z.array(z.object({ year: z.int() })).optional(),
  extra: z.union([z.string(), z.object({ note: z.string() })]).optional(),
  discount: field(z.number().optional(), { hidden: true }),
  password: field(z.string().optional(), { writeOnly: true }),
  createdAt: field(z.string().optional(), { readOnly: true }),
  notes: z.string().optional(),
  cover: file(),
  author: toOne('author', { optional: true }),
  hash: hash(),
})

function service(policy: Policy, mediaType?: string) {
  const router = createRouter({ policy, store: memory(), blobs: memoryBlobs() })
  router.prepare(Author)
  router.prepare(Book).map((book) => book, { hides: ['notes'] })
  return client(router, undefined, mediaType)
}

const plain = service(rest())
const resources = service(jsonApi(), 'application/vnd.api+json')

async function detailOf(query: string): Promise<string | undefined> {
  return (await plain.get(`/books?${query}`)).errors[0]?.detail
}

async function detailOfMember(name: string): Promise<string | undefined> {
  const response = await plain.post('/books', { book: { title: 'Dune', [name]: 1 } })
  return response.errors.find(({ code }) => code === 'unknown-member')?.detail
}

async function detailOfAttribute(name: string): Promise<string | undefined> {
  const attributes = { title: 'Dune', [name]: 1 }
  const response = await resources.post('/books', { data: { type: 'books', attributes } })
  return response.errors.find(({ code }) => code === 'unknown-member')?.detail
}

async function detailOfRelationship(name: string): Promise<string | undefined> {
  const data = {
    type: 'books',
    attributes: { title: 'Dune' },
    relationships: { [name]: { data: null } },
  }
  return (await resources.post('/books', { data })).errors[0]?.detail
}

describe('An unknown name in a query string', () => {
  it.each([
    ['filters[title]=Dune', "Unknown query parameter 'filters[title]'. Did you mean 'filter'?"],
    ['page[sizes]=3', "Unknown query parameter 'page[sizes]'. Did you mean 'page[size]'?"],
    ['fields[book]=title', "Unknown query parameter 'fields[book]'. Did you mean 'fields[books]'?"],
    ['fields[books]=titel', "Unknown field 'titel' of 'books'. Did you mean 'title'?"],
    [
      'filter[titel]=Dune',
      "Cannot filter by 'titel': 'book' has no field 'titel'. Did you mean 'title'?",
    ],
    [
      'filter[autor.name]=x',
      "Cannot filter by 'autor.name': 'book' has no field 'autor'. Did you mean 'author'?",
    ],
    [
      'filter[size.widht]=1',
      "Cannot filter by 'size.widht': 'size' has no member 'widht'. Did you mean 'width'?",
    ],
    [
      'filter[editions.year]=1818',
      "Cannot filter by 'editions.year': 'editions' is an array, and no path leads into its items.",
    ],
    [
      'sort=editions.year',
      "Cannot sort by 'editions.year': 'editions' is an array, and no path leads into its items.",
    ],
    [
      'filter[extra.note]=x',
      "Cannot filter by 'extra.note': 'extra' has no fixed type, and no path leads into it.",
    ],
    ['filter[title.x]=1', "Cannot filter by 'title.x': 'title' has no member 'x'."],
    [
      'filter[title][contain]=x',
      "Unknown operator 'contain' for 'title'. Did you mean 'contains'?",
    ],
    ['sort=-titel', "Cannot sort by 'titel': 'book' has no field 'titel'. Did you mean 'title'?"],
    [
      'include=autor',
      "Cannot include 'autor': 'book' has no relation 'autor'. Did you mean 'author'?",
    ],
    [
      'include=author&pageIncluded[autor][size]=1',
      "'autor' is not included. Did you mean 'author'?",
    ],
  ])('%s gets the name that was probably meant', async (query, detail) => {
    expect(await detailOf(query)).toBe(detail)
  })

  it.each([
    [
      'fields[books]=colour',
      "Unknown field 'colour' of 'books'; expected one of id, title, size, keywords, editions, extra, createdAt, cover, author, hash.",
    ],
    [
      'filter[colour]=red',
      "Cannot filter by 'colour': 'book' has no field 'colour'; expected one of id, title, size, createdAt, author.",
    ],
    [
      'sort=colour',
      "Cannot sort by 'colour': 'book' has no field 'colour'; expected one of id, title, size, createdAt, author.",
    ],
    [
      'include=colour',
      "Cannot include 'colour': 'book' has no relation 'colour'; expected 'author'.",
    ],
  ])('%s gets the names that may stand there', async (query, detail) => {
    expect(await detailOf(query)).toBe(detail)
  })
})

describe('An unknown member of a body', () => {
  it('gets the name that was probably meant', async () => {
    expect(await detailOfMember('titel')).toBe(
      "Unknown member 'titel' of the model 'book'. Did you mean 'title'?",
    )
    expect(await detailOfAttribute('passwort')).toBe(
      "Unknown attribute 'passwort' of books. Did you mean 'password'?",
    )
    expect(await detailOfRelationship('autor')).toBe(
      "Unknown relationship 'autor' of books. Did you mean 'author'?",
    )
  })

  it('gets the members that can be set, where none is near', async () => {
    expect(await detailOfMember('colour')).toBe(
      "Unknown member 'colour' of the model 'book'; expected one of id, title, size, keywords, editions, extra, password, author.",
    )
    expect(await detailOfAttribute('colour')).toBe(
      "Unknown attribute 'colour' of books; expected one of title, size, keywords, editions, extra, password.",
    )
    expect(await detailOfRelationship('colour')).toBe(
      "Unknown relationship 'colour' of books; expected 'author'.",
    )
  })

  it('gets a response in time, however many there are', async () => {
    const names = Array.from({ length: 4_900 }, (_, index) => [`title${'x'.repeat(30)}${index}`, 1])
    const started = performance.now()
    const response = await plain.post('/books', { book: Object.fromEntries(names) })
    expect(response.errors).toHaveLength(50)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('A hidden name is not suggested', () => {
  it.each(['discoun', 'discounts', 'note'])('for %s', async (name) => {
    const details = [
      await detailOf(`filter[${name}]=1`),
      await detailOf(`sort=${name}`),
      await detailOf(`fields[books]=${name}`),
      await detailOfMember(name),
      await detailOfAttribute(name),
    ]
    for (const detail of details) {
      expect(detail).toContain(`'${name}'`)
      expect(detail?.replaceAll(`'${name}'`, '')).not.toMatch(/discount|notes/)
    }
  })

  it('and a write-only one is suggested in bodies only', async () => {
    expect(await detailOf('filter[passwort]=1')).not.toContain("'password'")
    expect(await detailOf('fields[books]=passwort')).not.toContain("'password'")
  })
})

describe('An unknown name in code', () => {
  it('is named with the one that was probably meant', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    // @ts-expect-error as from JavaScript
    expect(() => createRouter({ policy: rest(), stor: memory() })).toThrow(
      "Unknown option 'stor' of createRouter(). Did you mean 'store'?",
    )
    const Memo = model('memo', { name: z.string() })
    router.prepare(Memo)
    // @ts-expect-error as from JavaScript
    await expect(async () => router.query(Memo).where('nam').equal('x').size()).rejects.toThrow(
      "'memo' has no field 'nam'. Did you mean 'name'?",
    )
  })
})

describe('A value of another type', () => {
  it.each([
    ["filter=eq(size.width,'3')", 'a number without quotes, such as 9.5'],
    ['filter[size.width][lt]=abc', 'a number, such as 9.5'],
  ])('is refused with what is expected: %s', async (query, expected) => {
    expect(await detailOf(query)).toContain(expected)
  })

  it('is refused without null for a relation that is required', async () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('writer', { name: z.string() }))
    router.prepare(model('text', { writer: toOne('writer') }))
    const response = await client(router).post('/texts', { text: { writer: 5 } })
    expect(response.errors[0]?.detail).toBe("'writer' must be the id (a string) of one of writers.")
  })

  it('is an unknown parameter for a page without a member', async () => {
    expect((await plain.get('/books?page=2')).errors[0]?.code).toBe('unknown-parameter')
  })
})

describe('An unknown path', () => {
  const mount = (policy: Policy, hides: readonly ('cover' | 'author')[]) => {
    const router = createRouter({
      policy,
      basePath: '/api',
      store: memory(),
      blobs: memoryBlobs(),
      docsPage: true,
    })
    router.prepare(Author)
    router.prepare(Book).map((book) => book, { hides })
    return client(router)
  }
  const mounted = mount(jsonApi(), [])
  const detailOfPath = async (path: string) => (await mounted.get(path)).errors[0]?.detail

  it('comes with the path that was probably meant', async () => {
    expect(await detailOfPath('/api/boks')).toBe(
      "Unknown path '/api/boks'. Did you mean '/api/books'?",
    )
    expect(await detailOfPath('/api/Books')).toContain("Did you mean '/api/books'?")
    expect(await detailOfPath('/api/books/')).toContain("Did you mean '/api/books'?")
  })

  it('comes alone where no page describes the paths', async () => {
    const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
    router.prepare(Author)
    router.prepare(Book)
    const { errors } = await client(router).get('/boks')
    expect(errors[0]?.detail).toBe("Unknown path '/boks'.")
  })

  it('keeps its other segments', async () => {
    expect(await detailOfPath('/api/boks/a%2Fb/relationships/auhtor')).toContain(
      "Did you mean '/api/books/a%2Fb/relationships/author'?",
    )
  })

  it.each(['/api/films', '/api/books/1/2/3', '/api/boks/%zz/x', '/api/', '/apis', '/api//books'])(
    'comes alone where no path is near: %s',
    async (path) => {
      expect(await detailOfPath(path)).toBe(`Unknown path '${path}'.`)
    },
  )

  it('comes alone where it is too long for a typing error', async () => {
    const id = 'x'.repeat(200)
    expect(await detailOfPath(`/api/boks/${id}`)).not.toContain('Did you mean')
  })

  it.each([rest(), jsonApi()])('does not suggest what the document hides', async (policy) => {
    const hiding = mount(policy, ['cover', 'author'])
    const document = await hiding.get('/api/openapi.json')
    expect(JSON.stringify(document.body)).not.toMatch(/cover|openapi\.json|books\/{id}\/author/)
    const paths = ['/api/openapi.jsn', '/api/books/1/covr', '/api/books/1/auhtor']
    for (const path of paths)
      expect((await hiding.get(path)).errors[0]?.detail).toBe(`Unknown path '${path}'.`)
  })
})
