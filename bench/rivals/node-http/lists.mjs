// SQLite returns each list as one blob of JSON. Text with characters beyond ASCII would be decoded
// and encoded again, which costs more than the query.

/** @typedef {import('./database.mjs').Database} Database */
/** @typedef {import('./list-query.mjs').ListQuery} ListQuery */
/** @typedef {import('./list-query.mjs').Page} Page */

const ROWS_PER_STEP = 200
const STATEMENTS_KEPT = 200

const asArrays = { returnArrays: true }

/**
 * @param {Database} database
 * @param {import('./database.mjs').Storage} storage
 */
export function listReader(database, { bookText, authorText }) {
  /** @type {Map<string, ReturnType<Database['prepare']>>} */
  const statements = new Map()
  const authorsById = database.prepare(
    `select cast(group_concat(${authorText}, ',') as blob) from authors where id in (select value from json_each(?))`,
    asArrays,
  )

  /**
   * @param {string} sql prepared once for each query shape; the cache is cleared when it is full
   */
  const prepared = (sql) => {
    let statement = statements.get(sql)
    if (!statement) {
      if (statements.size === STATEMENTS_KEPT) statements.clear()
      statement = database.prepare(sql, asArrays)
      statements.set(sql, statement)
    }
    return statement
  }

  return {
    /**
     * @param {ListQuery} query
     * @param {Page} page
     * @returns {{ books: Uint8Array, authors: Uint8Array, hasNext: boolean }} rows
     * without brackets, separated by commas
     */
    page(query, page) {
      const where = query.where && `where ${query.where}`
      const rows = `from books ${where} order by ${query.order}`
      const skip = (page.number - 1) * page.size
      const columns = query.includesAuthor ? ', json_group_array(distinct author)' : ''
      const [books, count, authors] = prepared(
        `select cast(group_concat(doc, ',') as blob), count(*) ${columns} from (select ${bookText} as doc, author ${rows} limit ? offset ?)`,
      ).get(...query.values, page.size, skip)
      const hasNext =
        count === page.size &&
        prepared(`select 1 ${rows} limit 1 offset ?`).get(...query.values, skip + count) !==
          undefined
      const included = query.includesAuthor ? authorsById.get(authors)[0] : undefined
      return { books: books ?? NOTHING, authors: included ?? NOTHING, hasNext }
    },

    /**
     * @param {ListQuery} query
     * @param {string} after the last id of the step before, '' for the first
     * @returns {{ rows: Uint8Array | null, last: string, isFull: boolean }} rows without brackets,
     * separated by commas
     */
    step(query, after) {
      const [rows, last, count] = prepared(
        `select cast(group_concat(doc, ',') as blob), max(id), count(*) from (
          select id, ${bookText} as doc from books where id > ? ${query.where && `and ${query.where}`} order by id limit ${ROWS_PER_STEP})`,
      ).get(after, ...query.values)
      return { rows, last, isFull: count === ROWS_PER_STEP }
    },
  }
}

const NOTHING = Buffer.alloc(0)
