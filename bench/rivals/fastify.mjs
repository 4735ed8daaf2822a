// The same routes as they are usually written on Fastify: schemas for bodies and responses, rows
// converted to objects.

import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { databaseFile, durability, HOST, PORT, serving } from '../harness/child.mjs'
import { lists } from './conditions.mjs'
import { bookTable } from './fastify/books.mjs'
import { openDatabase } from './fastify/database.mjs'
import { createSchema, getItemSchema, getListSchema, patchSchema } from './fastify/schemas.mjs'
import { sendProblem } from './fastify/send-problem.mjs'
import { hashOf } from './hash.mjs'
import { Problem } from './problem.mjs'

/** @typedef {import('../data.mjs').Book} Book */
/** @typedef {import('./fastify/books.mjs').ListQuery} ListQuery */
/** @typedef {{ Params: { id: string }, Body: { book: Book } }} ItemRoute */

const PRIMARY_KEY_TAKEN = 1555

const database = openDatabase(databaseFile('fastify'), durability)
const table = bookTable(database)
const app = Fastify({ bodyLimit: 1024 * 1024 })

app.get(
  '/api/books/:id',
  { schema: getItemSchema },
  (/** @type {import('fastify').FastifyRequest<ItemRoute>} */ request, reply) => {
    const book = table.find(request.params.id)
    if (!book) throw new Problem(404, `There is no book ${request.params.id}.`)
    const tag = `"${book.hash}"`
    reply.header('etag', tag).header('vary', 'Accept')
    if (lists(request.headers['if-none-match'], tag)) return reply.code(304).send()
    return reply.send({ book })
  },
)

app.get(
  '/api/books',
  { schema: getListSchema },
  (/** @type {import('fastify').FastifyRequest<{ Querystring: ListQuery }>} */ request, reply) => {
    const { query } = request
    reply.header('vary', 'Accept')
    const isPaged = query['page[size]'] !== undefined || query['page[number]'] !== undefined
    const size = Number(query['page[size]'] ?? 20)
    const number = Number(query['page[number]'] ?? 1)
    // One row more than the page says whether there is a next page.
    const books = isPaged
      ? table.list(query, size + 1, (number - 1) * size)
      : table.list(query, undefined, 0)
    if (isPaged && books.length > size) {
      books.pop()
      const next = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1))
      next.set('page[number]', String(number + 1))
      reply.header('link', `</api/books?${next}>; rel="next"`)
    }
    return reply.send(
      query.include === 'author' ? { books, authors: table.authorsOf(books) } : { books },
    )
  },
)

app.post(
  '/api/books',
  { schema: createSchema },
  (/** @type {import('fastify').FastifyRequest<ItemRoute>} */ request, reply) => {
    const { id = randomUUID(), ...rest } = request.body.book
    const book = { ...{ inStock: true, stock: 0, tags: [], editions: [], genres: [] }, id, ...rest }
    const hash = hashOf(JSON.stringify(book))
    try {
      table.transaction(() => {
        checkRelations(book)
        table.insert(book, hash)
      })
    } catch (error) {
      if (!isKeyTaken(error)) throw error
      throw new Problem(409, `There is a book ${id} already.`)
    }
    reply.code(201).header('location', `/api/books/${encodeURIComponent(id)}`)
    return reply
      .header('etag', `"${hash}"`)
      .header('vary', 'Accept')
      .send({ book: { ...book, hash } })
  },
)

app.patch(
  '/api/books/:id',
  { schema: patchSchema },
  (/** @type {import('fastify').FastifyRequest<ItemRoute>} */ request, reply) => {
    const { id } = request.params
    const patch = request.body.book
    const { book, hash } = table.transaction(() => {
      const before = table.find(id)
      if (!before) throw new Problem(404, `There is no book ${id}.`)
      const ifMatch = request.headers['if-match']
      if (ifMatch !== undefined && !lists(ifMatch, `"${before.hash}"`))
        throw new Problem(412, 'The book has changed.')
      const { hash: _, ...current } = before
      const book = { ...current, ...patch, id }
      if (patch.dimensions) book.dimensions = { ...current.dimensions, ...patch.dimensions }
      if (patch.author ?? patch.publisher ?? patch.genres) checkRelations(book)
      const hash = hashOf(JSON.stringify(book))
      table.update(book, hash)
      return { book, hash }
    })
    return reply
      .header('etag', `"${hash}"`)
      .header('vary', 'Accept')
      .send({ book: { ...book, hash } })
  },
)

app.setErrorHandler(sendProblem)

app.setNotFoundHandler((_request, reply) => {
  const problem = new Problem(404, 'There is nothing here.')
  reply.code(404).header('content-type', 'application/problem+json').send(problem.text())
})

/** @param {Book} book */
function checkRelations(book) {
  const missing = table.missingRelation(book)
  if (missing) throw new Problem(422, `There is no ${missing}.`)
}

/** @param {unknown} error */
function isKeyTaken(error) {
  return error instanceof Error && 'errcode' in error && error.errcode === PRIMARY_KEY_TAKEN
}

app.addHook('onClose', () => database.close())
await app.listen({ port: PORT, host: HOST })
const address = app.server.address()
serving(typeof address === 'object' && address ? address.port : PORT, () => {
  app.server.closeAllConnections()
  return app.close()
})
