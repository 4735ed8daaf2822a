import { createRouter, hash, model, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { bytesPerIdentifier, SharedDocumentBudget } from '../../src/document/document-budget.ts'
import { type Client, client } from '../spec/support/document-client.ts'
import { expectDone, expectError } from '../spec/support/expecting.ts'
import { methodsOf } from '../support/methods-of.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
})
const Book = model('book', { title: z.string(), author: toOne('author', { optional: true }) })
const Shelf = model('shelf', { name: z.string(), books: toMany('book') })

const ids = Array.from({ length: 2_500 }, (_, index) => `b-${String(index).padStart(4, '0')}`)
const backwards = ids.toReversed()
const books = '/authors/a/relationships/books'
const named = (...some: string[]) => ({ data: some.map((id) => ({ type: 'books', id })) })

/** A store that counts the items it returns in transactions. */
function counting(store: Store, count: (items: number) => void): Store {
  return {
    ...store,
    write: (work) =>
      store.write((transaction) =>
        work({
          ...methodsOf(transaction),
          list: async function* (described, plan) {
            for await (const batch of transaction.list(described, plan)) {
              count(batch.length)
              yield batch
            }
          },
        }),
      ),
  }
}

describe.each(stores)('A relation of thousands of items, on $name', ({ make }) => {
  let api: Client
  let read = 0

  beforeEach(async () => {
    const store = counting(await make(), (items) => {
      read += items
    })
    const router = createRouter({ policy: jsonApi(), store })
    for (const entry of [Author, Book, Shelf]) router.prepare(entry)
    await router.load(Author, [{ id: 'a', name: 'A' }])
    await router.load(
      Book,
      [...ids, 'x'].map((id) => ({ id, title: id, author: id === 'x' ? null : 'a' })),
    )
    await router.load(Shelf, [{ id: 's', name: 'S', books: backwards }])
    api = client(router)
    read = 0
  })

  it('is sent whole, in the order of ids where it is an inverse relation, else in its own order', async () => {
    expect((await api.get(books)).ids).toEqual(ids)
    expect((await api.get('/shelves/s/relationships/books')).ids).toEqual(backwards)
    expect((await api.get('/shelves/s/relationships/books?sort=title')).ids).toEqual(ids)
    expect((await api.get(`${books}?sort=-title&withCount=true`)).at('/meta/page/total')).toBe(
      ids.length,
    )
  })

  it('is refused before it starts while others use the whole memory for large documents', async () => {
    const isFull = vi.spyOn(SharedDocumentBudget.prototype, 'isFull', 'get').mockReturnValue(true)
    expectError(await api.get(books), 503)
    isFull.mockRestore()
    for (let index = 0; index < 200; index++) await api.head(books)
    expect((await api.get(books)).ids).toEqual(ids)
  })

  it('is sent with its included items although they and the ids are more than the whole budget', async () => {
    const isFull = vi
      .spyOn(SharedDocumentBudget.prototype, 'isFull', 'get')
      .mockImplementation(function (this: SharedDocumentBudget) {
        return this.usedBytes >= ids.length * bytesPerIdentifier
      })
    for (const path of [books, `${books}?include=books`, '/authors/a?include=books']) {
      const response = await api.get(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.ids.length + response.included.length).toBeGreaterThanOrEqual(ids.length)
    }
    isFull.mockRestore()
  })

  it('has an ETag, responds with 304 to it, and is written only while the ETag is current', async () => {
    const { headers } = await api.get(books)
    const etag = headers.get('etag')!
    expect((await api.head(books)).headers.get('etag')).toBe(etag)
    const conditional = await api.get(books, { 'if-none-match': etag })
    expect([conditional.status, conditional.text]).toEqual([304, ''])
    expectDone(await api.post(books, named('x'), { 'if-match': etag }))
    expectError(await api.post(books, named('x'), { 'if-match': etag }), 412)
    expect((await api.get(books)).headers.get('etag')).not.toBe(etag)
    expect((await api.get(books, { 'if-none-match': etag })).ids).toEqual([...ids, 'x'])
  })

  it('has another ETag for other parameters', async () => {
    const tags = await Promise.all(
      ['', '?sort=title', '?sort=-title', '?filter[title]=x', '?filter[title]=y'].map(
        async (query) => (await api.get(books + query)).headers.get('etag')!,
      ),
    )
    expect(new Set(tags).size).toBe(tags.length)
  })

  it('adds and removes an item without reading the others', async () => {
    expectDone(await api.post(books, named('x', 'b-0001')))
    expectDone(await api.delete(books, named('x', 'b-0002')))
    expectDone(await api.delete(books, named('nowhere')))
    expect(read).toBeLessThan(20)
    expect((await api.get(books)).ids).toHaveLength(ids.length - 1)
  })

  it('is replaced as a whole', async () => {
    expectDone(await api.patch(books, named('x', 'b-0003')))
    expect(read).toBeGreaterThanOrEqual(ids.length)
    expect((await api.get(books)).ids).toEqual(['b-0003', 'x'])
    expect((await api.get('/books/b-0004/author')).at('/data')).toBeNull()
  })

  it('is sent with its included items, each once', async () => {
    const response = await api.get(
      '/shelves/s/relationships/books?include=books.author&fields[books]=author',
    )
    expect(response.ids).toEqual(backwards)
    expect(response.included).toHaveLength(ids.length + 1)
  })
})
