import fc from 'fast-check'
import {
  createRouter,
  decimal,
  derived,
  model,
  type Router,
  rollup,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Shelf extends model('shelf', {
  books: toMany<Book>('book', { inverse: 'shelf' }),
  count: rollup('books', { sum: 'count' }),
  tips: rollup<string>('books', { sum: 'tips' }),
  best: rollup('books', { max: 'max' }),
  mean: rollup('books', { avg: 'size' }),
}) {}
class Book extends model('book', {
  title: z.string(),
  shelf: toOne<Shelf>('shelf', { optional: true }),
  reviews: toMany<Review>('review', { inverse: 'book' }),
  count: rollup('reviews', { count: true }),
  sum: rollup('reviews', { sum: 'weight' }),
  avg: rollup('reviews', { avg: 'weight' }),
  min: rollup('reviews', { min: 'weight' }),
  max: rollup('reviews', { max: 'weight' }),
  stars: rollup('reviews', { sum: 'stars' }),
  tips: rollup<string>('reviews', { sum: 'tip' }),
  size: derived({
    from: ['count', 'stars'],
    schema: z.int(),
    compute: ({ count, stars }: { count: number; stars: number }) => count * 10 + stars,
  }),
}) {}
class Review extends model('review', {
  weight: z.number().nullable(),
  stars: z.int(),
  tip: decimal(12, 2),
  book: toOne<Book>('book', { optional: true, onDelete: 'cascade' }),
}) {}

const bookIds = ['a', 'b', 'c']
const shelfIds = ['s', 't']
const writerCount = 16

const values = fc.record({
  weight: fc.option(fc.constantFrom(0.1, 0.2, -0.3, 1e-7, 12.5, 1e15), { nil: null }),
  stars: fc.integer({ min: -5, max: 5 }),
  tip: fc.constantFrom('0.10', '-2.50', '1234567890.01'),
  book: fc.option(fc.constantFrom(...bookIds), { nil: null }),
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), values }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('change' as const), values, which: fc.nat(30) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat(30) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('book' as const),
      book: fc.constantFrom(...bookIds),
      shelf: fc.option(fc.constantFrom(...shelfIds), { nil: null }),
    }),
  },
)

describe.each(stores)('Rollups under 16 writers, on $name', ({ make }) => {
  it('are what the items make, whatever was written at once', { timeout: 240_000 }, async () => {
    const store = await make()
    const router = createRouter({ policy: rest(), store })
    for (const each of [Shelf, Book, Review]) router.prepare(each)
    const api = client(router)
    let runCount = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
          minLength: writerCount,
          maxLength: writerCount,
        }),
        async (writers) => {
          const run = `${runCount++}`
          const bookId = (id: string) => `${run}-${id}`
          const inRun = (review: Readonly<Record<string, unknown>>) => ({
            ...review,
            book: review['book'] === null ? null : bookId(String(review['book'])),
          })
          for (const id of shelfIds) await api.post('/shelves', { shelf: { id: bookId(id) } })
          for (const id of bookIds)
            await api.post('/books', {
              book: { id: bookId(id), title: id, shelf: bookId(id === 'a' ? 's' : 't') },
            })
          const reviewIds: string[] = []
          await Promise.all(
            writers.map(async (steps, writer) => {
              for (const [index, each] of steps.entries()) {
                const target = () =>
                  reviewIds[
                    each.kind === 'change' || each.kind === 'delete'
                      ? each.which % Math.max(1, reviewIds.length)
                      : 0
                  ]
                const statuses = async () => {
                  switch (each.kind) {
                    case 'create': {
                      const id = `${run}-${writer}-${index}`
                      reviewIds.push(id)
                      return api.post('/reviews', { review: { id, ...inRun(each.values) } })
                    }
                    case 'change':
                      return api.patch(`/reviews/${target()}`, { review: inRun(each.values) })
                    case 'delete':
                      return api.delete(`/reviews/${target()}`)
                    case 'book':
                      return writer % 4 === 0
                        ? api.delete(`/books/${bookId(each.book)}`)
                        : api.patch(`/books/${bookId(each.book)}`, {
                            book: {
                              title: `${index}`,
                              ...(writer % 4 === 1 && {
                                shelf: each.shelf === null ? null : bookId(each.shelf),
                              }),
                            },
                          })
                  }
                }
                expect((await statuses()).status).toBeLessThan(500)
              }
            }),
          )
          const all = await reviewsIn(router)
          const books: Book[] = []
          for (const id of bookIds) {
            const book = await router
              .items(Book)
              .get(bookId(id))
              .catch(() => undefined)
            if (!book) continue
            books.push(book as Book)
            expect(rollupsOf(book)).toEqual(
              oracle(all.filter((review) => (review.book as unknown) === bookId(id))),
            )
          }
          for (const id of shelfIds) {
            const { count, tips, best, mean } = (await router.items(Shelf).get(bookId(id)))!
            const own = books.filter(({ shelf }) => (shelf as unknown) === bookId(id))
            expect({ count, tips, best: best ?? null, mean: mean ?? null }).toEqual(oracleOf(own))
          }
        },
      ),
      { numRuns: 12 },
    )
    await router.close()
  })
})

async function reviewsIn(router: Router) {
  const reviews: Review[] = []
  for await (const review of router.query(Review).exec()) reviews.push(review as Review)
  return reviews
}

function rollupsOf({ count, sum, avg, min, max, stars, tips }: Readonly<Record<string, unknown>>) {
  return { count, sum, avg: avg ?? null, min: min ?? null, max: max ?? null, stars, tips }
}

/** The same over plain arrays: numbers as integers of ten-millionths. */
function oracle(reviews: readonly { weight: number | null; stars: number; tip: string }[]) {
  const weights = reviews.flatMap(({ weight }) => weight ?? [])
  const scaled = weights.reduce(
    (sum, weight) =>
      sum + BigInt(Math.round(weight * 10)) * 1_000_000n + (weight === 1e-7 ? 1n : 0n),
    0n,
  )
  const tips = reviews.reduce((sum, { tip }) => sum + BigInt(tip.replace('.', '')), 0n)
  return {
    count: reviews.length,
    sum: Number(decimalOf(scaled, 7)),
    avg:
      weights.length === 0
        ? null
        : Number(decimalOf((scaled * 10n ** 20n) / BigInt(weights.length), 27)),
    min: weights.length === 0 ? null : Math.min(...weights),
    max: weights.length === 0 ? null : Math.max(...weights),
    stars: reviews.reduce((sum, review) => sum + review.stars, 0),
    tips: decimalOf(tips, 2),
  }
}

/** What the rollups of books make: those of reviews have been compared by then. */
function oracleOf(books: readonly Book[]) {
  const maxima = books.flatMap(({ max }) => max ?? [])
  const tips = books.reduce((sum, book) => sum + scaledBy100(book.tips), 0n)
  const sizes = books.map(({ count, stars }) => count * 10 + stars)
  return {
    count: books.reduce((sum, { count }) => sum + count, 0),
    tips: decimalOf(tips, 2),
    best: maxima.length === 0 ? null : Math.max(...maxima),
    mean:
      sizes.length === 0
        ? null
        : Number(
            decimalOf(
              (BigInt(sizes.reduce((sum, size) => sum + size, 0)) * 10n ** 20n) /
                BigInt(sizes.length),
              20,
            ),
          ),
  }
}

function scaledBy100(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

function decimalOf(digits: bigint, scale: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const fraction = text.slice(-scale).replace(/0+$/, '')
  const whole = text.slice(0, -scale)
  return `${digits < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
