// Only servers that do the same work can be compared: before any measurement, every server has to
// send the same responses.

import assert from 'node:assert/strict'
import { authors, bookId, books, newBook } from '../data.mjs'

/** @typedef {Record<string, unknown>} Members */

/**
 * @param {import('./servers.mjs').Server} server
 * @param {{ isOtherCommit: boolean }} options
 */
export async function checkSameWork({ port }, { isOtherCommit }) {
  const all = books()
  /**
   * @param {string} path
   * @param {RequestInit} init
   */
  const sendRequest = (path, init = {}) => fetch(`http://127.0.0.1:${port}/api/books${path}`, init)
  /**
   * @param {string} method
   * @param {string} path
   * @param {object} book
   */
  const write = (method, path, book) =>
    sendRequest(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ book }),
    })
  /** @param {string} path */
  const list = async (path) => {
    const response = await sendRequest(path)
    assert.equal(response.status, 200, path)
    const body = /** @type {Record<string, Members[]>} */ (await response.json())
    return {
      link: response.headers.get('link') ?? '',
      books: body.books ?? [],
      authors: body.authors ?? [],
    }
  }

  const sample = /** @type {import('../data.mjs').Book} */ (all[41])
  const item = await sendRequest(`/${sample.id}`)
  const { tag } = await checkItem(item, 200, sample)
  assert.equal(
    (await sendRequest(`/${sample.id}`, { headers: { 'if-none-match': tag } })).status,
    304,
  )
  assert.equal((await sendRequest('/b-0')).status, 404)

  const first = await list('?page[size]=20')
  assert.deepEqual(first.books.map(withoutHash), all.slice(0, 20))
  assert.match(first.link, /page(\[|%5B)(number|after)(\]|%5D)=.*rel="?next/)

  const filtered = await list(
    '?filter[price][gte]=10&filter[inStock]=true&sort=-price&page[size]=100',
  )
  const expected = all
    .filter((book) => book.inStock && book.price >= 10)
    .sort((entry, other) => other.price - entry.price || (entry.id < other.id ? 1 : -1))
  // Older commits have another order of books with equal prices.
  if (!isOtherCommit) assert.deepEqual(filtered.books.map(withoutHash), expected.slice(0, 100))

  const included = await list('?page[size]=20&include=author')
  const authorIds = new Set(all.slice(0, 20).map((book) => book.author))
  assert.deepEqual(included.books.map(withoutHash), all.slice(0, 20))
  assert.deepEqual(
    included.authors.map(withoutHash).sort(byId),
    authors().filter((author) => authorIds.has(author.id)),
  )

  const whole = await list('')
  assert.deepEqual(whole.books.map(withoutHash), all)

  const fresh = newBook('x-1', 7)
  const created = await write('POST', '', fresh)
  assert.equal(created.headers.get('location'), '/api/books/x-1')
  await checkItem(created, 201, fresh)
  await checkItem(await sendRequest('/x-1'), 200, fresh)
  assert.equal((await write('POST', '', fresh)).status, 409)
  assert.equal((await write('POST', '', { ...fresh, id: 'x-2', price: -1 })).status, 422)
  assert.equal((await write('POST', '', { ...fresh, id: 'x-2', author: 'a-000' })).status, 422)

  const patched = await write('PATCH', `/${bookId(42)}`, { price: 12.34 })
  const after = await checkItem(patched, 200, { ...sample, price: 12.34 })
  assert.notEqual(after.tag, tag)
  await checkItem(await sendRequest(`/${sample.id}`), 200, { ...sample, price: 12.34 })
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {object} book
 */
async function checkItem(response, status, book) {
  const text = await response.text()
  assert.equal(response.status, status, text)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  assert.match(response.headers.get('vary') ?? '', /accept/i)
  const { book: sent } = JSON.parse(text)
  assert.deepEqual(withoutHash(sent), book)
  const tag = response.headers.get('etag') ?? ''
  assert.equal(tag, `"${sent.hash}"`, 'the hash is the tag')
  return { tag }
}

/** @param {Members} item */
function withoutHash({ hash: _, ...members }) {
  return members
}

/**
 * @param {Members} one
 * @param {Members} other
 */
const byId = (one, other) => (String(one.id) < String(other.id) ? -1 : 1)
