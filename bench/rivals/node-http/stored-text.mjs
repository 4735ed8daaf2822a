// One JSON text per item, stored exactly as it is sent; further columns only for what is searched.

/** @typedef {import('./database.mjs').Storage} Storage */

/**
 * @param {import('./database.mjs').Form} form
 * @returns {Storage}
 */
export const storedText = ({ path }) => ({
  schema: `
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
create index books_author on books (author, id);`,
  bookText: 'doc',
  authorText: 'doc',
  bookColumns: ['id', 'hash', 'author', 'doc'],
  columnsOf: () => ['id', 'doc'],
  valuesOf: (kind, item, { hash, doc }) =>
    kind === 'books' ? [item.id, hash, item.author, doc] : [item.id, doc],
})
