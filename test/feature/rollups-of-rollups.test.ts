import {
  type AnyModel,
  createRouter,
  derived,
  hash,
  model,
  type Router,
  rollup,
  toMany,
  toOne,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Fields } from 'resourcery/types'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
  bookCount: rollup('books', { count: true }),
  reviewCount: rollup('books', { sum: 'reviewCount' }),
  rating: rollup('books', { avg: 'rating' }),
  best: rollup('books', { max: 'best' }),
  popular: rollup('books', { sum: 'popularity' }),
  hash: hash(),
}) {}
class Book extends model('book', {
  title: z.string(),
  author: toOne<Author>('author', { optional: true, onDelete: 'set-null' }),
  reviews: toMany<Review>('review', { inverse: 'book' }),
  reviewCount: rollup('reviews', { count: true }),
  rating: rollup('reviews', { avg: 'stars' }),
  best: rollup('reviews', { max: 'stars' }),
  popularity: derived({
    from: ['reviewCount', 'rating'],
    schema: z.number(),
    compute: ({ reviewCount, rating }: { reviewCount: number; rating: number | null }) =>
      reviewCount * (rating ?? 0),
  }),
}) {}
class Review extends model('review', {
  stars: z.int(),
  book: toOne<Book>('book', { onDelete: 'cascade' }),
}) {}
const models = [Author, Book, Review]

const none = { bookCount: 0, reviewCount: 0, rating: null, best: null, popular: 0 }

describe.each(stores)('Rollups of rollups, on $name', ({ make, makeData }) => {
  let router: Router
  let api: Client

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make() })
    for (const each of models) router.prepare(each)
    api = client(router)
    for (const id of ['herbert', 'austen']) await api.post('/authors', { author: { id, name: id } })
    for (const id of ['dune', 'messiah'])
      await api.post('/books', { book: { id, title: id, author: 'herbert' } })
  })

  const authorOf = async (id: string) => (await api.get(`/authors/${id}`)).at('/author')
  const review = (id: string, stars: number, book: string) =>
    api.post('/reviews', { review: { id, stars, book } })

  it('follow what is written at the end of the path.', async () => {
    expect(await authorOf('herbert')).toMatchObject({ ...none, bookCount: 2 })
    await review('1', 5, 'dune')
    await review('2', 2, 'dune')
    await review('3', 4, 'messiah')
    expect(await authorOf('herbert')).toMatchObject({
      reviewCount: 3,
      rating: 3.75,
      best: 5,
      popular: 11,
    })
    await api.patch('/reviews/1', { review: { stars: 3 } })
    expect(await authorOf('herbert')).toMatchObject({ rating: 3.25, best: 4, popular: 9 })
    await api.patch('/reviews/3', { review: { book: 'dune' } })
    expect(await authorOf('herbert')).toMatchObject({ reviewCount: 3, rating: 3, best: 4 })
    await api.delete('/reviews/3')
    expect(await authorOf('herbert')).toMatchObject({ reviewCount: 2, rating: 2.5, best: 3 })
  })

  it('follow the items in between.', async () => {
    await review('1', 5, 'dune')
    await review('2', 2, 'messiah')
    await api.patch('/books/dune', { book: { author: 'austen' } })
    expect(await authorOf('herbert')).toMatchObject({ bookCount: 1, reviewCount: 1, best: 2 })
    expect(await authorOf('austen')).toMatchObject({ bookCount: 1, reviewCount: 1, best: 5 })
    await api.delete('/books/dune')
    expect(await authorOf('austen')).toMatchObject(none)
    await api.delete('/authors/herbert')
    expect((await api.get('/books/messiah')).at('/book')).toMatchObject({ reviewCount: 1 })
  })

  it('are current in a transaction, and are written once.', async () => {
    const seen = await router.transaction(async (items) => {
      await items(Review).create({ stars: 4, book: 'dune' } as never)
      const { reviewCount } = (await items(Author).get('herbert'))!
      await items(Review).create({ stars: 1, book: 'messiah' } as never)
      await items(Book).update('messiah', { author: 'austen' } as never)
      const ids = await items(Author).all((query) => query.where('best').equal(1))
      return [reviewCount, ...ids.map(({ id }) => id)]
    })
    expect(seen).toEqual([1, 'austen'])
    expect(await authorOf('herbert')).toMatchObject({ bookCount: 1, reviewCount: 1, best: 4 })
  })

  it('are filtered and sorted by.', async () => {
    await review('1', 5, 'dune')
    expect((await api.get('/authors?sort=-reviewCount')).ids('authors')).toEqual([
      'herbert',
      'austen',
    ])
    expect((await api.get('/authors?filter[popular][gt]=1')).ids('authors')).toEqual(['herbert'])
  })

  it('are computed by a start, after those that they are made of, once these are made otherwise', async () => {
    const newStore = await makeData()
    const ofStars = (version: number) => {
      const Rated = model('book', {
        title: z.string(),
        author: toOne('author', { optional: true, onDelete: 'set-null' }),
        reviews: toMany('review', { inverse: 'book' }),
        ...(version > 0 && {
          reviewCount: rollup('reviews', { count: true }),
          popularity: derived({
            from: ['reviewCount'],
            schema: z.number(),
            compute: ({ reviewCount }: { reviewCount: number }) => reviewCount * version,
            version,
          }),
        }),
      })
      const Writer = model('author', {
        name: z.string(),
        books: toMany('book', { inverse: 'author' }),
        ...(version > 0 && { popular: rollup('books', { sum: 'popularity' }) }),
      })
      return [Writer, Rated, Review] as const
    }
    const popularIn = async (version: number) => {
      const all = ofStars(version)
      const [Writer, Rated] = all
      const started = service(newStore(), all)
      if (version === 0) {
        await started.router.load(Writer, [{ id: 'herbert', name: 'H' }] as never)
        await started.router.load(Rated, [
          { id: 'dune', title: 'D', author: 'herbert' },
          { id: 'messiah', title: 'M', author: 'herbert' },
        ] as never)
        await started.router.load(Review, [
          { id: '1', stars: 1, book: 'dune' },
          { id: '2', stars: 1, book: 'messiah' },
          { id: '3', stars: 1, book: 'messiah' },
        ] as never)
      }
      const popular = (await started.api.get('/authors/herbert')).at('/author/popular')
      await started.router.close()
      return popular
    }
    expect(await popularIn(0)).toBeUndefined()
    expect(await popularIn(1)).toBe(3)
    expect(await popularIn(2)).toBe(6)
  })
})

