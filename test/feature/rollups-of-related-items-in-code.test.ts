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
  { pageCount: z.int(), author: toOne<Author>('author', { optional: true }) },
  { aggregate: ['author.pages', 'pageCount'] },
) {}

describe.each(stores)('Rollups of related items in a transaction, on $name', ({ make }) => {
  let router: Router

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Author, Book]) router.prepare(each)
    await router.items(Author).createMany([{ id: 'austen' }, { id: 'herbert' }])
    await router.items(Book).createMany([
      { id: 'emma', pageCount: 10, author: 'austen' },
      { id: 'dune', pageCount: 1, author: 'herbert' },
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
