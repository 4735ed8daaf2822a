import { createRouter, field, hash, model, printRules, toMany, toOne } from 'resourcery'
import { memory } from 'resourcery/memory'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { jsonApi } from './json-api.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
})
const Book = model('book', { title: z.string(), author: toOne('author', { optional: true }) })

function routerOf(...models: Parameters<ReturnType<typeof createRouter>['prepare']>[0][]) {
  const router = createRouter({ policy: jsonApi(), store: memory() })
  for (const one of models) router.prepare(one)
  return router
}

it('writes a literal path for each relation', () => {
  const lines = printRules(routerOf(Author, Book).rules).split('\n')
  expect(
    lines.filter((line) => line.includes('/authors/')).map((line) => line.split(/ +/).join(' ')),
  ).toEqual([
    'GET /authors/:id GetItem',
    'PATCH /authors/:id UpdateItem',
    'PUT /authors/:id ReplaceItem',
    'DELETE /authors/:id DeleteItem',
    'GET /authors/:id/books RelatedGet',
    'QUERY /authors/:id/books RelatedGet',
    'GET /authors/:id/relationships/books RelationshipGet',
    'QUERY /authors/:id/relationships/books RelationshipGet',
    'POST /authors/:id/relationships/books RelationshipPost',
    'PATCH /authors/:id/relationships/books RelationshipPatch',
    'DELETE /authors/:id/relationships/books RelationshipDelete',
  ])
})

it('refuses a field whose wire name is type', () => {
  expect(() => routerOf(model('shape', { type: z.string() })).rules).toThrow(
    "The wire name 'type' of a field of the model 'shape' is reserved",
  )
  expect(
    () => routerOf(model('shape', { kind: field(z.string(), { wire: 'type' }) })).rules,
  ).toThrow("'type'")
})

it('guards a write to an inverse relation by the hooks of the model that holds it', async () => {
  const router = createRouter({ policy: jsonApi(), store: memory() })
  router.prepare(Author)
  router.prepare(Book).use({
    query: {
      getItem: (query) => query.where('title').notEqual('Hidden'),
      update: (query) => query.where('title').notEqual('Locked'),
    },
  })
  await router.load(Author, [{ id: 'a-1', name: 'One' }])
  await router.load(Book, [
    { id: 'b-1', title: 'Free' },
    { id: 'b-2', title: 'Locked' },
    { id: 'b-3', title: 'Hidden', author: 'a-1' },
  ])
  const add = async (method: string, ...ids: string[]) => {
    const response = await router.handle(
      new Request('http://localhost/authors/a-1/relationships/books', {
        method,
        headers: { 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data: ids.map((id) => ({ type: 'books', id })) }),
      }),
    )
    return response.status
  }
  expect([await add('POST', 'b-1'), await add('POST', 'b-2'), await add('POST', 'b-3')]).toEqual([
    204, 403, 404,
  ])
  expect(await add('PATCH')).toBe(204)
  const held: unknown[] = []
  for await (const { id, author } of router.query(Book).exec()) held.push([id, author])
  expect(held).toEqual([
    ['b-1', null],
    ['b-2', null],
    ['b-3', 'a-1'],
  ])
})

it('tells a stale tag of an inverse relation', async () => {
  const router = routerOf(Author, Book)
  await router.load(Author, [{ id: 'a-1', name: 'One' }])
  await router.load(Book, [
    { id: 'b-1', title: 'A' },
    { id: 'b-2', title: 'B' },
  ])
  const address = 'http://localhost/authors/a-1/relationships/books'
  const add = async (id: string, etag: string) => {
    const headers = { 'content-type': 'application/vnd.api+json', 'if-match': etag }
    const body = JSON.stringify({ data: [{ type: 'books', id }] })
    return (await router.handle(new Request(address, { method: 'POST', headers, body }))).status
  }
  const etag = (await router.handle(new Request(address))).headers.get('etag') ?? ''
  expect([await add('b-1', etag), await add('b-2', etag)]).toEqual([204, 412])
  const fresh = (await router.handle(new Request(address))).headers.get('etag') ?? ''
  expect(await add('b-2', fresh)).toBe(204)
})

it('lets a new resource relate to itself by its lid, and to no other', async () => {
  const Person = model('person', {
    name: z.string(),
    boss: toOne('person'),
    friends: toMany('person'),
  })
  const router = routerOf(Person)
  const create = async (lid: string, boss: object, friends: readonly object[] = []) => {
    const data = {
      type: 'people',
      lid,
      attributes: { name: 'x' },
      relationships: { boss: { data: boss }, friends: { data: friends } },
    }
    const headers = { 'content-type': 'application/vnd.api+json' }
    const response = await router.handle(
      new Request('http://localhost/people', {
        method: 'POST',
        headers,
        body: JSON.stringify({ data }),
      }),
    )
    return { status: response.status, document: JSON.parse(await response.text()) }
  }
  const self = { type: 'people', lid: 'me' }
  const { status, document } = await create('me', self, [self])
  const id = { type: 'people', id: document.data.id }
  expect([
    status,
    document.data.relationships.boss.data,
    document.data.relationships.friends.data,
  ]).toEqual([201, id, [id]])
  const other = await create('me', { type: 'people', lid: 'you' })
  expect([other.status, other.document.errors[0].source]).toEqual([
    400,
    { pointer: '/data/relationships/boss/data/lid' },
  ])
  expect((await create('me', { type: 'people', id: 'lid me' })).status).toBe(404)
})
