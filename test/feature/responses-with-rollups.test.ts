import { createRouter, hash, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../spec/support/atomic.ts'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
  bookCount: rollup('books', { count: true }),
  pages: rollup('books', { sum: 'pages' }),
  hash: hash(),
}) {}
class Book extends model('book', {
  pages: z.int(),
  author: toOne<Author>('author', { optional: true, onDelete: 'set-null' }),
}) {}
const Person = model(
  'person',
  {
    name: z.string(),
    parent: toOne('person', { optional: true, onDelete: 'set-null' }),
    children: toMany('person', { inverse: 'parent' }),
    childCount: rollup('children', { count: true }),
    hash: hash(),
  },
  { plural: 'persons', upsert: true },
)
const models = [Author, Book, Person]

describe.each(stores)('A response with rollups, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client

  beforeEach(async () => {
    const store = await make()
    router = createRouter({ policy: rest(), store })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store })
    for (const each of models) for (const one of [router, other]) one.prepare(each)
    api = client(router)
    jsonApiClient = client(other, 'http://localhost/json-api', 'application/vnd.api+json')
    for (const id of ['1', '2', '3']) await api.post('/books', { book: { id, pages: Number(id) } })
  })

  /** The response says what a request for the item says then, and its ETag is that of the item. */
  const expectCurrent = async (response: Awaited<ReturnType<Client['get']>>, path: string) => {
    expect(response.status).toBeLessThan(300)
    const current = await api.get(path)
    expect(response.text).toBe(current.text)
    expect(response.etag).toBe(current.etag)
  }

  it('shows those that the request itself has changed', async () => {
    const author = (name: string, books: readonly string[]) => ({
      data: {
        type: 'authors',
        id: 'a',
        attributes: { name },
        relationships: { books: { data: books.map((id) => ({ type: 'books', id })) } },
      },
    })
    const write = async (method: string, path: string, books: readonly string[], etag?: string) => {
      const headers = etag === undefined ? {} : { 'if-match': etag }
      const response = await jsonApiClient.send(method, path, author(method, books), headers)
      expect(response.status).toBeLessThan(300)
      const current = await jsonApiClient.get('/authors/a')
      expect(response.at('/data/attributes')).toEqual(current.at('/data/attributes'))
      expect(response.etag).toBe(current.etag)
      return response
    }
    const created = await write('POST', '/authors', ['1', '2'])
    expect(created.at('/data/attributes')).toMatchObject({ bookCount: 2, pages: 3 })
    const changed = await write('PATCH', '/authors/a', ['3'], created.etag)
    expect(changed.at('/data/attributes')).toMatchObject({ bookCount: 1, pages: 3 })
    const last = await write('PATCH', '/authors/a', ['1', '3'], changed.etag)
    expect(last.at('/data/attributes')).toMatchObject({ bookCount: 2, pages: 4 })
  })

  it('shows those of an item that relates to itself', async () => {
    const created = await api.post('/persons', { person: { id: 'a', name: 'a', parent: 'a' } })
    expect(created.at('/person/childCount')).toBe(1)
    await expectCurrent(created, '/persons/a')
    const patched = await api.patch('/persons/a', { person: { parent: null } })
    expect(patched.at('/person/childCount')).toBe(0)
    await expectCurrent(patched, '/persons/a')
    const body = { person: { name: 'b', parent: 'a' } }
    await expectCurrent(await api.put('/persons/a', body), '/persons/a')
    await expectCurrent(await api.put('/persons/b', body), '/persons/b')
  })

  it('shows them in JSON:API, and the ETag of a relationship is that of the item', async () => {
    const person = (attributes: object, relationships: object) => ({
      data: { type: 'persons', id: 'a', attributes, relationships },
    })
    const parent = { parent: { data: { type: 'persons', id: 'a' } } }
    const created = await jsonApiClient.post('/persons', person({ name: 'a' }, parent))
    expect(created.at('/data/attributes/childCount')).toBe(1)
    expect((await jsonApiClient.get('/persons/a')).etag).toBe(created.etag)
    const removed = await jsonApiClient.patch('/persons/a/relationships/parent', { data: null })
    const current = await jsonApiClient.get('/persons/a')
    expect(current.at('/data/attributes/childCount')).toBe(0)
    expect(removed.etag).toBe(current.etag)
  })

  it('shows in each result of a batch what they are after its operation', async () => {
    const author = { type: 'authors', id: 'a' }
    const update = { op: 'update', data: { ...author, attributes: { name: 'b' } } }
    const move = (id: string) => ({
      op: 'update',
      data: { type: 'books', id, relationships: { author: { data: author } } },
    })
    const response = await jsonApiClient.post(
      '/operations',
      {
        'atomic:operations': [
          { op: 'add', data: { ...author, attributes: { name: 'a' } } },
          move('1'),
          update,
          move('3'),
          update,
        ],
      },
      { 'content-type': atomicType, accept: atomicType },
    )
    expect(response.status).toBe(200)
    const current = (await jsonApiClient.get('/authors/a')).at('/data/attributes')
    expect(current).toMatchObject({ bookCount: 2, pages: 4 })
    const counts = [0, 2, 4].map((index) =>
      response.at(`/atomic:results/${index}/data/attributes/bookCount`),
    )
    expect(counts).toEqual([0, 1, 2])
  })

  it('shows them to code, in a transaction and outside of one', async () => {
    const created = await router.items(Author).create({ name: 'a', books: ['1'] } as never)
    expect(created).toMatchObject({ bookCount: 1, pages: 1 })
    const counts = await router.transaction(async (items) => {
      await items(Book).update('2', { author: created.id } as never)
      const { bookCount } = await items(Author).update(created.id, { name: 'b' })
      const last = await items(Author).update(created.id, { books: [] } as never)
      return [bookCount, last.bookCount]
    })
    expect(counts).toEqual([2, 0])
  })
})
