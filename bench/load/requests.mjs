// The requests of each row, as the text that is sent.

import { BOOKS, bookDocument, bookId, newBook } from '../data.mjs'

const HOST = 'host: 127.0.0.1\r\n'
const TEMPLATES = 200

/** Coprime with the number of books, so that the requests cover all books, far from one another. */
const STRIDE = 3_571

/** @param {number} index */
const anyBook = (index) => bookId(1 + ((index * STRIDE) % BOOKS))

/**
 * @param {string} path
 * @param {string} headers
 */
export const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`

/**
 * @param {string} method
 * @param {string} path
 * @param {string} body
 * @param {string} mediaType
 */
function send(method, path, body, mediaType = 'application/json') {
  const length = Buffer.byteLength(body)
  return `${method} ${path} HTTP/1.1\r\n${HOST}content-type: ${mediaType}\r\ncontent-length: ${length}\r\n\r\n${body}`
}

/** @param {number} index */
export const getAnyItem = (index) => get(`/api/books/${anyBook(index)}`)

export const getAll = get('/api/books')

/**
 * @typedef {{ status: number, request: (turn: number) => string }} Row
 * @typedef {(ask: (request: string) => Promise<import('./response-reader.mjs').LoadResponse>) =>
 * Promise<Row>} RowOf a row may ask the server before the clock runs
 */

/**
 * The requests of a protocol: address, headers, and a book as the body of a request.
 *
 * @typedef {{ base: string, headers: string, mediaType: string, newBook: (book:
 * import('../data.mjs').Book) => string, newPrice: (id: string, price: number) => string, }}
 * Protocol
 */

/** @type {Protocol} */
const plain = {
  base: '/api/books',
  headers: '',
  mediaType: 'application/json',
  newBook: (book) => JSON.stringify({ book }),
  newPrice: (_, price) => `{"book":{"price":${price}}}`,
}

/** @type {Protocol} */
const jsonApi = {
  base: '/json-api/books',
  headers: 'accept: application/vnd.api+json\r\n',
  mediaType: 'application/vnd.api+json',
  newBook: (book) => JSON.stringify(bookDocument(book)),
  newPrice: (id, price) => `{"data":{"type":"books","id":"${id}","attributes":{"price":${price}}}}`,
}

/** @type {Readonly<Record<string, RowOf>>} */
export const ROWS = {
  ...rowsOf(plain),
  ...Object.fromEntries(
    Object.entries(rowsOf(jsonApi)).map(([row, of]) => [`json-api-${row}`, of]),
  ),
}

/**
 * @param {Protocol} protocol
 * @returns {Record<string, RowOf>}
 */
function rowsOf(protocol) {
  /** @param {number} index */
  const item = (index) => get(`${protocol.base}/${anyBook(index)}`, protocol.headers)
  return {
    item: async () => ({ status: 200, request: item }),
    304: (ask) => notModified(protocol, ask),
    list: fixed(protocol, '?page[size]=20'),
    filtered: fixed(
      protocol,
      '?filter[price][gte]=10&filter[inStock]=true&sort=-price&page[size]=100',
    ),
    include: fixed(protocol, '?page[size]=20&include=author'),
    create: async () => creating(protocol),
    patch: async () => ({ status: 200, request: (index) => patchAnyPrice(protocol, index) }),
  }
}

/**
 * @param {Protocol} protocol
 * @param {string} query
 * @returns {RowOf}
 */
function fixed({ base, headers }, query) {
  const request = get(base + query, headers)
  return async () => ({ status: 200, request: () => request })
}

/**
 * @param {Protocol} protocol
 * @param {Parameters<RowOf>[0]} ask
 * @returns {Promise<Row>}
 */
async function notModified({ base, headers }, ask) {
  /** @type {string[]} */
  const requests = []
  for (let index = 0; index < 1_000; index++) {
    const path = `${base}/${anyBook(index)}`
    const { head } = await ask(get(path, headers))
    const tag = /\r\netag: *(.+?)(\r\n|$)/i.exec(head)?.[1]
    if (!tag) throw new Error(`An item has no ETag: ${head}`)
    requests.push(get(path, `${headers}if-none-match: ${tag}\r\n`))
  }
  return {
    status: 304,
    request: (index) => /** @type {string} */ (requests[index % requests.length]),
  }
}

/**
 * @param {Protocol} protocol
 * @returns {Row}
 */
function creating({ base, mediaType, newBook: body }) {
  // Everything but the id is made beforehand, so that the load does not spend its core on it.
  const marker = 'c-00000000'
  const templates = Array.from({ length: TEMPLATES }, (_, index) => {
    const text = send('POST', base, body(newBook(marker, 1_000 + index)), mediaType)
    return /** @type {[string, string]} */ (text.split(marker))
  })
  return {
    status: 201,
    request: (index) => {
      const [before, after] = /** @type {[string, string]} */ (templates[index % TEMPLATES])
      return `${before}c-${String(index).padStart(8, '0')}${after}`
    },
  }
}

/**
 * @param {Protocol} protocol
 * @param {number} index a new price each time: a server that notices that nothing changes gains
 * nothing by it
 */
function patchAnyPrice({ base, mediaType, newPrice }, index) {
  const price = (1_000 + (index % 8_999)) / 100
  const id = anyBook(index)
  return send('PATCH', `${base}/${id}`, newPrice(id, price), mediaType)
}
