// What each row asks, as the text that goes over the wire.

import { BOOKS, bookId, newBook } from '../data.mjs'

const HOST = 'host: 127.0.0.1\r\n'
const TEMPLATES = 200

/** Coprime with the number of books, so that the requests walk through all of them, far from one another. */
const STRIDE = 3_571

/** @param {number} turn */
const anyBook = (turn) => bookId(1 + ((turn * STRIDE) % BOOKS))

/**
 * @param {string} path
 * @param {string} headers
 */
export const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`

/**
 * @param {string} method
 * @param {string} path
 * @param {string} body
 */
export function send(method, path, body) {
  const length = Buffer.byteLength(body)
  return `${method} ${path} HTTP/1.1\r\n${HOST}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
}

/** @param {number} turn */
export const getAnyItem = (turn) => get(`/api/books/${anyBook(turn)}`)

export const getAll = get('/api/books')

/**
 * @typedef {{ status: number, request: (turn: number) => string }} Row
 * @typedef {(ask: (request: string) => Promise<import('./answer-reader.mjs').Answer>) => Promise<Row>} RowOf
 * a row may ask the server before the clock runs
 */

/** @type {Readonly<Record<string, RowOf>>} */
export const ROWS = {
  item: async () => ({ status: 200, request: getAnyItem }),
  304: notModified,
  list: fixed('/api/books?page[size]=20'),
  filtered: fixed('/api/books?filter[price][gte]=10&filter[inStock]=true&sort=-price&page[size]=100'),
  include: fixed('/api/books?page[size]=20&include=author'),
  create,
  patch: async () => ({ status: 200, request: patchAnyPrice }),
}

/**
 * @param {string} path
 * @returns {RowOf}
 */
function fixed(path) {
  const request = get(path)
  return async () => ({ status: 200, request: () => request })
}

/** @type {RowOf} */
async function notModified(ask) {
  /** @type {string[]} */
  const requests = []
  for (let turn = 0; turn < 1_000; turn++) {
    const { head } = await ask(getAnyItem(turn))
    const tag = /\r\netag: *(.+?)(\r\n|$)/i.exec(head)?.[1]
    if (!tag) throw new Error(`An item has no ETag: ${head}`)
    requests.push(get(`/api/books/${anyBook(turn)}`, `if-none-match: ${tag}\r\n`))
  }
  return { status: 304, request: (turn) => /** @type {string} */ (requests[turn % requests.length]) }
}

/** @type {RowOf} */
async function create() {
  // Everything but the id is made beforehand: the load must not spend its core on making up books.
  const marker = 'c-00000000'
  const templates = Array.from({ length: TEMPLATES }, (_, index) => {
    const text = send('POST', '/api/books', JSON.stringify({ book: newBook(marker, 1_000 + index) }))
    return /** @type {[string, string]} */ (text.split(marker))
  })
  return {
    status: 201,
    request: (turn) => {
      const [before, after] = /** @type {[string, string]} */ (templates[turn % TEMPLATES])
      return `${before}c-${String(turn).padStart(8, '0')}${after}`
    },
  }
}

/** @param {number} turn a new price each time: a server that notices that nothing changes gains nothing by it */
function patchAnyPrice(turn) {
  const price = (1_000 + (turn % 8_999)) / 100
  return send('PATCH', `/api/books/${anyBook(turn)}`, `{"book":{"price":${price}}}`)
}
