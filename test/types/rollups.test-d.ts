import { type IQuery, model, rollup, toMany, toOne } from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Book extends model('book', {
  title: z.string(),
  reviews: toMany<Review>('review', { inverse: 'book' }),
  count: rollup('reviews', { count: true }),
  points: rollup('reviews', { sum: 'stars' }),
  rating: rollup('reviews', { avg: 'stars' }),
  revenue: rollup<string>('reviews', { sum: 'tip' }),
  lastDay: rollup<string>('reviews', { max: 'day' }),
}) {}
class Review extends model('review', {
  stars: z.int(),
  tip: z.string(),
  day: z.iso.date(),
  book: toOne<Book>('book'),
}) {}

describe('rollups', () => {
  it('are numbers, unless another type is named', () => {
    type Values = InstanceType<typeof Book>
    expectTypeOf<Values['count']>().toEqualTypeOf<number>()
    expectTypeOf<Values['points']>().toEqualTypeOf<number>()
    expectTypeOf<Values['rating']>().toEqualTypeOf<number | null>()
    expectTypeOf<Values['revenue']>().toEqualTypeOf<string>()
    expectTypeOf<Values['lastDay']>().toEqualTypeOf<string | null>()
  })

  it('are compared in queries', () => {
    const narrow = (query: IQuery<Book>) =>
      query.where('rating').greaterThan(3).where('points').equal(1).where('lastDay').equal('x')
    expectTypeOf(narrow).toBeFunction()
  })
})
