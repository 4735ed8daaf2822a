// Converts rows of the table to objects of the API.

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
 * Omits absent members from the JSON; the table has null for them.
 * @template T
 * @param {T} value
 * @returns {NonNullable<T>}
 */
function present(value) {
  return /** @type {NonNullable<T>} */ (value ?? undefined)
}
