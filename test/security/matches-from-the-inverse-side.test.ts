import { createRouter, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
})
const Book = model(
  'book',
  { title: z.string(), author: toOne('author', { optional: true }), hash: hash() },
  { requireMatch: true },
)

const book = (id: string) => ({ type: 'books', id })
const author = (id: string, ...books: readonly string[]) => ({
  data: {
    type: 'authors',
    id,
    attributes: { name: 'M' },
    relationships: { books: { data: books.map(book) } },
  },
})

describe.each(stores)(
  'A model that requires If-Match requires it from the inverse side too, on $name',
  ({ make }) => {
    const library = async () => {
      const router = createRouter({ policy: jsonApi(), store: await make() })
      router.prepare(Author)
      router.prepare(Book)
      await router.load(Author, [{ id: 'a-1', name: 'Mary' }])
      await router.load(Book, [
        { id: 'b-1', title: 'x', author: 'a-1' },
        { id: 'b-2', title: 'y' },
      ])
      const api = client(router, 'http://localhost', 'application/vnd.api+json')
      const authors = async () => {
        const versions: unknown[] = []
        for await (const item of router.query(Book).exec())
          versions.push((item as { author?: unknown }).author)
        return versions
      }
      return { api, authors }
    }

    it.each([
      ['POST', '/authors/a-1/relationships/books', { data: [book('b-2')] }],
      ['PATCH', '/authors/a-1/relationships/books', { data: [] }],
      ['DELETE', '/authors/a-1/relationships/books', { data: [book('b-1')] }],
      ['PATCH', '/authors/a-1', author('a-1', 'b-2')],
      ['PUT', '/authors/a-1', author('a-1', 'b-2')],
      ['POST', '/authors', author('a-2', 'b-2')],
    ] as const)(
      '%s %s with %j is 428 without it, and with the ETag of the author',
      async (method, path, body) => {
        const { api, authors } = await library()
        const tag = (await api.get('/authors/a-1')).headers.get('etag')!
        for (const headers of [{}, ...(path === '/authors' ? [] : [{ 'if-match': tag }])]) {
          const response = await api.send(method, path, body, headers)
          expect([response.status, response.errors[0]?.code]).toEqual([
            428,
            'precondition-required',
          ])
          expect(response.errors[0]?.detail).toContain("'author'")
        }
        expect(await authors()).toEqual(['a-1', null])
        if (path === '/authors') return
        expect((await api.send(method, path, body, { 'if-match': '*' })).status).toBeLessThan(300)
        expect(await authors()).not.toEqual(['a-1', null])
      },
    )

    it.each([
      ['POST', '/authors/a-1/relationships/books', { data: [book('b-1')] }],
      ['PATCH', '/authors/a-1/relationships/books', { data: [book('b-1')] }],
      ['DELETE', '/authors/a-1/relationships/books', { data: [book('b-2')] }],
      ['PATCH', '/authors/a-1', author('a-1', 'b-1')],
    ] as const)(
      '%s %s with %j changes no book, and needs no If-Match',
      async (method, path, body) => {
        const { api } = await library()
        expect((await api.send(method, path, body)).status).toBeLessThan(300)
      },
    )
  },
)
