// The table of the books. Each statement is prepared once; lists have one statement for each query
// shape.

import { parametersOf } from '../columns.mjs'
import { INSERT } from './database.mjs'
import { bookOf } from './rows.mjs'

/** @typedef {import('./database.mjs').Database} Database */
/** @typedef {import('../../data.mjs').Book} Book */
/** @typedef {Record<string, string | number | boolean | undefined>} ListQuery */

/** @type {Readonly<Record<string, string>>} */
const FILTERS = {
  'filter[price][gte]': 'price >= ?',
  'filter[price][lte]': 'price <= ?',
  'filter[inStock]': 'in_stock = ?',
  'filter[author]': 'author = ?',
}

/** @type {Readonly<Record<string, string>>} */
const ORDERS = { price: 'price, id', '-price': 'price desc, id desc' }

/** @param {Database} database */
export function bookTable(database) {
  /** @type {Map<string, ReturnType<Database['prepare']>>} */
  const statements = new Map()
  const one = database.prepare('select * from books where id = ?')
  const authors = database.prepare(
    'select * from authors where id in (select value from json_each(?))',
  )
  const hasAuthor = database.prepare('select 1 from authors where id = ?')
  const hasPublisher = database.prepare('select 1 from publishers where id = ?')
  const unknownGenre = database.prepare(
    'select value from json_each(?) where value not in (select id from genres) limit 1',
  )
  const insert = database.prepare(INSERT)
  const update =
    database.prepare(`update books set title = ?, price = ?, in_stock = ?, stock = ?, pages = ?,
    published_at = ?, tags = ?, dimensions = ?, editions = ?, author = ?, publisher = ?, genres = ?, hash = ?
    where id = ?`)
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')

  /** @param {string} sql */
  const prepared = (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  return {
    /** @param {string} id */
    find(id) {
      const row = one.get(id)
      return row && bookOf(row)
    },

    /**
     * @param {ListQuery} query
     * @param {number | undefined} limit
     * @param {number} offset
     */
    list(query, limit, offset) {
      const used = Object.keys(FILTERS).filter((name) => query[name] !== undefined)
      const where =
        used.length > 0 ? `where ${used.map((name) => FILTERS[name]).join(' and ')}` : ''
      const order = ORDERS[String(query.sort)] ?? 'id'
      const values = used.map((name) =>
        typeof query[name] === 'boolean' ? Number(query[name]) : query[name],
      )
      if (limit !== undefined) values.push(limit, offset)
      const sql = `select * from books ${where} order by ${order} ${limit === undefined ? '' : 'limit ? offset ?'}`
      return prepared(sql)
        .all(...values)
        .map(bookOf)
    },

    /** @param {Book[]} books */
    authorsOf(books) {
      return authors.all(JSON.stringify([...new Set(books.map((book) => book.author))]))
    },

    /**
     * @param {Book} book
     * @returns {string | undefined} the first related item that does not exist
     */
    missingRelation(book) {
      if (!hasAuthor.get(book.author)) return `author ${book.author}`
      if (book.publisher !== undefined && !hasPublisher.get(book.publisher))
        return `publisher ${book.publisher}`
      const genre = unknownGenre.get(JSON.stringify(book.genres))
      return genre && `genre ${genre.value}`
    },

    /** @param {Book} book @param {string} hash */
    insert(book, hash) {
      insert.run(...parametersOf(book, hash))
    },

    /** @param {Book} book @param {string} hash */
    update(book, hash) {
      const [id, ...rest] = parametersOf(book, hash)
      update.run(...rest, id)
    },

    /** @template T @param {() => T} work @returns {T} */
    transaction(work) {
      begin.run()
      try {
        const result = work()
        commit.run()
        return result
      } catch (error) {
        if (database.isTransaction) rollback.run()
        throw error
      }
    },
  }
}
