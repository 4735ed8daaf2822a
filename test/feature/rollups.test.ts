import { createRouter, decimal, hash, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

class Book extends model('book', {
  title: z.string(),
  reviews: toMany<Review>('review', { inverse: 'book' }),
  readers: toMany<Reader>('reader', { inverse: 'books' }),
  reviewCount: rollup('reviews', { count: true }),
  rating: rollup('reviews', { avg: 'stars', index: true }),
  worst: rollup('reviews', { min: 'stars' }),
  best: rollup('reviews', { max: 'stars' }),
  weight: rollup('reviews', { sum: 'weight' }),
  tips: rollup<string>('reviews', { sum: 'tip' }),
  lastDay: rollup<string>('reviews', { max: 'day' }),
  readerCount: rollup('readers', { count: true }),
  hash: hash(),
}) {}
class Review extends model('review', {
  stars: z.int().nullable().default(null),
  weight: z.number().default(0),
  tip: decimal(10, 2, { default: '0' }),
  day: z.iso.date().optional(),
  book: toOne<Book>('book', { optional: true, onDelete: 'cascade' }),
}) {}
class Reader extends model('reader', {
  name: z.string(),
  books: toMany<Book>('book'),
}) {}
const Cat = model('cat', {
  weight: z.number(),
  parent: toOne('cat', { optional: true }),
  children: toMany('cat', { inverse: 'parent' }),
  count: rollup('children', { count: true }),
  sum: rollup('children', { sum: 'weight' }),
})

const none = {
  reviewCount: 0,
  rating: null,
  worst: null,
  best: null,
  weight: 0,
  tips: '0',
  lastDay: null,
  readerCount: 0,
}

describe.each(stores)('Rollups, on $name', ({ make }) => {
  let router: Router
  let api: Client

  beforeEach(async () => {
    router = createRouter({ policy: rest(), store: await make() })
    for (const each of [Book, Review, Reader, Cat]) router.prepare(each)
    api = client(router)
    await api.post('/books', { book: { id: 'dune', title: 'Dune' } })
    await api.post('/books', { book: { id: 'emma', title: 'Emma' } })
  })

  const bookOf = async (id: string) => {
    return (await api.get(`/books/${id}`)).at('/book') as Record<string, unknown>
  }
  const review = (id: string, values: object) => api.post('/reviews', { review: { id, ...values } })

  it('A new item has the values of no items.', async () => {
    expect(await bookOf('dune')).toMatchObject(none)
  })

  it('They follow new, changed, moved and deleted items.', async () => {
    await review('1', { stars: 5, weight: 0.1, tip: '1.5', day: '2026-01-02', book: 'dune' })
    await review('2', { stars: 2, weight: 0.2, tip: '0.25', day: '2026-01-01', book: 'dune' })
    await review('3', { book: 'dune' })
    expect(await bookOf('dune')).toMatchObject({
      reviewCount: 3,
      rating: 3.5,
      worst: 2,
      best: 5,
      weight: 0.3,
      tips: '1.75',
      lastDay: '2026-01-02',
    })
    await api.patch('/reviews/1', { review: { stars: 4, day: null } })
    expect(await bookOf('dune')).toMatchObject({ rating: 3, best: 4, lastDay: '2026-01-01' })
    await api.patch('/reviews/1', { review: { book: 'emma' } })
    expect(await bookOf('dune')).toMatchObject({ reviewCount: 2, rating: 2, worst: 2, best: 2 })
    expect(await bookOf('emma')).toMatchObject({ reviewCount: 1, rating: 4, tips: '1.5' })
    await api.patch('/reviews/1', { review: { book: null } })
    expect(await bookOf('emma')).toMatchObject(none)
    await api.delete('/reviews/2')
    await api.delete('/reviews/3')
    expect(await bookOf('dune')).toMatchObject(none)
  })

  it('They count the items of a relation to many.', async () => {
    await api.post('/readers', { reader: { id: 'ann', name: 'Ann', books: ['dune', 'emma'] } })
    await api.post('/readers', { reader: { id: 'bo', name: 'Bo', books: ['dune'] } })
    expect(await bookOf('dune')).toMatchObject({ readerCount: 2 })
    await api.patch('/readers/ann', { reader: { books: ['emma'] } })
    expect(await bookOf('dune')).toMatchObject({ readerCount: 1 })
    expect(await bookOf('emma')).toMatchObject({ readerCount: 1 })
  })

  it('Nobody sets them.', async () => {
    await review('1', { stars: 3, book: 'dune' })
    const { body } = await api.get('/books/dune')
    const same = await api.put('/books/dune', body)
    expect(same.status).toBe(200)
    await api.patch('/books/dune', { book: { title: 'Dune 2', reviewCount: 7, rating: 1 } })
    expect(await bookOf('dune')).toMatchObject({ reviewCount: 1, rating: 3 })
    const replaced = await api.put('/books/dune', { book: { title: 'Dune 3' } })
    expect(replaced.at('/book')).toMatchObject({ reviewCount: 1, rating: 3, best: 3 })
    await router.items(Book).update('dune', { title: 'Dune 4', rating: 1 })
    expect(await bookOf('dune')).toMatchObject({ reviewCount: 1, rating: 3, best: 3 })
  })

  it('Lists filter and sort by them.', async () => {
    await review('1', { stars: 3, book: 'dune' })
    await review('2', { stars: 5, book: 'emma' })
    expect((await api.get('/books?sort=-rating')).ids('books')).toEqual(['emma', 'dune'])
    expect((await api.get('/books?filter[rating][gt]=4')).ids('books')).toEqual(['emma'])
  })

  it('They change the version of the item, and no write that changes none does.', async () => {
    const { etag } = await api.get('/books/dune')
    await review('1', { stars: 3, book: 'dune' })
    const changed = await api.get('/books/dune')
    expect(changed.etag).not.toBe(etag)
    await api.patch('/reviews/1', { review: { weight: 0 } })
    expect((await api.get('/books/dune')).etag).toBe(changed.etag)
    const late = await api.patch('/books/dune', { book: { title: 'Late' } }, { 'if-match': etag })
    expect(late.status).toBe(412)
  })

  it('Deleting the item ends them.', async () => {
    await review('1', { stars: 3, book: 'dune' })
    expect((await api.delete('/books/dune')).status).toBe(204)
    await api.post('/books', { book: { id: 'dune', title: 'Dune' } })
    expect(await bookOf('dune')).toMatchObject(none)
    await review('2', { stars: 1, book: 'dune' })
    expect(await bookOf('dune')).toMatchObject({ reviewCount: 1, rating: 1 })
  })

  it('Code in a transaction sees what it has changed.', async () => {
    const seen = await router.transaction(async (items) => {
      await items(Review).create({ stars: 4, book: 'dune' } as never)
      const { reviewCount } = (await items(Book).get('dune'))!
      await items(Review).create({ stars: 2, book: 'dune' } as never)
      await items(Book).update('dune', { title: 'Dune 2' })
      return [reviewCount, (await items(Book).get('dune'))!.rating]
    })
    expect(seen).toEqual([1, 3])
    expect(await bookOf('dune')).toMatchObject({ reviewCount: 2, rating: 3 })
  })

  it('An item that relates to itself counts, from its creation to its end.', async () => {
    const tom = async () => (await api.get('/cats/tom')).at('/cat')
    await api.post('/cats', { cat: { id: 'tom', weight: 5, parent: 'tom' } })
    expect(await tom()).toMatchObject({ count: 1, sum: 5 })
    await api.patch('/cats/tom', { cat: { weight: 6 } })
    expect(await tom()).toMatchObject({ count: 1, sum: 6 })
    await api.patch('/cats/tom', { cat: { parent: null } })
    expect(await tom()).toMatchObject({ count: 0, sum: 0 })
    await api.patch('/cats/tom', { cat: { parent: 'tom' } })
    expect((await api.delete('/cats/tom')).status).toBe(204)
    await api.post('/cats', { cat: { id: 'tom', weight: 5 } })
    expect(await tom()).toMatchObject({ count: 0, sum: 0 })
  })

  it('They count loaded items, in whatever order.', async () => {
    await router.load(Reader, [{ id: 'ann', name: 'Ann', books: ['dune'] }])
    await router.load(Review, [
      { id: '1', stars: 4, book: 'dune' },
      { id: '2', stars: 1, book: 'dune' },
    ])
    expect(await bookOf('dune')).toMatchObject({ reviewCount: 2, rating: 2.5, readerCount: 1 })
  })

  it('A sum beyond doubles is exact where it is a decimal number, and else the nearest double.', async () => {
    await review('1', { weight: 1e16, tip: '99999999.99', book: 'dune' })
    await review('2', { weight: 0.1, tip: '99999999.99', book: 'dune' })
    expect(await bookOf('dune')).toMatchObject({ weight: 1e16, tips: '199999999.98' })
    await api.delete('/reviews/1')
    expect(await bookOf('dune')).toMatchObject({ weight: 0.1, tips: '99999999.99' })
  })

  it('JSON:API has them as attributes.', async () => {
    const jsonApiRouter = createRouter({ policy: jsonApi(), store: await make() })
    for (const each of [Book, Review, Reader]) jsonApiRouter.prepare(each)
    const books = client(jsonApiRouter, 'http://localhost', 'application/vnd.api+json')
    await books.post('/books', { data: { type: 'books', id: 'dune', attributes: { title: 'D' } } })
    const relationships = { book: { data: { type: 'books', id: 'dune' } } }
    await books.post('/reviews', {
      data: { type: 'reviews', id: '1', attributes: { stars: 4 }, relationships },
    })
    await books.post('/reviews', { data: { type: 'reviews', id: '2', attributes: { stars: 1 } } })
    const added = await books.post('/books/dune/relationships/reviews', {
      data: [{ type: 'reviews', id: '2' }],
    })
    expect(added.status).toBe(204)
    const { body } = await books.get('/books/dune')
    expect(body).toMatchObject({ data: { attributes: { reviewCount: 2, rating: 2.5 } } })
    const relations = { reviews: { data: [{ type: 'reviews', id: '1' }] } }
    const patched = await books.patch('/books/dune', {
      data: { type: 'books', id: 'dune', relationships: relations },
    })
    expect(patched.at('/data/attributes')).toMatchObject({ reviewCount: 1, rating: 4 })
    const created = await books.post('/books', {
      data: { type: 'books', attributes: { title: 'New' }, relationships: relations },
    })
    expect(created.at('/data/attributes')).toMatchObject({ reviewCount: 1, rating: 4 })
    expect((await books.get('/books/dune')).at('/data/attributes')).toMatchObject(none)
  })
})
