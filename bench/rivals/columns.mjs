// One column per field, as in a relational schema; nested values are JSON in a column of their own.

/** @typedef {import('../data.mjs').Book} Book */

export const SCHEMA = `
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

/** In the order of `parametersOf`. */
export const BOOK_COLUMNS =
  'id title price in_stock stock pages published_at tags dimensions editions author publisher genres hash'.split(
    ' ',
  )

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
