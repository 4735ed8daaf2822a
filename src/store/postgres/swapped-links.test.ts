import { createRouter, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../../../test/spec/support/atomic.ts'
import { deadlocksOf } from '../../../test/support/postgres/deadlocks.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

/** The tables of models that come last are first by name. */
class Author extends model(
  'author',
  {
    name: z.string(),
    books: toMany<Book>('book', { inverse: 'author' }),
    bookCount: rollup('books', { count: true }),
    pages: rollup('books', { sum: 'pages' }),
  },
  { upsert: true },
) {}
class Book extends model('book', {
  pages: z.int(),
  author: toOne<Author>('author', { optional: true, onDelete: 'set-null' }),
}) {}

const authorIds = Array.from({ length: 8 }, (_, index) => `a${index}`)
const bookIds = Array.from({ length: 12 }, (_, index) => `b${index}`)
const mediaType = 'application/vnd.api+json'

describePostgres('16 connections that swap the same books between authors', () => {
  let router: Router
  let database: TestDatabase

  beforeEach(async () => {
    database = await newDatabase()
    // A deadlock is found before a lock times out.
    const options = encodeURIComponent('-c deadlock_timeout=50ms')
    const store = postgres(`${database.url}&options=${options}`, {
      // Of these, 17 have time to wait for locks.
      maxConnections: 36,
      lockTimeoutMs: 60_000,
      statementTimeoutMs: 100_000,
    })
    router = createRouter({ policy: jsonApi(), store })
    for (const each of [Author, Book]) router.prepare(each)
    onTestFinished(async () => {
      await router.close()
      await database.drop()
    })
    await router.load(
      Author,
      authorIds.map((id) => ({ id, name: id })),
    )
    await router.load(
      Book,
      bookIds.map((id, index) => ({ id, pages: index, author: `a${index % 8}` })),
    )
  }, 60_000)

  const send = async (method: string, path: string, body: unknown, type = mediaType) => {
    const headers = { accept: type, 'content-type': type }
    const request = { method, headers, body: JSON.stringify(body) }
    const response = await router.handle(new Request(`http://localhost${path}`, request))
    await response.text()
    return response.status
  }
  const booksAt = (index: number) => ({
    data: [0, 5, 7].map((step) => ({ type: 'books', id: bookIds[(index + step) % 12]! })),
  })
  const authorAt = (index: number) => authorIds[index % 8]!
  const authorWith = (index: number) => ({
    type: 'authors',
    id: authorAt(index),
    attributes: { name: `${index}` },
    relationships: { books: booksAt(index) },
  })

  const expectExact = async () => {
    const books = await router.items(Book).all()
    for (const { id, bookCount, pages } of await router.items(Author).all()) {
      const own = books.filter(({ author }) => (author as unknown) === id)
      expect({ id, bookCount, pages }).toEqual({
        id,
        bookCount: own.length,
        pages: own.reduce((sum, book) => sum + book.pages, 0),
      })
    }
  }

  const relationship = (method: string) => (index: number) =>
    send(method, `/authors/${authorAt(index)}/relationships/books`, booksAt(index))

  it.each<readonly [string, (index: number) => Promise<number>]>([
    ['by replacing the books of one author', relationship('PATCH')],
    [
      'by all changes of a relation',
      (index) => relationship(['PATCH', 'POST', 'DELETE'][index % 3]!)(index),
    ],
    [
      'with changes of the author',
      (index) => send('PATCH', `/authors/${authorAt(index)}`, { data: authorWith(index) }),
    ],
    [
      'by new authors, changed books and deletions',
      (index) => {
        if (index % 3 === 0)
          return send('POST', '/authors', { data: { ...authorWith(index), id: `new${index}` } })
        if (index % 3 === 1) return relationship('PATCH')(index)
        return index % 2 === 0
          ? send('DELETE', `/authors/new${index - 2}`, undefined)
          : send('PATCH', `/books/${bookIds[index % 12]}`, {
              data: {
                type: 'books',
                id: bookIds[index % 12],
                relationships: { author: { data: { type: 'authors', id: authorAt(index * 5) } } },
              },
            })
      },
    ],
    [
      'in batches',
      (index) => {
        const operations = [index, index + 3].map((each) => ({
          op: 'update',
          data: authorWith(each),
        }))
        return send('POST', '/operations', { 'atomic:operations': operations }, atomicType)
      },
    ],
  ])('%s: no deadlock, and the rollups are right', { timeout: 120_000 }, async (_name, change) => {
    let next = 0
    const work = async () => {
      while (next < 48) expect(await change(next++)).toBeOneOf([200, 201, 204, 404])
    }
    await Promise.all(Array.from({ length: 16 }, work))
    await expectExact()
    await router.close()
    expect(await deadlocksOf(database)).toBe(0)
  })
})
