import { createRouter, derived, model, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

describe.each(stores)('A value derived from a rollup, on $name', ({ make }) => {
  /** A book with four reviews, whose function fails for more than two. */
  async function open() {
    const Author = model('author', { books: toMany('book', { inverse: 'author' }) })
    const Book = model(
      'book',
      {
        title: z.string(),
        limit: z.int().default(2),
        author: toOne('author', { optional: true, onDelete: 'set-null' }),
        reviews: toMany('review', { inverse: 'book' }),
        count: rollup('reviews', { count: true }),
        score: derived({
          from: ['count', 'limit'],
          schema: z.int(),
          compute: ({ count, limit }: { count: number; limit: number }) => {
            if (count > limit) throw new Error('too many')
            return count
          },
        }),
      },
      { history: true, trash: true },
    )
    const Review = model('review', { book: toOne('book', { optional: true }) })
    const errors: string[] = []
    const onError = (error: unknown) => errors.push(String(error))
    const router = createRouter({ policy: rest(), store: await make(), onError })
    router.prepare(Author)
    router.prepare(Book).use({
      write: {
        before: ({ kind, next }) => {
          if (kind === 'update' && next.title === 'hooked') next.title = 'by the hook'
        },
      },
    })
    router.prepare(Review)
    const api = client(router)
    await api.post('/authors', { author: { id: 'herbert' } })
    await api.post('/books', { book: { id: 'dune', title: 'Dune', author: 'herbert' } })
    for (const id of ['r1', 'r2', 'r3', 'r4'])
      expect((await api.post('/reviews', { review: { id, book: 'dune' } })).status).toBe(201)
    expect(errors).toHaveLength(2)
    errors.length = 0
    const book = async () => (await api.get('/books/dune')).at('/book')
    return { api, errors, book }
  }

  it('keeps no writer from an item whose function fails for its rollups', async () => {
    const { api, errors, book } = await open()
    expect((await api.patch('/books/dune', { book: { title: 'Dune II' } })).status).toBe(200)
    expect((await api.patch('/books/dune', { book: { title: 'hooked' } })).status).toBe(200)
    expect((await api.delete('/authors/herbert')).status).toBe(204)
    expect(await book()).toMatchObject({ title: 'by the hook', author: null, count: 4, score: 2 })
    expect((await api.patch('/books/dune', { book: { limit: 9 } })).status).toBe(200)
    expect(await book()).toMatchObject({ count: 4, score: 4 })
    expect(errors).toEqual([])
  })

  it('fails a write that changes one of its sources so that it fails', async () => {
    const { api, errors, book } = await open()
    expect((await api.patch('/books/dune', { book: { limit: 1 } })).status).toBe(500)
    expect(errors).toEqual([expect.stringContaining("'score' of the model 'book' failed")])
    expect(await book()).toMatchObject({ limit: 2, score: 2 })
  })

  it('keeps nobody from restoring a deleted item, to which nothing relates any more', async () => {
    const { api, errors, book } = await open()
    expect((await api.delete('/books/dune')).status).toBe(204)
    expect((await api.post('/books/trash/dune/restore')).status).toBe(201)
    expect(await book()).toMatchObject({ count: 0, score: 0 })
    expect(errors).toEqual([])
  })
})
