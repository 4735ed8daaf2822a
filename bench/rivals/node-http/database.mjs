// The database of the baselines: what a form of items is, and where their texts come from.

import { DatabaseSync } from '@photostructure/sqlite'
import { authors, books, genres, publishers } from '../../data.mjs'
import { hashOf } from '../hash.mjs'

/** @typedef {'books' | 'authors' | 'publishers' | 'genres'} Kind */
/** @typedef {{ hash: string, doc: string }} Stored */
/**
 * The form in which items are sent.
 *
 * @typedef {{ stored: (kind: Kind, item: any) => Stored, membersOf: (doc: string) => Record<string,
 * unknown>, path: string, missing: number, }} Form `path` is the JSON path of the fields of a book;
 * `missing` is the status of a response about a related item that does not exist
 */
/**
 * Where the texts of items are.
 *
 * @typedef {{ schema: string, bookText: string, authorText: string, bookColumns: string[],
 * valuesOf: (kind: Kind, item: any, stored: Stored) => (string | number | null)[], columnsOf:
 * (kind: Exclude<Kind, 'books'>) => string[] }} Storage `bookText` and `authorText` are SQL
 */

/** @type {Form} the item's own JSON, with its hash as the last member */
export const plain = {
  stored: (_, item) => {
    const text = JSON.stringify(item)
    const hash = hashOf(text)
    return { hash, doc: `${text.slice(0, -1)},"hash":"${hash}"}` }
  },
  membersOf: (doc) => {
    const { hash: _, ...members } = JSON.parse(doc)
    return members
  },
  path: '$',
  missing: 422,
}

/**
 * @param {string} file
 * @param {'full' | 'normal'} durability
 * @param {Form} form
 * @param {Storage} storage
 */
export function openDatabase(file, durability, form, storage) {
  const database = new DatabaseSync(file)
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${durability}; pragma cache_size = -65536;`,
  )
  if (!database.prepare("select 1 from sqlite_schema where name = 'books'").get())
    seed(database, form, storage)
  return database
}

/** @typedef {ReturnType<typeof openDatabase>} Database */

/**
 * @param {Database} database
 * @param {Form} form
 * @param {Storage} storage
 */
function seed(database, form, storage) {
  database.exec(`${storage.schema} begin`)
  const related = { authors: authors(), publishers: publishers(), genres: genres() }
  for (const kind of /** @type {const} */ (['authors', 'publishers', 'genres'])) {
    const insert = database.prepare(insertSql(kind, storage.columnsOf(kind)))
    for (const item of related[kind])
      insert.run(...storage.valuesOf(kind, item, form.stored(kind, item)))
  }
  const insert = database.prepare(insertSql('books', storage.bookColumns))
  for (const book of books())
    insert.run(...storage.valuesOf('books', book, form.stored('books', book)))
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
}

/**
 * @param {Kind} kind
 * @param {string[]} columns
 */
export function insertSql(kind, columns) {
  return `insert into ${kind} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`
}
