// The bookstore whose operations are measured: with a search, a file, an action and batches.

import { action, createRouter, field, file, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { authors, books, genres, publishers } from '../data.mjs'

const Author = model('author', {
  name: z.string().min(1).max(200),
  born: z.iso.date().optional(),
  bio: z.string().optional(),
  hash: hash(),
})

const Publisher = model('publisher', {
  name: z.string().min(1),
  country: z.string().length(2).optional(),
  founded: z.int().optional(),
})

const Genre = model('genre', { name: z.string().min(1) }, { ids: 'client' })

class Book extends model(
  'book',
  {
    title: z.string().min(1).max(300),
    price: field(z.number().nonnegative(), { index: true }),
    inStock: z.boolean().default(true),
    stock: z.int().nonnegative().default(0),
    pages: z.int().positive().optional(),
    publishedAt: z.iso.date().optional(),
    tags: z.array(z.string()).default([]),
    dimensions: z.object({ width: z.number(), height: z.number(), depth: z.number() }).optional(),
    editions: z
      .array(z.object({ format: z.string(), year: z.int(), isbn: z.string() }))
      .default([]),
    author: toOne('author', { onDelete: 'restrict' }),
    publisher: toOne('publisher', { optional: true }),
    genres: toMany('genre'),
    scan: file({ maxBytes: 1_000_000 }),
    hash: hash(),
  },
  { indexes: [['inStock', '-price']], search: { title: 1 } },
) {
  /** @param {{ amount: number }} input */
  restock({ amount }) {
    this.stock += amount
  }

  static {
    action(this, 'restock', { input: z.object({ amount: z.int().positive() }) })
  }
}

/** Of the books; the load asks for these. */
export const bookCount = Number(process.env.BOOKS ?? 10_000)

/**
 * @param {Pick<import('resourcery').RouterOptions, 'store' | 'blobs'>} storage
 * @param {boolean} hasLog keeps the log of changes, so that clients can follow them
 */
export async function bookstore(storage, hasLog) {
  const options = {
    ...storage,
    idempotency: true,
    ...(hasLog && { changes: { feed: { maxSubscribersPerCaller: 10_000 } } }),
  }
  const router = createRouter({ policy: rest(), basePath: '/api', ...options })
  const jsonApiRouter = createRouter({ policy: jsonApi(), basePath: '/json-api', ...options })
  for (const each of [router, jsonApiRouter])
    for (const model of [Author, Publisher, Genre, Book]) each.prepare(model)
  await router.load(Publisher, publishers())
  await router.load(Genre, genres())
  await router.load(Author, authors())
  await router.load(Book, books().slice(0, bookCount))
  return [router, jsonApiRouter]
}
