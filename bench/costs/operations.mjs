// The operations that are measured, as the requests that one connection sends.

import { bookDocument, bookId, newBook } from '../data.mjs'
import { get } from '../load/requests.mjs'

/**
 * @typedef {import('../load/response-reader.mjs').LoadResponse} LoadResponse
 * @typedef {object} Sender the requests of one connection, one after the other
 * @property {number} status of each response
 * @property {() => string | undefined} next the next request; undefined where there is none
 * @property {(response: LoadResponse) => unknown} [onResponse]
 *
 * @typedef {object} Bookstore
 * @property {number} books
 * @property {() => number} count a number that was never given before, for all connections
 * @property {string[]} created ids of books that may be deleted
 *
 * @typedef {(store: Bookstore, connection: number, ask: (request: string) =>
 * Promise<LoadResponse>) => Sender | Promise<Sender>} SenderOf
 */

/** Coprime with the number of books, so that the requests cover all books. */
const STRIDE = 3_571
const TEMPLATES = 100
const BATCH = 10
const UPLOAD_BYTES = 65_536
const ATOMIC = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

/** The last books belong to one connection each, which knows their versions. */
const OWNED = 64
/** As many before them stay as they are, so that their versions are valid beside any write. */
const UNCHANGED = 64

/** @param {Bookstore} store */
const anyBook = ({ books, count }) => bookId(1 + ((count() * STRIDE) % (books - OWNED - UNCHANGED)))

/**
 * @param {string} method
 * @param {string} path
 * @param {string} body
 * @param {string} [headers]
 * @param {string} [type]
 */
function send(method, path, body, headers = '', type = 'application/json') {
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** @param {string} query @returns {SenderOf} */
const list = (query) => () => {
  const request = get(`/api/books?${query}`)
  return { status: 200, next: () => request }
}

/** @param {number} number */
const price = (number) => (1_000 + (number % 8_999)) / 100

/** The id of a new book has always the same length, so that templates keep theirs. */
const MARKER = 'c-00000000'

/** @param {Bookstore} store */
const newId = ({ count }) => `c-${String(count()).padStart(8, '0')}`

/**
 * New books; all but the id is made before.
 *
 * @param {string} headers
 * @returns {SenderOf}
 */
const creation = (headers) => (store) => {
  const templates = Array.from({ length: TEMPLATES }, (_, index) =>
    send('POST', '/api/books', JSON.stringify({ book: newBook(MARKER, index + 1) }), headers),
  )
  let turn = 0
  let id = ''
  return {
    status: 201,
    next: () => {
      id = newId(store)
      return String(templates[turn++ % TEMPLATES]).replaceAll(MARKER, id)
    },
    onResponse: () => store.created.push(id),
  }
}

/** @type {SenderOf} */
const batch = (store) => {
  let turn = 0
  /** @type {string[]} */
  let ids = []
  return {
    status: 200,
    next: () => {
      ids = Array.from({ length: BATCH }, () => newId(store))
      const operations = ids.map((id) => ({ op: 'add', ...bookDocument(newBook(id, turn++)) }))
      const body = JSON.stringify({ 'atomic:operations': operations })
      return send('POST', '/json-api/operations', body, '', ATOMIC)
    },
    onResponse: () => store.created.push(...ids),
  }
}

/** @param {string} head */
function tagOf(head) {
  const tag = /\r\netag: *(.+?)(\r\n|$)/i.exec(head)?.[1]
  if (!tag) throw new Error(`An item has no ETag: ${head}`)
  return tag
}

/** @type {SenderOf} */
const notModified = async (store, _, ask) => {
  /** @type {string[]} */
  const requests = []
  for (let turn = 0; turn < UNCHANGED; turn++) {
    const path = `/api/books/${bookId(store.books - OWNED - turn)}`
    requests.push(get(path, `if-none-match: ${tagOf((await ask(get(path))).head)}\r\n`))
  }
  let turn = 0
  return { status: 304, next: () => String(requests[turn++ % requests.length]) }
}

/** @type {SenderOf} */
const conditionalPatch = async (store, connection, ask) => {
  const path = `/api/books/${bookId(store.books - connection)}`
  let tag = tagOf((await ask(get(path))).head)
  return {
    status: 200,
    next: () =>
      send('PATCH', path, `{"book":{"price":${price(store.count())}}}`, `if-match: ${tag}\r\n`),
    onResponse: ({ head }) => {
      tag = tagOf(head)
    },
  }
}

const SCANS_OF_CONNECTION = 8

/** @param {number} connection @param {number} turn */
const scanPath = (connection, turn) =>
  `/api/books/${bookId(1 + connection * SCANS_OF_CONNECTION + (turn % SCANS_OF_CONNECTION))}/scan`

/** @type {SenderOf} */
const upload = ({ count }, connection) => {
  const rest = 'x'.repeat(UPLOAD_BYTES - 10)
  let turn = 0
  return {
    status: 200,
    next: () => {
      // Each file is another one.
      const bytes = String(count()).padStart(10, '0') + rest
      return send('POST', scanPath(connection, turn++), bytes, '', 'application/x-own')
    },
  }
}

/** @type {SenderOf} */
const download = async (store, connection, ask) => {
  const uploads = await upload(store, connection, ask)
  for (let turn = 0; turn < SCANS_OF_CONNECTION; turn++)
    await ask(/** @type {string} */ (uploads.next()))
  let turn = 0
  return { status: 200, next: () => get(scanPath(connection, turn++)) }
}

/** @type {Readonly<Record<string, SenderOf>>} */
export const OPERATIONS = {
  item: (store) => ({ status: 200, next: () => get(`/api/books/${anyBook(store)}`) }),
  'not modified': notModified,
  list: list('page[size]=20'),
  filtered: list('filter[price][gte]=10&filter[inStock]=true&sort=-price&page[size]=20'),
  include: list('page[size]=20&include=author'),
  search: list('search=lantern+ocean&page[size]=20'),
  create: creation(''),
  // The key is as new as the book.
  'create once': creation(`idempotency-key: "${MARKER}"\r\n`),
  patch: (store) => ({
    status: 200,
    next: () => {
      const body = `{"book":{"price":${price(store.count())}}}`
      return send('PATCH', `/api/books/${anyBook(store)}`, body)
    },
  }),
  'conditional patch': conditionalPatch,
  replace: (store) => ({
    status: 200,
    next: () => {
      const id = anyBook(store)
      return send('PUT', `/api/books/${id}`, JSON.stringify({ book: newBook(id, store.count()) }))
    },
  }),
  action: (store) => ({
    status: 200,
    next: () => send('POST', `/api/books/${anyBook(store)}/restock`, '{"amount":1}'),
  }),
  'batch of 10': batch,
  delete: (store) => ({
    status: 204,
    next: () => {
      const id = store.created.shift()
      return id && `DELETE /api/books/${id} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
    },
  }),
  'upload 64 KiB': upload,
  'download 64 KiB': download,
}

/** They change nothing, so that a replica can do them. */
export const READS = ['item', 'not modified', 'list', 'filtered', 'include', 'search']