describe('The registration of rollups of rollups', () => {
  const open = async (...all: readonly AnyModel[]) => {
    const router = createRouter({ policy: rest(), store: memory() })
    onTestFinished(() => router.close())
    for (const each of all) router.prepare(each)
    await router.open()
  }
  const person = (fields: Fields): AnyModel =>
    model('person', {
      mentor: toOne('person', { optional: true }),
      mentees: toMany('person', { inverse: 'mentor' }),
      ...fields,
    })

  it('refuses one that is made of itself.', async () => {
    await expect(open(person({ total: rollup('mentees', { sum: 'total' }) }))).rejects.toThrow(
      "The field 'total' of the model 'person' is a rollup of rollups that are made of it. Remove one of them.",
    )
  })

  it('refuses those that lead back to their model, whose items would be locked in a circle.', async () => {
    const count = rollup('mentees', { count: true })
    await expect(
      open(person({ count, total: rollup('mentees', { sum: 'count' }) })),
    ).rejects.toThrow(
      "The field 'total' of the model 'person' is a rollup of 'count', which is made of a rollup. A rollup over items of its own model cannot be made of rollups.",
    )
    const City = model('city', {
      mayor: toOne('citizen', { optional: true }),
      citizens: toMany('citizen', { inverse: 'city' }),
      count: rollup('citizens', { count: true }),
      total: rollup('citizens', { sum: 'double' }),
    })
    const Citizen = model('citizen', {
      city: toOne('city', { optional: true }),
      cities: toMany('city', { inverse: 'mayor' }),
      count: rollup('cities', { count: true }),
      double: derived({ from: ['count'], schema: z.number(), compute: ({ count }) => count * 2 }),
      total: rollup('cities', { sum: 'count' }),
    })
    await expect(open(City, Citizen)).rejects.toThrow(
      "is a rollup of 'double' of the model 'citizen', which is made of rollups of 'city' itself",
    )
  })

  it('refuses what is unique and derived from one.', async () => {
    const count = rollup('mentees', { count: true })
    const label = derived({
      from: ['count'],
      schema: z.string(),
      compute: ({ count: number }) => `${number}`,
      unique: true,
    })
    await expect(open(person({ count, label }))).rejects.toThrow(
      "The field 'label' of the model 'person' is derived from a rollup, so it cannot be part of what is unique",
    )
  })

  it('completes access rules along the whole path.', async () => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      security: { authentication: [token], callerSchema: Caller },
    })
    router.prepare(Author)
    router.prepare(Book)
    router.prepare(Review).access(({ signedIn }) => ({ read: signedIn }))
    await router.items(Author).create({ id: 'herbert', name: 'H' } as never)
    const api = client(router)
    const seen = (await api.get('/authors/herbert')).at('/author')
    expect(seen).toMatchObject({ bookCount: 0 })
    for (const name of ['reviewCount', 'rating', 'best', 'popular'])
      expect(seen).not.toHaveProperty(name)
    expect((await api.get('/authors?sort=popular')).status).toBe(400)
    expect((await api.get('/authors/herbert', as('ann'))).at('/author')).toMatchObject(none)
  })
})
