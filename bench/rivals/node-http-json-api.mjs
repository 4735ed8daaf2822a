// The JSON:API baseline: these routes only, written by hand on node:http and SQLite. It stores the
// text of each item; with the argument `columns`, SQLite makes the text of columns when an item is
// read.

import { createServer } from 'node:http'
import { databaseFile, durability, HOST, PORT, serving } from '../harness/child.mjs'
import { lists as listed } from './conditions.mjs'
import { openDatabase } from './node-http/database.mjs'
import { readListQuery } from './node-http/list-query.mjs'
import { listReader } from './node-http/lists.mjs'
import { readBody } from './node-http/read-body.mjs'
import { storedText } from './node-http/stored-text.mjs'
import { bookWriter } from './node-http/write-books.mjs'
import { bookInDocument } from './node-http-json-api/read-book.mjs'
import { BASE, resources } from './node-http-json-api/resources.mjs'
import { resourcesFromColumns } from './node-http-json-api/text-from-columns.mjs'
import { Problem, problemOf } from './problem.mjs'

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

const MEDIA_TYPE = 'application/vnd.api+json'
const COLLECTION = `${BASE}/books`
const ITEM = `${COLLECTION}/`
const INCLUDED = Buffer.from('],"included":[')
const END = Buffer.from(']}')

const storage = process.argv[2] === 'columns' ? resourcesFromColumns : storedText(resources)
const database = openDatabase(databaseFile('node-http-json-api'), durability, resources, storage)
const lists = listReader(database, storage)
const writer = bookWriter(database, resources, storage)
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
    if (!acceptsJsonApi(request.headers.accept))
      throw new Problem(406, `Responses have the media type ${MEDIA_TYPE}.`)
    if (path.startsWith(ITEM)) {
      const id = decodeId(path.slice(ITEM.length))
      if (request.method === 'GET') return getItem(id, request, response)
      if (request.method === 'PATCH') return await patchItem(id, request, response)
      return refuseMethod('GET, PATCH', response)
    }
    if (path !== COLLECTION) throw new Problem(404, 'There is nothing here.')
    if (request.method === 'GET') return getList(mark < 0 ? '' : url.slice(mark + 1), response)
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
  sendItem(200, id, row[0], row[1], response)
}

/**
 * @param {string} search
 * @param {Response} response
 */
function getList(search, response) {
  const query = readListQuery(search)
  const page = query.page ?? { size: 20, number: 1 }
  const { books, authors, hasNext } = lists.page(query, page)
  const links = JSON.stringify({
    self: `${COLLECTION}?${withBracketsEncoded(search)}`,
    first: pageAt(search, 1),
    prev: page.number > 1 ? pageAt(search, page.number - 1) : null,
    next: hasNext ? pageAt(search, page.number + 1) : null,
  })
  const start = Buffer.from(`{"jsonapi":{"version":"1.1"},"links":${links},"data":[`)
  const included = query.includesAuthor ? [INCLUDED, authors] : []
  const body = Buffer.concat([start, books, ...included, END])
  response
    .writeHead(200, ['content-type', MEDIA_TYPE, 'content-length', body.length, 'vary', 'Accept'])
    .end(body)
}

/**
 * @param {Request} request
 * @param {Response} response
 */
async function createItem(request, response) {
  const { id, doc, hash } = writer.create(bookInDocument(await readBody(request, MEDIA_TYPE)))
  sendItem(201, id, doc, hash, response, ['location', ITEM + encodeURIComponent(id)])
}

/**
 * @param {string} id
 * @param {Request} request
 * @param {Response} response
 */
async function patchItem(id, request, response) {
  const members = bookInDocument(await readBody(request, MEDIA_TYPE))
  if (members.id === undefined) throw new Problem(400, 'The resource object needs its id.')
  const { doc, hash } = writer.patch(id, members, request.headers['if-match'])
  sendItem(200, id, doc, hash, response)
}

/**
 * @param {number} status
 * @param {string} id
 * @param {string} doc
 * @param {string} hash
 * @param {Response} response
 * @param {string[]} more headers
 */
function sendItem(status, id, doc, hash, response, more = []) {
  const self = ITEM + encodeURIComponent(id)
  const body = `{"jsonapi":{"version":"1.1"},"links":{"self":"${self}"},"data":${doc}}`
  const type = ['content-type', MEDIA_TYPE, 'content-length', Buffer.byteLength(body)]
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
  const { status, message } = problemOf(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const errors = [{ status: String(status), detail: message }]
  const body = JSON.stringify({ jsonapi: { version: '1.1' }, errors })
  response.statusCode = status
  response.setHeader('content-type', MEDIA_TYPE)
  response.setHeader('content-length', Buffer.byteLength(body))
  response.setHeader('vary', 'Accept')
  if (status === 413) response.setHeader('connection', 'close')
  response.end(body)
}

/** @param {string | undefined} accept */
function acceptsJsonApi(accept) {
  return (
    accept === undefined ||
    accept === MEDIA_TYPE ||
    /\*\/\*|application\/(\*|vnd\.api\+json *(,|$))/.test(accept)
  )
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
function pageAt(search, number) {
  const others = search.split('&').filter((pair) => !/^page(\[|%5B)number/i.test(pair))
  return `${COLLECTION}?${withBracketsEncoded([...others, `page[number]=${number}`].join('&'))}`
}

/** @param {string} search */
function withBracketsEncoded(search) {
  return search.replaceAll('[', '%5B').replaceAll(']', '%5D')
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
