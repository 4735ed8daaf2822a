import {
  type AnyModel,
  createRouter,
  derived,
  field,
  model,
  type Router,
  rollup,
  toMany,
  toOne,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { Fields, RollupOptions } from 'resourcery/types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'

const Review = model('review', {
  stars: z.number(),
  text: z.string(),
  isGood: z.boolean(),
  double: derived({ from: ['stars'], schema: z.number(), compute: ({ stars }) => stars * 2 }),
  secret: field(z.number().default(1), { hidden: true }),
  likes: toMany('like', { inverse: 'review' }),
  likeCount: rollup('likes', { count: true }),
  book: toOne('book'),
})
const Like = model('like', { review: toOne('review') })

const bookWith = (fields: Fields, options = {}): AnyModel =>
  model(
    'book',
    {
      title: z.string(),
      reviews: toMany('review', { inverse: 'book' }),
      related: toMany('book'),
      ...fields,
    },
    options,
  )

const routerWith = (Book: AnyModel): Router => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: { authentication: [token], callerSchema: Caller },
  })
  for (const each of [Book, Review, Like]) router.prepare(each)
  return router
}

describe('The registration of a rollup', () => {
  it.each<[string, string, RollupOptions, string]>([
    [
      'an unknown relation',
      'review',
      { count: true },
      "is a rollup over 'review', which the model does not have. Did you mean 'reviews'?",
    ],
    [
      'a relation that the item stores itself',
      'related',
      { count: true },
      "is a rollup over 'related', which is not an inverse relation; expected one such as toMany('review', { inverse: 'book' }).",
    ],
    [
      'what is no relation',
      'title',
      { count: true },
      "is a rollup over 'title', which is not an inverse relation;",
    ],
    [
      'an unknown field',
      'reviews',
      { avg: 'star' },
      "is a rollup of 'star' of the model 'review', which has no such field. Did you mean 'stars'?",
    ],
    [
      'a member of an object, and names what can be added up',
      'reviews',
      { sum: 'obj.a' },
      "is a rollup of 'obj.a' of the model 'review', which has no such field; expected one of stars, double, likeCount.",
    ],
    [
      'an unknown field, and names what can be compared',
      'reviews',
      { max: 'zzzzzzzz' },
      "is a rollup of 'zzzzzzzz' of the model 'review', which has no such field; expected one of stars, text, double, likeCount.",
    ],
    [
      'a sum of texts',
      'reviews',
      { sum: 'text' },
      "is a rollup of 'text' of the model 'review', which cannot be added up; expected a number, or a decimal number.",
    ],
    [
      'the least boolean',
      'reviews',
      { min: 'isGood' },
      "is a rollup of 'isGood' of the model 'review', which has no smallest value;",
    ],
    [
      'a relation as a value',
      'reviews',
      { max: 'book' },
      "is a rollup of 'book' of the model 'review', which is not a value;",
    ],
    [
      'a hidden field',
      'reviews',
      { max: 'secret' },
      "is a rollup of 'secret' of the model 'review', which clients cannot read",
    ],
  ])('refuses %s.', async (_, relation, options, message) => {
    const Book = bookWith({ value: rollup(relation, options as { avg: string }) })
    await expect(async () => routerWith(Book).open()).rejects.toThrow(
      `The field 'value' of the model 'book' ${message}`,
    )
  })

  it.each<[object, string]>([
    [{}, "rollup('reviews') must have one of the options count, sum, avg, min and max."],
    [
      { count: true, avg: 'stars' },
      "rollup('reviews') must have one of the options count, sum, avg, min and max; got count and avg.",
    ],
    [{ count: false }, "The option 'count' of rollup('reviews') must be true."],
    [{ count: 'stars' }, "The option 'count' of rollup('reviews') must be true."],
    [
      { avg: true },
      "The option 'avg' of rollup('reviews') must be the name of a field, as in { avg: 'stars' }.",
    ],
    [{ count: true, unique: true }, 'unique'],
    [{ count: true, version: 0 }, 'version'],
    [{ count: true, countsHidden: 'some' }, 'countsHidden'],
  ])('refuses the options %j.', (options, message) => {
    expect(() => rollup('reviews', options as { count: true })).toThrow(message)
  })

  it('refuses it as a part of what is unique.', async () => {
    const Book = bookWith(
      { reviewCount: rollup('reviews', { count: true }) },
      { unique: [['title', 'reviewCount']] },
    )
    await expect(async () => routerWith(Book).open()).rejects.toThrow(
      "The field 'reviewCount' of the model 'book' is a rollup, so it cannot be part of what is unique",
    )
  })
})

