// One JSON text per item, stored exactly as it is sent; further columns only for what is searched.

import { DatabaseSync } from '@photostructure/sqlite'
import { authors, books, genres, publishers } from '../../data.mjs'
import { hashOf } from '../hash.mjs'

/**
 * How items are stored: in the form in which they are sent.
 *
 * @typedef {{ stored: (kind: 'books' | 'authors' | 'publishers' | 'genres', item: any) => Stored,
 * membersOf: (doc: string) => Record<string, unknown>, path: string, missing: number, }} Form
 * `path` is the JSON path of the fields of a book; `missing` is the status of a response about a
 * related item that does not exist
 * @typedef {{ hash: string, doc: string }} Stored
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

/** @param {Form} form */
const schema = ({ path }) => `
create table authors (id text primary key not null, doc text not null);
create table publishers (id text primary key not null, doc text not null);
create table genres (id text primary key not null, doc text not null);
create table books (
  id text primary key not null,
  hash text not null,
  author text not null,
  doc text not null,
  price real as (doc ->> '${path}.price') virtual,
  in_stock integer as (doc ->> '${path}.inStock') virtual
);
create index books_in_stock_price on books (in_stock, price desc, id desc);
create index books_price on books (price, id);
create index books_author on books (author, id);`

/**
 * @param {string} file
 * @param {'full' | 'normal'} durability
 * @param {Form} form
 */
export function openDatabase(file, durability, form) {
  const database = new DatabaseSync(file)
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${durability}; pragma cache_size = -65536;`,
  )
  if (!database.prepare("select 1 from sqlite_schema where name = 'books'").get())
    seed(database, form)
  return database
}

/** @typedef {ReturnType<typeof openDatabase>} Database */

/**
 * @param {Database} database
 * @param {Form} form
 */
function seed(database, form) {
  database.exec(`${schema(form)} begin`)
  for (const [table, items] of Object.entries({
    authors: authors(),
    publishers: publishers(),
    genres: genres(),
  })) {
    const insert = database.prepare(`insert into ${table} (id, doc) values (?, ?)`)
    for (const item of items)
      insert.run(item.id, form.stored(/** @type {'authors'} */ (table), item).doc)
  }
  const insert = database.prepare('insert into books (id, hash, author, doc) values (?, ?, ?, ?)')
  for (const book of books()) {
    const { hash, doc } = form.stored('books', book)
    insert.run(book.id, hash, book.author, doc)
  }
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
}
