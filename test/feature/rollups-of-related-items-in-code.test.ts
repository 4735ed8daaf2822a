import { createRouter, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'

class Author extends model('author', {
  books: toMany<Book>('book', { inverse: 'author' }),
  pages: rollup('books', { sum: 'pageCount' }),
}) {}
class Book extends model(
  'book',
  {
    pageCount: z.int(),
    author: toOne<Author>('author', { optional: true }),
    shelf: toOne<Shelf>('shelf', { optional: true }),
    reviews: toMany<Review>('review', { inverse: 'book' }),
    reviewCount: rollup('reviews', { count: true }),
  },
  { aggregate: ['author.pages', 'pageCount'] },
) {}
/** Has no rollups. */
class Shelf extends model('shelf', { books: toMany<Book>('book', { inverse: 'shelf' }) }) {}
class Review extends model('review', { book: toOne<Book>('book') }) {}

describe.each(stores)('Rollups of related items in a transaction, on $name', ({ make }) => {
  let router: Router

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Author, Shelf, Book, Review]) router.prepare(each)
    await router.items(Shelf).createMany([{ id: 'low' }, { id: 'high' }])
    await router.items(Author).createMany([{ id: 'austen' }, { id: 'herbert' }])
    await router.items(Book).createMany([
      { id: 'emma', pageCount: 10, author: 'austen', shelf: 'low' },
      { id: 'dune', pageCount: 1, author: 'herbert', shelf: 'high' },
    ])
  })

  it('are current where items are sorted by them', async () => {
    const ids = await router.transaction(async (items) => {
      await items(Book).update('dune', { pageCount: 1000 })
      const sorted = await items(Book).all((query) => query.sort('author.pages', 'desc'))
      await items(Book).update('emma', { pageCount: 2000 })
      const first = await items(Book).first((query) => query.sort('author.pages', 'desc'))
      return [...sorted.map(({ id }) => id), first?.id]
    })
    expect(ids).toEqual(['dune', 'emma', 'emma'])
  })

  it('are current where some of the related items have to satisfy a condition', async () => {
    const found = await router.transaction(async (items) => {
      await items(Review).create({ book: 'dune' })
      const reviewed = await items(Shelf).all((query) =>
        query.where('books').some((book) => book.where('reviewCount').greaterThan(0)),
      )
      await items(Review).create({ book: 'emma' })
      const unreviewed = await items(Shelf).all((query) =>
        query.not((not) =>
          not.where('books').some((book) => book.where('reviewCount').greaterThan(0)),
        ),
      )
      return [reviewed.map(({ id }) => id), unreviewed.map(({ id }) => id)]
    })
    expect(found).toEqual([['high'], []])
  })

  it('are current where items are grouped by them, and where they are added up', async () => {
    const [grouped, [total]] = await router.transaction(async (items) => {
      await items(Book).update('dune', { pageCount: 1000 })
      const byPages = await items(Book).groups({ by: ['author.pages'] })
      await items(Book).update('emma', { pageCount: 2000 })
      const sums = await items(Book).groups({ by: [], aggregates: ['max(author.pages)'] })
      return [byPages, sums] as const
    })
    expect(grouped.map(({ by }) => by['author.pages'])).toEqual([10, 1000])
    expect(total?.aggregates['max(author.pages)']).toBe(2000)
  })
})