describe('Who reads a rollup', () => {
  const Book = bookWith({
    reviewCount: rollup('reviews', { count: true }),
    rating: rollup('reviews', { avg: 'stars' }),
  })
  const OpenBook = bookWith({ rating: rollup('reviews', { avg: 'stars', countsHidden: true }) })

  const world = async (book: AnyModel, prepareReview: (router: Router) => unknown) => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      security: { authentication: [token], callerSchema: Caller, defaultAccess: 'open' },
    })
    router.prepare(book)
    router.prepare(Like)
    prepareReview(router)
    await router.open()
    await router.load(book, [{ id: 'dune', title: 'Dune' }])
    await router.load(Review, [
      { id: '1', stars: 4, text: 'x', isGood: true, book: 'dune' },
    ] as never)
    return client(router)
  }

  it('A rule that the caller alone decides holds for it too, wherever it is used.', async () => {
    const api = await world(Book, (router) =>
      router.prepare(Review).access(({ signedIn }) => ({ read: signedIn })),
    )
    expect((await api.get('/books/dune')).at('/book')).not.toHaveProperty('rating')
    expect((await api.get('/books/dune', as('ann'))).at('/book')).toMatchObject({
      reviewCount: 1,
      rating: 4,
    })
    for (const query of ['sort=rating', 'filter[rating][gt]=1', 'fields[books]=rating']) {
      expect((await api.get(`/books?${query}`)).status).toBe(400)
      expect((await api.get(`/books?${query}`, as('ann'))).status).toBe(200)
    }
  })

  it('The rules that it gets are read back, with those of what is derived from it.', async () => {
    const Rated = bookWith({
      rating: rollup('reviews', { avg: 'stars' }),
      isPopular: derived({
        from: ['rating'],
        schema: z.boolean(),
        compute: ({ rating }: { rating: number | null }) => rating !== null && rating > 4,
      }),
    })
    const router = createRouter({
      policy: rest(),
      store: memory(),
      security: { authentication: [token], callerSchema: Caller },
    })
    for (const each of [Rated, Like]) router.prepare(each)
    const reviews = router.prepare(Review)
    const rules = () => router.describeAccess().book?.fields
    expect(rules()).toEqual({})
    reviews.access(({ signedIn }) => ({ read: signedIn }))
    const read = { kind: 'and', expressions: [{ kind: 'signedIn' }] }
    expect(rules()).toEqual({
      rating: { read },
      isPopular: { read: { kind: 'and', expressions: [read] } },
    })
  })

  it('The rule of the field that is added up holds for its rollups only.', async () => {
    const api = await world(Book, (router) =>
      router.prepare(Review).access(({ signedIn }) => ({ fields: { stars: { read: signedIn } } })),
    )
    const seen = (await api.get('/books/dune')).at('/book')
    expect(seen).toMatchObject({ reviewCount: 1 })
    expect(seen).not.toHaveProperty('rating')
  })

  it('A rule of single items is refused, unless the developer says who counts.', async () => {
    const rules = (router: Router) =>
      router
        .prepare(Review)
        .access(({ item, caller }) => ({ read: item.text.equal(caller.id as never) }))
    await expect(world(Book, rules)).rejects.toThrow(
      "The field 'reviewCount' of the model 'book' is a rollup, which shows something of all items of 'review', but not every caller may read them. Set { countsHidden: true } and say with an access rule who may read the field, or remove it.",
    )
    const api = await world(OpenBook, rules)
    expect((await api.get('/books/dune')).at('/book/rating')).toBe(4)
  })

  it('Query hooks and mappers that hide what it is made of are refused too.', async () => {
    const hooked = world(Book, (router) =>
      router.prepare(Review).use({ query: { read: (query) => query.where('isGood').equal(true) } }),
    )
    await expect(hooked).rejects.toThrow("query hooks hide items of 'review'")
    const checked = world(Book, (router) =>
      router.prepare(Review).use({ request: { read: () => undefined } }),
    )
    await expect(checked).rejects.toThrow("request hooks check who reads 'review'")
    const mapped = world(Book, (router) =>
      router.prepare(Review).map(({ stars: _, ...item }) => item, { hides: ['stars'] }),
    )
    await expect(mapped).rejects.toThrow("a mapper hides 'stars' of 'review'")
    const unlinked = world(Book, (router) =>
      router
        .prepare(Review)
        .map(({ book: _, ...item }) => item, { hides: ['book'], writable: ['book'] }),
    )
    await expect(unlinked).rejects.toThrow("a mapper hides 'book' of 'review'")
  })

  it('What is derived from what a mapper hides is refused too.', async () => {
    const Scored = bookWith({ best: rollup('reviews', { max: 'double' }) })
    const hiding = world(Scored, (router) =>
      router
        .prepare(Review)
        .map(({ stars: _, ...item }) => item, { hides: ['stars'], writable: ['stars'] }),
    )
    await expect(hiding).rejects.toThrow("a mapper hides 'double' of 'review'")
  })
})
