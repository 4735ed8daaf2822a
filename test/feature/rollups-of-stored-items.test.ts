import { createRouter, hash, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import type { RollupOptions } from 'resourcery/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { changesClient, pageOf } from '../support/change-pages.ts'
import { client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Review = model('review', {
  stars: z.number(),
  points: z.number().default(1),
  book: toOne('book', { optional: true, onDelete: 'cascade' }),
})
const reviews = toMany('review', { inverse: 'book' })
const Plain = model('book', { title: z.string(), reviews })
const Rated = model('book', {
  title: z.string(),
  reviews,
  reviewCount: rollup('reviews', { count: true }),
  rating: rollup('reviews', { avg: 'stars', index: true }),
})

describe.each(stores)('Rollups of stored items, on $name', ({ makeData }) => {
  const dataOf = async (count: number) => {
    const newStore = await makeData()
    const { router } = service(newStore(), [Plain, Review])
    const bookIds = Array.from({ length: count }, (_, index) => `b${index}`)
    await router.load(
      Plain,
      bookIds.map((id) => ({ id, title: id })),
    )
    await router.load(
      Review,
      bookIds.slice(1).flatMap((book, index) => [
        { id: `${book}-1`, stars: 2, book },
        { id: `${book}-2`, stars: 3 + (index % 3), book },
      ]),
    )
    await router.close()
    return newStore
  }

  it('are computed by the next start, once, and a plan says it', async () => {
    const newStore = await dataOf(3)
    const first = service(newStore(), [Rated, Review])
    const plan = await first.router.plan()
    if (plan)
      expect(plan).toContainEqual({
        kind: 'rewrite',
        summary: "Compute 'reviewCount' and 'rating' of all items of 'books'.",
        sql: [],
      })
    await first.router.open()
    if (plan) expect(await first.router.plan()).toEqual([])
    expect((await first.api.get('/books')).at('/books')).toMatchObject([
      { id: 'b0', reviewCount: 0, rating: null },
      { id: 'b1', reviewCount: 2, rating: 2.5 },
      { id: 'b2', reviewCount: 2, rating: 3 },
    ])
    const { etag } = await first.api.get('/books/b1')
    await first.router.close()
    const steps: string[] = []
    const second = service(newStore(), [Rated, Review], {
      onProgress: ({ step }) => steps.push(step),
    })
    onTestFinished(() => second.router.close())
    expect((await second.api.get('/books/b1')).etag).toBe(etag)
    expect(steps).toEqual([])
  })

  it('are computed again once they are declared otherwise', async () => {
    const newStore = await dataOf(2)
    const ratingsOf = async (declared: RollupOptions) => {
      const Book = model('book', {
        title: z.string(),
        reviews,
        rating: rollup('reviews', declared as { avg: string }),
      })
      const { router, api } = service(newStore(), [Book, Review])
      const rating = (await api.get('/books/b1')).at('/book/rating')
      await api.post('/reviews', { review: { id: 'new', stars: 9, points: 8, book: 'b1' } })
      const next = (await api.get('/books/b1')).at('/book/rating')
      await api.delete('/reviews/new')
      await router.close()
      return [rating, next]
    }
    expect(await ratingsOf({ avg: 'stars' })).toEqual([2.5, 14 / 3])
    expect(await ratingsOf({ avg: 'points' })).toEqual([1, 10 / 3])
    expect(await ratingsOf({ sum: 'points' })).toEqual([2, 10])
    expect(await ratingsOf({ max: 'stars' })).toEqual([3, 9])
    expect(await ratingsOf({ max: 'stars', version: 2 })).toEqual([3, 9])
  })

  it('are exact although items are written while they are computed', async () => {
    const newStore = await dataOf(450)
    const [one, other] = [
      service(newStore(), [Rated, Review]),
      service(newStore(), [Rated, Review]),
    ]
    onTestFinished(() => one.router.close())
    onTestFinished(() => other.router.close())
    await Promise.all([
      one.router.open(),
      other.router.open(),
      ...Array.from({ length: 20 }, async (_, index) => {
        const { status } = await one.api.post('/reviews', {
          review: { stars: 5, book: `b${index * 20}` },
        })
        expect(status).toBe(201)
      }),
    ])
    const groups = new Map<string, number[]>()
    for await (const review of one.router.query(Review).exec()) {
      const { book, stars } = review as unknown as { book: string; stars: number }
      groups.set(book, [...(groups.get(book) ?? []), stars])
    }
    for await (const item of one.router.query(Rated).exec()) {
      const stars = groups.get(item.id) ?? []
      const sum = stars.reduce((total, each) => total + each, 0)
      expect(item).toMatchObject({
        reviewCount: stars.length,
        rating: stars.length === 0 ? null : sum / stars.length,
      })
    }
  })
})

describe.each(stores)('What rollups change besides the item, on $name', ({ make }) => {
  class Book extends model(
    'book',
    {
      title: z.string(),
      isDone: z.boolean().default(false),
      reviews: toMany<Opinion>('opinion', { inverse: 'book' }),
      rating: rollup('reviews', { avg: 'stars' }),
      hash: hash(),
    },
    { history: true, trash: true, immutable: { where: { isDone: true } } },
  ) {}
  class Opinion extends model(
    'opinion',
    { stars: z.number(), book: toOne<Book>('book', { optional: true, onDelete: 'set-null' }) },
    { trash: true },
  ) {}

  const world = async (): Promise<Router> => {
    const router = createRouter({ policy: rest(), store: await make(), changes: true })
    router.prepare(Book)
    router.prepare(Opinion)
    await router.items(Book).create({ id: 'dune', title: 'Dune' })
    return router
  }

  it('The log of changes has the change of the item, and its history no version of it.', async () => {
    const router = await world()
    const api = changesClient(router)
    const { next } = pageOf(await api.get('/books/changes'))
    await api.post('/opinions', { opinion: { id: '1', stars: 4, book: 'dune' } })
    expect(pageOf(await api.get(`/books/changes?since=${next}`)).changes).toMatchObject([
      { kind: 'update', item: { id: 'dune', rating: 4 } },
    ])
    await api.patch('/books/dune', { book: { title: 'Dune 2' } })
    const versions = (await api.get('/books/dune/versions')).at('/versions')
    expect(versions).toMatchObject([
      { number: 2, item: { title: 'Dune 2', rating: 4 } },
      { number: 1, item: { title: 'Dune', rating: null } },
    ])
    await api.post('/books/dune/versions/1/restore')
    expect((await api.get('/books/dune')).at('/book')).toMatchObject({ title: 'Dune', rating: 4 })
  })

  it('Items in the trash do not count, and those that come back do.', async () => {
    const router = await world()
    const api = client(router)
    await api.post('/opinions', { opinion: { id: '1', stars: 4, book: 'dune' } })
    await api.delete('/opinions/1')
    expect((await api.get('/books/dune')).at('/book/rating')).toBeNull()
    expect((await api.post('/opinions/trash/1/restore')).status).toBe(201)
    expect((await api.get('/books/dune')).at('/book/rating')).toBe(4)
    await api.delete('/books/dune')
    await api.post('/books/trash/dune/restore')
    expect((await api.get('/books/dune')).at('/book/rating')).toBeNull()
  })

  it('An item that nobody may change any more has current rollups still.', async () => {
    const api = client(await world())
    await api.patch('/books/dune', { book: { isDone: true } })
    await api.post('/opinions', { opinion: { id: '1', stars: 4, book: 'dune' } })
    const { body } = await api.get('/books/dune')
    expect(body).toMatchObject({ book: { rating: 4 } })
    expect((await api.put('/books/dune', body)).status).toBe(200)
  })
})
