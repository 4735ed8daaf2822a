// The baseline over PostgreSQL: these routes only, written by hand on node:http and pg. The server
// makes the JSON, and a write is one statement where it can be.

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { HOST, PORT, serving } from '../harness/child.mjs'
import { lists } from './conditions.mjs'
import { bookIn, checkBook } from './node-http/check-book.mjs'
import { readBody } from './node-http/read-body.mjs'
import { COLUMNS, GENRES, INSERT, parametersOf, UPDATE } from './postgres/columns.mjs'
import { listSql } from './postgres/list-sql.mjs'
import {
  FOREIGN_KEY_MISSING,
  hasState,
  inTransaction,
  KEY_TAKEN,
  openPool,
} from './postgres/pool.mjs'
import { Problem, problemOf } from './problem.mjs'

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {import('../data.mjs').Book} Book */

const COLLECTION = '/api/books'
const ITEM = `${COLLECTION}/`

const BOOK = `json_strip_nulls(json_build_object('id', b.id, 'title', b.title, 'price', b.price, 'inStock', b.in_stock,
  'stock', b.stock, 'pages', b.pages, 'publishedAt', b.published_at, 'tags', b.tags, 'dimensions', b.dimensions,
  'editions', b.editions, 'author', b.author_id, 'publisher', b.publisher_id, 'genres', ${GENRES}, 'hash', b.xmin::text))::text`
const AUTHOR =
  "json_strip_nulls(json_build_object('id', id, 'name', name, 'born', born, 'bio', bio, 'hash', xmin::text))::text"

const FIND = {
  name: 'find',
  text: `select ${BOOK}, b.xmin::text from books b where b.id = $1`,
  rowMode: 'array',
}
const FIND_HASH = {
  name: 'find hash',
  text: 'select xmin::text from books where id = $1',
  rowMode: 'array',
}
const FIND_AUTHORS = {
  name: 'find authors',
  text: `select string_agg(${AUTHOR}, ',') from authors where id = any($1)`,
  rowMode: 'array',
}
const CREATE = {
  name: 'create',
  text: `with b as (${INSERT}), j as (
    insert into books_genres (book_id, genre_id, position)
    select $1, g.id, g.position - 1 from json_array_elements_text($${COLUMNS.length + 1}) with ordinality g (id, position))
    select hash from b`,
  rowMode: 'array',
}
const FIND_TO_UPDATE = {
  name: 'find to update',
  text: `select ${BOOK}, b.xmin::text from books b where b.id = $1 for update`,
  rowMode: 'array',
}
const REPLACE = { name: 'replace', text: UPDATE, rowMode: 'array' }

const pool = openPool()

/** @type {Map<string, string>} */
const listNames = new Map()

/**
 * @param {Request} request
 * @param {Response} response
 */
async function respond(request, response) {
  try {
    const url = request.url ?? '/'
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    if (path.startsWith(ITEM)) {
      const id = decodeURIComponent(path.slice(ITEM.length))
      return request.method === 'PATCH'
        ? await patchItem(id, request, response)
        : await getItem(id, request, response)
    }
    if (path !== COLLECTION) throw new Problem(404, 'There is nothing here.')
    return request.method === 'POST'
      ? await createItem(request, response)
      : await getList(new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)), response)
  } catch (error) {
    const problem = problemOf(error)
    response.writeHead(problem.status, { 'content-type': 'application/problem+json' })
    response.end(problem.text())
  }
}

/**
 * @param {string} id
 * @param {Request} request
 * @param {Response} response
 */
async function getItem(id, request, response) {
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    const [row] = (await pool.query({ ...FIND_HASH, values: [id] })).rows
    if (row && lists(ifNoneMatch, `"${row[0]}"`)) {
      response.writeHead(304, ['etag', `"${row[0]}"`, 'vary', 'Accept']).end()
      return
    }
  }
  const [row] = (await pool.query({ ...FIND, values: [id] })).rows
  if (!row) throw new Problem(404, `There is no book ${id}.`)
  sendItem(200, row[0], row[1], response)
}

/**
 * @param {URLSearchParams} parameters
 * @param {Response} response
 */
