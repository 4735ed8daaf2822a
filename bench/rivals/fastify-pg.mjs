// The same routes as they are usually written on Fastify and pg: schemas for bodies and responses,
// rows converted to objects, transactions step by step.

import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { HOST, PORT, serving } from '../harness/child.mjs'
import { lists } from './conditions.mjs'
import { createSchema, getItemSchema, getListSchema, patchSchema } from './fastify/schemas.mjs'
import { sendProblem } from './fastify/send-problem.mjs'
import { COLUMNS, GENRES, INSERT, parametersOf, UPDATE } from './postgres/columns.mjs'
import { listSql } from './postgres/list-sql.mjs'
import { hasState, inTransaction, KEY_TAKEN, openPool } from './postgres/pool.mjs'
import { Problem } from './problem.mjs'

/** @typedef {import('../data.mjs').Book} Book */
/** @typedef {{ Params: { id: string }, Body: { book: Book } }} ItemRoute */
/** @typedef {import('fastify').FastifyRequest<ItemRoute>} ItemRequest */

const pool = openPool()
const app = Fastify({ bodyLimit: 1024 * 1024 })

const SELECT = `select ${COLUMNS.map((column) => `b.${column}`).join(', ')}, ${GENRES} as genres, b.xmin::text as hash from books b`

app.get(
  '/api/books/:id',
  { schema: getItemSchema },
  async (/** @type {ItemRequest} */ request, reply) => {
    const book = await find(pool, request.params.id)
    const tag = `"${book.hash}"`
    reply.header('etag', tag).header('vary', 'Accept')
    if (lists(request.headers['if-none-match'], tag)) return reply.code(304).send()
    return reply.send({ book })
  },
)

app.get('/api/books', { schema: getListSchema }, async (request, reply) => {
  const parameters = new URLSearchParams(request.url.split('?')[1])
  const { where, values, order, size, number, includesAuthor } = listSql(parameters)
  const isPaged = parameters.has('page[size]') || parameters.has('page[number]')
  const page = isPaged ? `limit ${size + 1} offset ${(number - 1) * size}` : ''
  const { rows } = await pool.query(`${SELECT} ${where} order by ${order} ${page}`, values)
  const books = rows.map(bookOf)
  reply.header('vary', 'Accept')
  if (isPaged && books.length > size) {
    books.pop()
    parameters.set('page[number]', String(number + 1))
    reply.header('link', `</api/books?${parameters}>; rel="next"`)
  }
  if (!includesAuthor) return reply.send({ books })
  const ids = [...new Set(books.map((book) => book.author))]
  const authors = await pool.query(
    'select id, name, born, bio, xmin::text as hash from authors where id = any($1)',
    [ids],
  )
  return reply.send({ books, authors: authors.rows })
})

app.post(
  '/api/books',
  { schema: createSchema },
  async (/** @type {ItemRequest} */ request, reply) => {
    const { id = randomUUID(), ...rest } = request.body.book
    const book = { ...{ inStock: true, stock: 0, tags: [], editions: [], genres: [] }, id, ...rest }
    try {
      const hash = await inTransaction(pool, async (client) => {
        await checkRelations(client, book)
        const { rows } = await client.query(INSERT, parametersOf(book))
        await client.query(
          `insert into books_genres (book_id, genre_id, position)
          select $1, g.id, g.position - 1 from unnest($2::text[]) with ordinality g (id, position)`,
          [id, book.genres],
        )
        return rows[0].hash
      })
      reply.code(201).header('location', `/api/books/${encodeURIComponent(id)}`)
      return reply
        .header('etag', `"${hash}"`)
        .header('vary', 'Accept')
        .send({ book: { ...book, hash } })
    } catch (error) {
      if (hasState(error, KEY_TAKEN)) throw new Problem(409, `There is a book ${id} already.`)
      throw error
    }
  },
)

app.patch(
  '/api/books/:id',
  { schema: patchSchema },
  async (/** @type {ItemRequest} */ request, reply) => {
    const { id } = request.params
    const patch = request.body.book
    const { book, hash } = await inTransaction(pool, async (client) => {
      const { hash: before, ...current } = await find(client, id, 'for update')
      const ifMatch = request.headers['if-match']
      if (ifMatch !== undefined && !lists(ifMatch, `"${before}"`))
        throw new Problem(412, 'The book has changed.')
      const book = { ...current, ...patch, id }
      if (patch.dimensions) book.dimensions = { ...current.dimensions, ...patch.dimensions }
      if (patch.genres) throw new Problem(422, 'The genres cannot change here.')
      if (patch.author ?? patch.publisher) await checkRelations(client, book)
      const { rows } = await client.query(UPDATE, parametersOf(book))
      return { book, hash: rows[0].hash }
    })
    return reply
      .header('etag', `"${hash}"`)
      .header('vary', 'Accept')
      .send({ book: { ...book, hash } })
  },
)

app.setErrorHandler(sendProblem)

/**
 * @param {Pick<import('pg').Pool, 'query'>} client
 * @param {string} id
 * @param {string} lock
 */
async function find(client, id, lock = '') {
  const { rows } = await client.query(`${SELECT} where b.id = $1 ${lock}`, [id])
  if (rows.length === 0) throw new Problem(404, `There is no book ${id}.`)
  return bookOf(rows[0])
}

/**
 * @param {import('pg').PoolClient} client
 * @param {Book} book
 */
async function checkRelations(client, { author, publisher, genres }) {
  const { rows } = await client.query(
    `select exists (select from authors where id = $1) as author,
      $2::text is null or exists (select from publishers where id = $2) as publisher,
      (select count(*)::int from genres where id = any($3)) as genres`,
    [author, publisher ?? null, genres],
  )
  if (!rows[0].author) throw new Problem(422, `There is no author ${author}.`)
  if (!rows[0].publisher) throw new Problem(422, `There is no publisher ${publisher}.`)
  if (rows[0].genres < new Set(genres).size) throw new Problem(422, 'There is no such genre.')
}

/**
 * @param {any} row
 * @returns {Book & { hash: string }}
 */
function bookOf({ in_stock, published_at, author_id, publisher_id, pages, dimensions, ...same }) {
  return {
    ...same,
    inStock: in_stock,
    author: author_id,
    ...(publisher_id !== null && { publisher: publisher_id }),
    ...(published_at !== null && { publishedAt: published_at }),
    ...(pages !== null && { pages }),
    ...(dimensions !== null && { dimensions }),
  }
}

app.addHook('onClose', () => pool.end())
await app.listen({ port: PORT, host: HOST })
const address = app.server.address()
serving(typeof address === 'object' && address ? address.port : PORT, () => {
  app.server.closeAllConnections()
  return app.close()
})
