// Converts rows of the table to objects of the API, and back.

/** @typedef {import('../../data.mjs').Book} Book */
/** @typedef {Book & { hash: string }} StoredBook */

/**
 * @typedef {Omit<StoredBook, 'inStock' | 'publishedAt' | 'tags' | 'dimensions' | 'editions' |
 * 'genres'> & { in_stock: number, published_at: string | null, tags: string, dimensions: string |
 * null, editions: string, genres: string, }} BookRow
 */

/**
 * @param {BookRow} row
 * @returns {StoredBook}
 */
export function bookOf(row) {
  return {
    id: row.id,
    title: row.title,
    price: row.price,
    inStock: row.in_stock === 1,
    stock: row.stock,
    pages: present(row.pages),
    publishedAt: present(row.published_at),
    tags: JSON.parse(row.tags),
    dimensions: present(row.dimensions && JSON.parse(row.dimensions)),
    editions: JSON.parse(row.editions),
    author: row.author,
    publisher: present(row.publisher),
    genres: JSON.parse(row.genres),
    hash: row.hash,
  }
}

/**
 * @param {Book} book
 * @param {string} hash
 * @returns {(string | number | null)[]} in the order of the table's columns
 */
export function parametersOf(book, hash) {
  return [
    book.id,
    book.title,
    book.price,
    book.inStock ? 1 : 0,
    book.stock,
    book.pages ?? null,
    book.publishedAt ?? null,
    JSON.stringify(book.tags),
    book.dimensions ? JSON.stringify(book.dimensions) : null,
    JSON.stringify(book.editions),
    book.author,
    book.publisher ?? null,
    JSON.stringify(book.genres),
    hash,
  ]
}

/**
 * Omits absent members from the JSON; the table has null for them.
 * @template T
 * @param {T} value
 * @returns {NonNullable<T>}
 */
function present(value) {
  return /** @type {NonNullable<T>} */ (value ?? undefined)
}
