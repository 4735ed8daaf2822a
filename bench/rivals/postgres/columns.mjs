// The columns of a book, in the order in which both rivals write them.

/** @typedef {import('../../data.mjs').Book} Book */

export const COLUMNS = [
  'id',
  'title',
  'price',
  'in_stock',
  'stock',
  'pages',
  'published_at',
  'tags',
  'dimensions',
  'editions',
  'author_id',
  'publisher_id',
]

const placeholders = COLUMNS.map((_, index) => `$${index + 1}`)

export const INSERT = `insert into books (${COLUMNS.join(', ')}) values (${placeholders.join(', ')}) returning xmin::text as hash`

export const UPDATE = `update books set ${COLUMNS.slice(1)
  .map((column, index) => `${column} = $${index + 2}`)
  .join(', ')} where id = $1 returning xmin::text as hash`

/** The genres of a book, in their order. */
export const GENRES =
  "coalesce((select json_agg(j.genre_id order by j.position) from books_genres j where j.book_id = b.id), '[]')"

/**
 * @param {Book} book
 * @returns {unknown[]}
 */
export function parametersOf(book) {
  return [
    book.id,
    book.title,
    book.price,
    book.inStock,
    book.stock,
    book.pages ?? null,
    book.publishedAt ?? null,
    JSON.stringify(book.tags),
    book.dimensions ? JSON.stringify(book.dimensions) : null,
    JSON.stringify(book.editions),
    book.author,
    book.publisher ?? null,
  ]
}
