// One column per field, as in a relational schema; nested values are JSON in a column of their own.

import { DatabaseSync } from '@photostructure/sqlite'
import { authors, books, genres, publishers } from '../../data.mjs'
import { hashOf } from '../hash.mjs'
import { parametersOf } from './rows.mjs'

const SCHEMA = `
create table authors (id text primary key not null, name text not null, born text, bio text, hash text not null);
create table publishers (id text primary key not null, name text not null, country text, founded integer);
create table genres (id text primary key not null, name text not null);
create table books (
  id text primary key not null,
  title text not null,
  price real not null,
  in_stock integer not null,
  stock integer not null,
  pages integer,
  published_at text,
  tags text not null,
  dimensions text,
  editions text not null,
  author text not null references authors (id),
  publisher text references publishers (id),
  genres text not null,
  hash text not null
);
create index books_in_stock_price on books (in_stock, price desc, id desc);
create index books_price on books (price, id);
create index books_author on books (author, id);`

export const INSERT = `insert into books
  (id, title, price, in_stock, stock, pages, published_at, tags, dimensions, editions, author, publisher, genres, hash)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/**
 * @param {string} file
 * @param {'full' | 'normal'} durability
 */
export function openDatabase(file, durability) {
  const database = new DatabaseSync(file)
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${durability}; pragma cache_size = -65536;`,
  )
  if (!database.prepare("select 1 from sqlite_schema where name = 'books'").get()) seed(database)
  return database
}

/** @typedef {ReturnType<typeof openDatabase>} Database */

/** @param {Database} database */
function seed(database) {
  database.exec(`${SCHEMA} begin`)
  const insertAuthor = database.prepare(
    'insert into authors (id, name, born, bio, hash) values (?, ?, ?, ?, ?)',
  )
  for (const author of authors()) {
    insertAuthor.run(
      author.id,
      author.name,
      author.born,
      author.bio,
      hashOf(JSON.stringify(author)),
    )
  }
  const insertPublisher = database.prepare(
    'insert into publishers (id, name, country, founded) values (?, ?, ?, ?)',
  )
  for (const { id, name, country, founded } of publishers())
    insertPublisher.run(id, name, country, founded)
  const insertGenre = database.prepare('insert into genres (id, name) values (?, ?)')
  for (const genre of genres()) insertGenre.run(genre.id, genre.name)
  const insertBook = database.prepare(INSERT)
  for (const book of books()) insertBook.run(...parametersOf(book, hashOf(JSON.stringify(book))))
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
}
