import { hash, image, model, toMany, toOne } from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model(
  'author',
  { name: z.string(), books: toMany('book', { inverse: 'author' }), hash: hash() },
  { upsert: true },
)
const Book = model('book', {
  title: z.string(),
  secret: z.boolean().optional(),
  author: toOne('author', { optional: true }),
  cover: image(),
})

describe.each(stores)('An inverse relation in the body of plain REST, on $name', ({ make }) => {
  let api: Client
  beforeEach(async () => {
    const fixture = service(await make(), [Author], { basePath: '/api', blobs: memoryBlobs() })
    fixture.router
      .prepare(Book)
      .use({ query: { any: (query) => query.where('secret').notEqual(true) } })
    await fixture.router.load(Author, [
      { id: 'a-1', name: 'Mary' },
      { id: 'a-2', name: 'Percy' },
    ])
    await fixture.router.load(Book, [
      { id: 'b-1', title: 'One', author: 'a-1' },
      { id: 'b-2', title: 'Two', author: 'a-1' },
      { id: 'b-3', title: 'Three', author: 'a-1', secret: true },
    ])
    api = fixture.api
  })
  const refused = (pointer = '/author/books') => [422, [['invalid-member', { pointer }]]]
  const send = async (method: string, path: string, books: unknown) => {
    const response = await api.send(method, path, { author: { name: 'Mary', books } })
    return [response.status, response.errors.map(({ code, source }) => [code, source])]
  }

  it.each(['PATCH', 'PUT'])(
    '%s accepts the current ids, as the caller sees them, in any order',
    async (method) => {
      for (const books of [
        ['b-1', 'b-2'],
        ['b-2', 'b-1'],
        ['b-2', 'b-1', 'b-2'],
      ])
        expect(await send(method, '/api/authors/a-1', books)).toEqual([200, []])
      expect(await send(method, '/api/authors/a-2', [])).toEqual([200, []])
    },
  )

  it.each(['PATCH', 'PUT'])('%s refuses changes that it would ignore', async (method) => {
    for (const books of [[], ['b-1'], ['b-1', 'b-2', 'b-4'], ['b-1', 'b-4'], ['b-1', 'b-2', 'b-3']])
      expect(await send(method, '/api/authors/a-1', books), books.join()).toEqual(refused())
    expect(await send(method, '/api/authors/a-2', ['b-1'])).toEqual(refused())
    expect((await api.get('/api/books/b-1')).at('/book/author')).toBe('a-1')
  })

  it('of a new item must be empty: nothing relates to it yet', async () => {
    expect(await send('POST', '/api/authors', [])).toEqual([201, []])
    expect(await send('POST', '/api/authors', ['b-1'])).toEqual(refused())
    expect(await send('PUT', '/api/authors/a-9', ['b-1'])).toEqual(refused())
    expect(await send('PUT', '/api/authors/a-9', [])).toEqual([201, []])
  })

  it('is refused together with all other errors', async () => {
    const response = await api.patch('/api/authors/a-1', {
      author: { name: 5, books: ['b-9'], nose: 1 },
    })
    expect([response.status, response.errors.map((error) => error.source?.pointer).sort()]).toEqual(
      [422, ['/author/books', '/author/name', '/author/nose']],
    )
  })

  it('holds ids, like any relation', async () => {
    expect(await send('PATCH', '/api/authors/a-1', 'b-1')).toEqual([
      400,
      [['invalid-relation', { pointer: '/author/books' }]],
    ])
  })

  it('names the upload address with the mount path of the router', async () => {
    const response = await api.patch('/api/books/b-1', {
      book: { cover: 'data:image/png;base64,AAAA' },
    })
    expect(response.errors[0]?.detail).toContain('POST or DELETE /api/books/b-1/cover')
  })
})
