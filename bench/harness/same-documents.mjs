// The same check for the JSON:API servers: before any measurement, they have to send the same
// documents.

import assert from 'node:assert/strict'
import { authors, bookDocument, bookId, books, newBook } from '../data.mjs'

const MEDIA_TYPE = 'application/vnd.api+json'
const BASE = '/json-api'

/** @typedef {Record<string, any>} Members */

/**
 * @param {import('./servers.mjs').Server} server
 * @param {{ isOtherCommit: boolean }} options
 */
export async function checkSameDocuments({ port }, { isOtherCommit }) {
  const all = books()
  const host = `http://127.0.0.1:${port}`
  /**
   * @param {string} path
   * @param {RequestInit} init
   */
  const sendRequest = (path, init = {}) =>
    fetch(host + path, { ...init, headers: { accept: MEDIA_TYPE, ...init.headers } })
  /**
   * @param {string} method
   * @param {string} path
   * @param {object} document
   */
  const write = (method, path, document) =>
    sendRequest(BASE + path, {
      method,
      headers: { 'content-type': MEDIA_TYPE },
      body: JSON.stringify(document),
    })

  const sample = /** @type {import('../data.mjs').Book} */ (all[41])
  const { tag } = await checkItem(await sendRequest(`${BASE}/books/${sample.id}`), 200, sample)
  assert.equal(
    (await sendRequest(`${BASE}/books/${sample.id}`, { headers: { 'if-none-match': tag } })).status,
    304,
  )
  assert.equal((await sendRequest(`${BASE}/books/b-0`)).status, 404)

  const first = await checkList(await sendRequest(`${BASE}/books?page[size]=20`), all.slice(0, 20))
  await checkList(await sendRequest(first.links.next), all.slice(20, 40))

  const expected = all
    .filter((book) => book.inStock && book.price >= 10)
    .sort((entry, other) => other.price - entry.price || (entry.id < other.id ? 1 : -1))
  const filtered = `${BASE}/books?filter[price][gte]=10&filter[inStock]=true&sort=-price&page[size]=100`
  // Older commits have another order of books with equal prices.
  if (!isOtherCommit) await checkList(await sendRequest(filtered), expected.slice(0, 100))

  const { included } = await checkList(
    await sendRequest(`${BASE}/books?page[size]=20&include=author`),
    all.slice(0, 20),
  )
  const authorIds = new Set(all.slice(0, 20).map((book) => book.author))
  assert.deepEqual(
    included.map(withoutVersion).sort(byId),
    authors()
      .filter((author) => authorIds.has(author.id))
      .map(authorResource),
  )

  const fresh = newBook('x-1', 7)
  const created = await write('POST', '/books', bookDocument(fresh))
  assert.equal(created.headers.get('location'), `${BASE}/books/x-1`)
  await checkItem(created, 201, fresh)
  await checkItem(await sendRequest(`${BASE}/books/x-1`), 200, fresh)
  assert.equal((await write('POST', '/books', bookDocument(fresh))).status, 409)
  assert.equal(
    (await write('POST', '/books', bookDocument({ ...fresh, id: 'x-2', price: -1 }))).status,
    422,
  )
  assert.equal(
    (await write('POST', '/books', bookDocument({ ...fresh, id: 'x-2', author: 'a-000' }))).status,
    404,
  )

  const id = bookId(42)
  const change = { data: { type: 'books', id, attributes: { price: 12.34 } } }
  const after = await checkItem(await write('PATCH', `/books/${id}`, change), 200, {
    ...sample,
    price: 12.34,
  })
  assert.notEqual(after.tag, tag)
  await checkItem(await sendRequest(`${BASE}/books/${id}`), 200, { ...sample, price: 12.34 })
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {import('../data.mjs').Book} book
 */
async function checkItem(response, status, book) {
  const document = await documentOf(response, status)
  assert.deepEqual(document.links, { self: `${BASE}/books/${book.id}` })
  assert.deepEqual(withoutVersion(document.data), bookResource(book))
  const tag = response.headers.get('etag') ?? ''
  assert.equal(tag, `"${document.data.meta.version}"`, 'the version is the tag')
  return { tag }
}

/**
 * @param {Response} response
 * @param {import('../data.mjs').Book[]} expected
 */
async function checkList(response, expected) {
  const document = await documentOf(response, 200)
  assert.deepEqual(document.data.map(withoutVersion), expected.map(bookResource))
  assert.deepEqual(Object.keys(document.links).sort(), ['first', 'next', 'prev', 'self'])
  return /** @type {{ links: Record<string, any>, included: Members[] }} */ (document)
}

/**
 * @param {Response} response
 * @param {number} status
 * @returns {Promise<Members>}
 */
async function documentOf(response, status) {
  const text = await response.text()
  assert.equal(response.status, status, text)
  assert.ok(response.headers.get('content-type')?.startsWith(MEDIA_TYPE))
  assert.match(response.headers.get('vary') ?? '', /accept/i)
  const document = JSON.parse(text)
  assert.equal(document.jsonapi.version, '1.1')
  return document
}

/** @param {import('../data.mjs').Book} book */
function bookResource(book) {
  const { data } = bookDocument(book)
  const self = `${BASE}/books/${book.id}`
  const relationships = Object.entries(data.relationships).map(([name, { data }]) => [
    name,
    { links: { self: `${self}/relationships/${name}`, related: `${self}/${name}` }, data },
  ])
  return { ...data, relationships: Object.fromEntries(relationships), links: { self } }
}

/** @param {import('../data.mjs').Author} author */
function authorResource({ id, ...attributes }) {
  const self = `${BASE}/authors/${id}`
  const links = { self: `${self}/relationships/books`, related: `${self}/books` }
  return { type: 'authors', id, attributes, relationships: { books: { links } }, links: { self } }
}

/** @param {Members} resource */
function withoutVersion({ meta, ...resource }) {
  assert.match(meta.version, /^[\w-]{43}$/)
  return resource
}

/**
 * @param {Members} one
 * @param {Members} other
 */
const byId = (one, other) => (one.id < other.id ? -1 : 1)
