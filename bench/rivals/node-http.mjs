// The baseline: these routes only, written by hand on node:http and SQLite. It stores the text of
// each item; with the argument `columns`, SQLite makes the text of columns when an item is read.

import { createServer } from 'node:http'
import { databaseFile, durability, HOST, PORT, serving } from '../harness/child.mjs'
import { lists as listed } from './conditions.mjs'
import { bookIn } from './node-http/check-book.mjs'
import { openDatabase, plain } from './node-http/database.mjs'
import { readListQuery } from './node-http/list-query.mjs'
import { listReader } from './node-http/lists.mjs'
import { readBody } from './node-http/read-body.mjs'
import { storedText } from './node-http/stored-text.mjs'
import { streamList } from './node-http/stream-list.mjs'
import { plainFromColumns } from './node-http/text-from-columns.mjs'
import { bookWriter } from './node-http/write-books.mjs'
import { Problem, problemOf } from './problem.mjs'

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

const COLLECTION = '/api/books'
const ITEM = `${COLLECTION}/`

const BOOKS = Buffer.from('{"books":[')
const AUTHORS = Buffer.from('],"authors":[')
const END = Buffer.from(']}')

const storage = process.argv[2] === 'columns' ? plainFromColumns : storedText(plain)
const database = openDatabase(databaseFile('node-http'), durability, plain, storage)
const lists = listReader(database, storage)
const writer = bookWriter(database, plain, storage)
const readItem = database.prepare(`select ${storage.bookText}, hash from books where id = ?`, {
  returnArrays: true,
})
const readHash = database.prepare('select hash from books where id = ?', { returnArrays: true })

/**
 * @param {Request} request
 * @param {Response} response
 */
async function respond(request, response) {
  try {
    const url = request.url ?? '/'
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    if (!acceptsJson(request.headers.accept))
      throw new Problem(406, 'Responses have the media type application/json.')
    if (path.startsWith(ITEM)) {
      const id = decodeId(path.slice(ITEM.length))
      if (request.method === 'GET') return getItem(id, request, response)
      if (request.method === 'PATCH') return await patchItem(id, request, response)
      return refuseMethod('GET, PATCH', response)
    }
    if (path !== COLLECTION) throw new Problem(404, 'There is nothing here.')
    if (request.method === 'GET')
      return await getList(mark < 0 ? '' : url.slice(mark + 1), response)
    if (request.method === 'POST') return await createItem(request, response)
    return refuseMethod('GET, POST', response)
  } catch (error) {
    refuse(error, response)
  }
}

/**
 * @param {string} id
 * @param {Request} request
 * @param {Response} response
 */
function getItem(id, request, response) {
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined) {
    const row = readHash.get(id)
    if (row && listed(ifNoneMatch, `"${row[0]}"`)) {
      response.writeHead(304, ['etag', `"${row[0]}"`, 'vary', 'Accept']).end()
      return
    }
  }
  const row = readItem.get(id)
  if (!row) throw new Problem(404, `There is no book ${id}.`)
  sendItem(200, row[0], row[1], response)
}

/**
 * @param {string} search
 * @param {Response} response
 */
function getList(search, response) {
  const query = readListQuery(search)
  if (!query.page) {
    if (query.order !== 'id' || query.includesAuthor)
      throw new Problem(400, 'Sorting and including need a page.')
    return streamList(lists, query, response)
  }
  const { books, authors, hasNext } = lists.page(query, query.page)
  const included = query.includesAuthor ? [AUTHORS, authors] : []
  const body = Buffer.concat([BOOKS, books, ...included, END])
  const headers = [
    'content-type',
    'application/json',
    'content-length',
    body.length,
    'vary',
    'Accept',
  ]
  if (hasNext)
    headers.push('link', `<${COLLECTION}?${nextPage(search, query.page.number + 1)}>; rel="next"`)
  response.writeHead(200, headers).end(body)
}

/**
 * @param {Request} request
 * @param {Response} response
 */
async function createItem(request, response) {
  const { id, doc, hash } = writer.create(bookIn(await readBody(request)))
  sendItem(201, doc, hash, response, ['location', ITEM + encodeURIComponent(id)])
}

/**
 * @param {string} id
 * @param {Request} request
 * @param {Response} response
 */
async function patchItem(id, request, response) {
  const { doc, hash } = writer.patch(
    id,
    bookIn(await readBody(request)),
    request.headers['if-match'],
  )
  sendItem(200, doc, hash, response)
}

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

/**
 * @param {string} allow
 * @param {Response} response
 */
function refuseMethod(allow, response) {
  response.setHeader('allow', allow)
  throw new Problem(405, `The methods here are ${allow}.`)
}

/**
 * @param {unknown} error
 * @param {Response} response
 */
function refuse(error, response) {
  const problem = problemOf(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = problem.text()
  response.statusCode = problem.status
  response.setHeader('content-type', 'application/problem+json')
  response.setHeader('content-length', Buffer.byteLength(body))
  response.setHeader('vary', 'Accept')
  // Closes the connection instead of reading the rest of a body that is too large.
  if (problem.status === 413) response.setHeader('connection', 'close')
  response.end(body)
}

/** @param {string | undefined} accept */
function acceptsJson(accept) {
  return accept === undefined || accept === '*/*' || /application\/(json|\*)|\*\/\*/.test(accept)
}

/** @param {string} text */
function decodeId(text) {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Problem(400, 'The path is not well-formed.')
  }
}

/**
 * @param {string} search
 * @param {number} number
 */
function nextPage(search, number) {
  const others = search.split('&').filter((pair) => !/^page(\[|%5B)number/i.test(pair))
  return [...others, `page[number]=${number}`]
    .join('&')
    .replaceAll('[', '%5B')
    .replaceAll(']', '%5D')
}

const server = createServer(respond)
server.listen(PORT, HOST, () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : PORT
  serving(port, () => {
    server.closeAllConnections()
    server.close()
    database.close()
  })
})