async function getList(parameters, response) {
  const { where, values, order, size, number, includesAuthor } = listSql(parameters)
  const isPaged = parameters.has('page[size]') || parameters.has('page[number]')
  const page = isPaged ? `limit ${size + 1} offset ${(number - 1) * size}` : ''
  const text = `select ${BOOK}, b.author_id from books b ${where} order by ${order} ${page}`
  const { rows } = await pool.query({ name: nameOf(text), text, values, rowMode: 'array' })
  const hasNext = isPaged && rows.length > size
  if (hasNext) rows.pop()
  let body = `{"books":[${rows.map(([book]) => book).join(',')}]`
  if (includesAuthor) {
    const ids = [...new Set(rows.map(([, author]) => author))]
    const [authors] = (await pool.query({ ...FIND_AUTHORS, values: [ids] })).rows
    body += `,"authors":[${authors?.[0] ?? ''}]`
  }
  body += '}'
  const headers = ['content-type', 'application/json', 'content-length', Buffer.byteLength(body)]
  headers.push('vary', 'Accept')
  if (hasNext) {
    parameters.set('page[number]', String(number + 1))
    headers.push('link', `<${COLLECTION}?${parameters}>; rel="next"`)
  }
  response.writeHead(200, headers).end(body)
}

/** @param {string} text of a list, of which there are few */
function nameOf(text) {
  const name = listNames.get(text) ?? `list ${listNames.size}`
  listNames.set(text, name)
  return name
}

/**
 * @param {Request} request
 * @param {Response} response
 */
async function createItem(request, response) {
  const { id = randomUUID(), ...rest } = bookIn(await readBody(request))
  const book = { id, inStock: true, stock: 0, tags: [], editions: [], genres: [], ...rest }
  checkBook(book)
  const parameters = parametersOf(/** @type {any} */ (book))
  const hash = await written(id, () =>
    pool.query({ ...CREATE, values: [...parameters, JSON.stringify(book.genres)] }),
  )
  sendItem(201, docOf(book, hash), hash, response, [
    'location',
    ITEM + encodeURIComponent(String(id)),
  ])
}

/**
 * @param {string} id
 * @param {Request} request
 * @param {Response} response
 */
async function patchItem(id, request, response) {
  const patch = bookIn(await readBody(request))
  const { book, hash } = await inTransaction(pool, async (client) => {
    const [row] = (await client.query({ ...FIND_TO_UPDATE, values: [id] })).rows
    if (!row) throw new Problem(404, `There is no book ${id}.`)
    const ifMatch = request.headers['if-match']
    if (ifMatch !== undefined && !lists(ifMatch, `"${row[1]}"`))
      throw new Problem(412, 'The book has changed.')
    const { hash: _, ...current } = JSON.parse(row[0])
    const book = { ...current, ...patch, id }
    checkBook(book)
    const hash = await written(id, () => client.query({ ...REPLACE, values: parametersOf(book) }))
    if (patch.genres) throw new Problem(422, 'The genres cannot change here.')
    return { book, hash }
  })
  sendItem(200, docOf(book, hash), hash, response)
}

/**
 * @param {unknown} id
 * @param {() => Promise<{ rows: any[] }>} write
 * @returns {Promise<string>} the hash
 */
async function written(id, write) {
  try {
    return (await write()).rows[0][0]
  } catch (error) {
    if (hasState(error, KEY_TAKEN)) throw new Problem(409, `There is a book ${id} already.`)
    if (hasState(error, FOREIGN_KEY_MISSING)) throw new Problem(422, 'A related item is missing.')
    throw error
  }
}

/**
 * @param {object} book
 * @param {string} hash
 */
const docOf = (book, hash) => JSON.stringify({ ...book, hash })

/**
 * @param {number} status
 * @param {string} doc
 * @param {string} hash
 * @param {Response} response
 * @param {string[]} more headers
 */
function sendItem(status, doc, hash, response, more = []) {
  const body = `{"book":${doc}}`
  const type = ['content-type', 'application/json', 'content-length', Buffer.byteLength(body)]
  response.writeHead(status, [...type, 'etag', `"${hash}"`, 'vary', 'Accept', ...more]).end(body)
}

const server = createServer(respond)
server.listen(PORT, HOST, () => {
  const address = server.address()
  serving(typeof address === 'object' && address ? address.port : PORT, async () => {
    server.closeAllConnections()
    server.close()
    await pool.end()
  })
})
