import { createRouter, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../../../test/spec/support/atomic.ts'
import { deadlocksOf } from '../../../test/support/postgres/deadlocks.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

/** The tables of models that come last are first by name. */
class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
  stars: rollup('books', { sum: 'stars' }),
  bookCount: rollup('books', { count: true }),
}) {}
class Book extends model('book', {
  title: z.string(),
  author: toOne<Author>('author', { optional: true, onDelete: 'cascade' }),
  reviews: toMany<Review>('review', { inverse: 'book' }),
  stars: rollup('reviews', { sum: 'stars' }),
}) {}
class Review extends model('review', {
  stars: z.int(),
  book: toOne<Book>('book', { optional: true, onDelete: 'set-null' }),
}) {}

const bookIds = ['1', '2', '3', '4']
const reviewIds = Array.from({ length: 8 }, (_, index) => `${index}`)

/** Nobody gives up waiting for a lock, however busy the machine is. */
const patience = { maxConnections: 36, lockTimeoutMs: 60_000, statementTimeoutMs: 100_000 }

describePostgres('Items with rollups, beside 16 writers of their related items', () => {
  let router: Router
  let database: TestDatabase

  beforeEach(async () => {
    database = await newDatabase()
    // A deadlock is found before a lock times out.
    const options = encodeURIComponent('-c deadlock_timeout=50ms')
    const store = postgres(`${database.url}&options=${options}`, patience)
    router = createRouter({ policy: jsonApi(), store })
    for (const each of [Author, Book, Review]) router.prepare(each)
    onTestFinished(async () => {
      await router.close()
      await database.drop()
    })
    await addAll()
  }, 60_000)

  const addAll = async () => {
    await router.load(
      Author,
      ['a', 'b'].map((id) => ({ id, name: id })),
    )
    await router.load(
      Book,
      bookIds.map((id) => ({ id, title: id, author: 'a' })),
    )
    await router.load(
      Review,
      reviewIds.map((id) => ({ id, stars: 1, book: `${1 + (Number(id) % 4)}` })),
    )
  }

  const send = async (method: string, path: string, body?: unknown): Promise<number> => {
    const type = path === '/operations' ? atomicType : 'application/vnd.api+json'
    const response = await router.handle(
      new Request(`http://localhost${path}`, {
        method,
        headers: { accept: type, ...(body !== undefined && { 'content-type': type }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    await response.text()
    return response.status
  }
  const linked = (type: string, ids: readonly string[]) => ({
    data: ids.map((id) => ({ type, id })),
  })
  const update = (type: string, id: string, attributes: object, relationships?: object) => ({
    type,
    id,
    attributes,
    ...(relationships && { relationships }),
  })
  const rate = (stars: number) =>
    reviewIds.map((id) =>
      send('PATCH', `/reviews/${id}`, { data: update('reviews', id, { stars }) }),
    )
  const rename = (title: string) =>
    bookIds.map((id) => send('PATCH', `/books/${id}`, { data: update('books', id, { title }) }))

  it.each([
    ['are deleted', () => [send('DELETE', '/books/1'), send('DELETE', '/books/3')]],
    ['are deleted with items that have some', () => [send('DELETE', '/authors/a')]],
    [
      'get other related items',
      () => [
        send('PATCH', '/books/1', {
          data: update('books', '1', {}, { reviews: linked('reviews', ['3', '7']) }),
        }),
        send('PATCH', '/authors/b', {
          data: update('authors', 'b', {}, { books: linked('books', ['4', '2']) }),
        }),
      ],
    ],
    [
      'get and lose related items one by one',
      () => [
        send('POST', '/books/2/relationships/reviews', linked('reviews', ['0', '2', '3'])),
        send('DELETE', '/books/1/relationships/reviews', linked('reviews', ['0', '4'])),
        send('PATCH', '/authors/a/relationships/books', linked('books', ['3'])),
      ],
    ],
    [
      'are written in one batch with related items',
      () => [
        send('POST', '/operations', {
          'atomic:operations': [
            { op: 'update', data: update('authors', 'a', { name: 'c' }) },
            { op: 'update', data: update('books', '1', { title: 'c' }) },
            { op: 'update', data: update('reviews', '0', { stars: 5 }) },
            { op: 'remove', ref: { type: 'books', id: '2' } },
          ],
        }),
      ],
    ],
  ])('%s without a deadlock', { timeout: 120_000 }, async (_name, writes) => {
    for (let round = 0; round < 4; round++) {
      const statuses = await Promise.all([...rate(2), ...writes(), ...rename('b')])
      expect(statuses.filter((status) => status > 204 && status !== 404)).toEqual([])
      await (await sharedServer()).run('truncate reviews, books, authors', [], database.name)
      await addAll()
    }
    await router.close()
    expect(await deadlocksOf(database)).toBe(0)
  })
})
