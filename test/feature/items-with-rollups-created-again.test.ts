import { createRouter, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Book extends model(
  'book',
  {
    title: z.string(),
    reviews: toMany<Review>('review', { inverse: 'book' }),
    reviewCount: rollup('reviews', { count: true }),
    stars: rollup('reviews', { avg: 'stars' }),
    sequel: toOne('book', { optional: true, onDelete: 'set-null' }),
    precursors: toMany('book', { inverse: 'sequel' }),
    precursorCount: rollup('precursors', { count: true }),
  },
  { ids: 'client', upsert: true },
) {}
class Review extends model('review', {
  stars: z.int(),
  book: toOne<Book>('book', { optional: true, onDelete: 'set-null' }),
}) {}

describe.each(stores)('An item with rollups that is created again, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let isCreatedByHook: boolean

  beforeEach(async () => {
    isCreatedByHook = false
    router = createRouter({ policy: rest(), store: await make() })
    router.prepare(Book).use({
      write: {
        after: async ({ kind, previous, items }) => {
          if (kind === 'delete' && isCreatedByHook)
            await items(Book).create({ id: previous!.id, title: 'by the hook' } as never)
        },
      },
    })
    router.prepare(Review)
    api = client(router)
    for (const id of ['a', 'b']) await api.post('/books', { book: { id, title: id } })
    await api.post('/reviews', { review: { id: '1', stars: 2, book: 'b' } })
    await api.post('/reviews', { review: { id: '2', stars: 5, book: 'b' } })
  })

  const bookOf = async (id: string) => (await api.get(`/books/${id}`)).at('/book')

  it('has the rollups of what relates to it, after a deletion in the same transaction', async () => {
    await router.transaction(async (items) => {
      await items(Review).create({ id: '3', stars: 1, book: 'b' } as never)
      await items(Book).delete('b')
      await items(Book).create({ id: 'b', title: 'again', sequel: 'b' } as never)
      await items(Review).update('2', { book: 'b' } as never)
    })
    expect(await bookOf('b')).toMatchObject({ reviewCount: 1, stars: 5, precursorCount: 1 })
    expect((await api.get('/reviews/3')).at('/review/book')).toBeNull()
  })

  it('has them where a hook of its deletion creates it', async () => {
    isCreatedByHook = true
    await api.delete('/books/b')
    const related = (await router.items(Review).all()).filter(({ book }) => book !== null)
    expect(await bookOf('b')).toMatchObject({ title: 'by the hook', reviewCount: related.length })
  })

  it('has them after a deletion of its own, created by PUT, and moved items', async () => {
    await api.delete('/books/b')
    await api.put('/books/b', { book: { title: 'again' } })
    expect(await bookOf('b')).toMatchObject({ reviewCount: 0, stars: null })
    await api.patch('/reviews/1', { review: { book: 'b' } })
    expect(await bookOf('b')).toMatchObject({ reviewCount: 1, stars: 2 })
  })
})
