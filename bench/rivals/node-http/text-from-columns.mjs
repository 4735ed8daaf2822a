// One column for each field; SQLite makes the JSON of an item when it is read.

import { BOOK_COLUMNS, parametersOf, SCHEMA } from '../columns.mjs'

/** @typedef {import('./database.mjs').Storage} Storage */

/** The members of a book that are no relations. */
export const BOOK_MEMBERS = `'title', title, 'price', price, 'inStock', json(iif(in_stock, 'true', 'false')),
  'stock', stock, 'pages', pages, 'publishedAt', published_at, 'tags', json(tags),
  'dimensions', json(dimensions), 'editions', json(editions)`

const COLUMNS = {
  authors: ['id', 'name', 'born', 'bio', 'hash'],
  publishers: ['id', 'name', 'country', 'founded'],
  genres: ['id', 'name'],
}

/**
 * @param {string} bookText
 * @param {string} authorText
 * @returns {Storage}
 */
export const textFromColumns = (bookText, authorText) => ({
  schema: SCHEMA,
  bookText,
  authorText,
  bookColumns: BOOK_COLUMNS,
  columnsOf: (kind) => COLUMNS[kind],
  valuesOf: (kind, item, { hash }) =>
    kind === 'books'
      ? parametersOf(item, hash)
      : COLUMNS[kind].map((column) => (column === 'hash' ? hash : item[column])),
})

export const plainFromColumns = textFromColumns(
  `json_object('id', id, ${BOOK_MEMBERS}, 'author', author, 'publisher', publisher,
  'genres', json(genres), 'hash', hash)`,
  "json_object('id', id, 'name', name, 'born', born, 'bio', bio, 'hash', hash)",
)
