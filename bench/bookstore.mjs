// The bookstore of the library through its public API: models, both policies, and two-phase
// middleware that every request runs.

import { createRouter, field, hash, image, model, toMany, toOne } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { authors, books, genres, publishers } from './data.mjs'

const Author = model('author', {
  name: z.string().min(1).max(200),
  born: z.iso.date().optional(),
  bio: z.string().optional(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
})

const Publisher = model('publisher', {
  name: z.string().min(1),
  country: z.string().length(2).optional(),
  founded: z.int().optional(),
})

const Genre = model('genre', { name: z.string().min(1) }, { ids: 'client' })

const Book = model(
  'book',
  {
    title: z.string().min(1).max(300),
    price: field(z.number().nonnegative(), { index: true }),
    inStock: z.boolean().default(true),
    stock: z.int().nonnegative().default(0),
    pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
    publishedAt: z.iso.date().optional(),
    tags: z.array(z.string()).default([]),
    dimensions: z
      .object({ width: z.number(), height: z.number(), depth: z.number() })
      .partial()
      .optional(),
    editions: z
      .array(z.object({ format: z.string(), year: z.int(), isbn: z.string() }))
      .default([]),
    author: toOne('author', { onDelete: 'restrict' }),
    publisher: toOne('publisher', { optional: true }),
    genres: toMany('genre'),
    // Like the bookstore, but hidden: the rivals have no images, and all responses have to be
    // equal.
    cover: image({
      hidden: true,
      variants: { formats: ['png', 'jpeg', 'webp', 'avif'], sizes: [64, 512] },
    }),
    hash: hash(),
  },
  { indexes: [['inStock', '-price']] },
)

/**
 * Phase 2 narrows every query, but matches every row: the work is done, and the responses stay
 * equal.
 *
 * @type {import('resourcery').QueryHook}
 */
const inSight = (query) => query.where('stock').greaterThanOrEqual(0)

/** @type {import('resourcery').Middleware} */
const bothPhases = {
  request: {
    any: ({ request }) => {
      if (request.headers['x-blocked']) throw new Error('Nobody in the bench is blocked.')
    },
  },
  query: { getList: inSight, getItem: inSight, update: inSight },
}

/**
 * What a product usually does before a write: it looks at the item, and sets a value.
 *
 * @type {import('resourcery').Middleware}
 */
export const beforeWrite = {
  write: {
    before: ({ kind, next, refuse }) => {
      if (kind === 'delete') return
      if (next.price < 0) refuse('price', 'must not be negative')
      next.stock = next.stock + 1
    },
  },
}

/** The load of the bench is anonymous. */
const callers = {
  security: {
    authentication: [basic({ users: { clerk: 'secret' }, caller: (id) => ({ id }) })],
    callerSchema: z.object({ id: z.string() }),
  },
}

/**
 * What anyone may read costs reads nothing, whatever the rules of writes.
 *
 * @type {import('resourcery').AccessCallback<InstanceType<typeof Book>, { id: string }>}
 */
const readByAnyone = ({ item, caller, anyone }) => ({
  read: anyone,
  create: anyone,
  update: item.stock.greaterThanOrEqual(0),
  delete: item.author.equal(caller.id),
})

/**
 * @typedef {object} Extras
 * @property {readonly import('resourcery').Middleware[]} [middleware] of books, besides that of all
 * @property {boolean} [hasAccess] has rules of books that anyone may read
 */

/**
 * The routers of a bookstore, filled if its store is empty.
 *
 * @param {Pick<import('resourcery').RouterOptions, 'store' | 'blobs'>} storage
 * @param {Extras} extras
 */
export async function bookstore(storage, { middleware = [], hasAccess = false } = {}) {
  const options = { ...storage, ...(hasAccess && callers) }
  const router = createRouter({ policy: rest(), basePath: '/api', ...options })
  const jsonApiRouter = createRouter({ policy: jsonApi(), basePath: '/json-api', ...options })
  for (const each of [router, jsonApiRouter]) {
    for (const model of [Author, Publisher, Genre]) each.prepare(model)
    const preparedBook = each.prepare(Book).use(bothPhases)
    if (hasAccess) preparedBook.access(readByAnyone)
    for (const more of middleware) preparedBook.use(more)
  }
  await seed(router)
  return [router, jsonApiRouter]
}

/** @param {import('resourcery').Router} router */
async function seed(router) {
  await router.load(Publisher, publishers())
  await router.load(Genre, genres())
  await router.load(Author, authors())
  await router.load(
    Book,
    books().map(({ pages, ...book }) => ({ ...book, pageCount: pages })),
  )
}
