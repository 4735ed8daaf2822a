// A bookstore with many books in a file, with items that many others relate to, and items as large
// as the models allow.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { memoryBlobs } from 'resourcery/memory'
import { sqlite } from 'resourcery/sqlite'

const bookstoreFolder = new URL('../../examples/bookstore/dist/', import.meta.url)

/**
 * How many items relate to one item: `many` and `some` are 100 000 and 20 000 for a million books.
 *
 * @param {number} books
 */
export function extentOf(books) {
  const many = Math.min(100_000, Math.floor(books / 2))
  const some = Math.min(20_000, Math.floor(books / 5))
  return {
    books,
    many,
    some,
    few: Math.floor(some / 10),
    authors: Math.max(10, Math.floor(books / 100)),
    large: 400,
  }
}

/** @typedef {ReturnType<typeof extentOf>} Extent */

/** @param {number} index */
export const bookId = (index) => `b-${String(index).padStart(7, '0')}`

/** Models and router of the built bookstore. */
async function builtBookstore() {
  const { bookstore, models } = await import(new URL('bookstore.js', bookstoreFolder).href)
  return { bookstore, models }
}

/**
 * Creates the file if it does not exist.
 *
 * @param {string} folder
 * @param {number} books
 */
export async function databaseOf(folder, books) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `bookstore-${books}.db`)
  if (existsSync(file)) return file
  const unfinished = `${file}.unfinished`
  for (const suffix of ['', '-wal', '-shm']) rmSync(unfinished + suffix, { force: true })
  const { bookstore, models } = await builtBookstore()
  const router = bookstore({
    store: sqlite(unfinished, { durability: 'normal' }),
    blobs: memoryBlobs(),
  })
  await router.open()
  const extent = extentOf(books)
  await router.load(models.author, authors(extent))
  await router.load(models.publisher, publishers())
  await router.load(models.genre, genres())
  await router.load(models.book, allBooks(extent))
  await router.load(models.review, reviews(extent))
  await router.close()
  // Writes the contents of the log into the file.
  const connection = new DatabaseSync(unfinished)
  connection.exec('pragma wal_checkpoint(truncate)')
  connection.close()
  renameSync(unfinished, file)
  for (const suffix of ['-wal', '-shm']) rmSync(unfinished + suffix, { force: true })
  return file
}

/** @param {Extent} extent */
function* authors({ authors }) {
  yield { id: 'prolific', name: 'Prolific' }
  for (let index = 0; index < authors; index++)
    yield { id: `author-${index}`, name: `Author ${(index * 7919) % authors}` }
}

function* publishers() {
  yield { id: 'large-house', name: 'Large House' }
  for (let index = 0; index < 100; index++)
    yield { id: `publisher-${index}`, name: `Publisher ${index}`, country: 'GB' }
}

function* genres() {
  for (const id of ['held-by-some', 'held-by-many']) yield { id, name: id }
  for (let index = 0; index < 20; index++) yield { id: `genre-${index}`, name: `Genre ${index}` }
  for (let index = 0; index < 100; index++) yield { id: `shared-${index}`, name: `Shared ${index}` }
  for (let index = 0; index < longIds; index++)
    yield { id: longId(index), name: 'A genre with a long id' }
}

const longIds = 1_000

/** @param {number} index as long as ids may be */
const longId = (index) => `long-${index}-`.padEnd(128, 'x')

/** @param {Extent} extent */
function* allBooks(extent) {
  for (let index = 0; index < extent.books; index++) yield book(index, extent)
  for (const id of ['reviewed-alone', 'reviewed-too'])
    yield { id, title: id, price: 1, author: 'author-0' }
  const all = Array.from({ length: longIds }, (_, index) => longId(index))
  for (let index = 0; index < extent.large / 4; index++)
    yield { id: `z-large-${index}`, title: 'Large', price: 1, author: 'author-0', genres: all }
}

/**
 * @param {number} index
 * @param {Extent} extent
 */
function book(index, { books, many, some, few, authors }) {
  const shared = Math.floor((index - some) / few)
  const genres = [`genre-${index % 20}`]
  if (index < some) genres.push('held-by-some')
  else if (shared < 100) genres.push(`shared-${shared}`)
  if (index >= books - many) genres.push('held-by-many')
  return {
    id: bookId(index),
    title: `The ${words[index % words.length]} of ${words[(index * 7) % words.length]}, volume ${(index * 7919) % books}`,
    price: ((index * 7919) % 9_000) / 100 + 1,
    stock: index % 40,
    inStock: index % 3 > 0,
    pageCount: 100 + ((index * 31) % 900),
    publishedAt: `${1800 + (index % 200)}-0${1 + (index % 9)}-1${index % 9}`,
    tags: [words[index % words.length], words[(index * 3) % words.length]],
    editions: [{ format: 'paperback', year: 1900 + (index % 120) }],
    author: index < many ? 'prolific' : `author-${index % authors}`,
    publisher: index < many ? 'large-house' : `publisher-${index % 100}`,
    genres,
  }
}

const words = [
  'sea',
  'garden',
  'winter',
  'house',
  'river',
  'letter',
  'island',
  'clock',
  'forest',
  'bell',
  'road',
]

/** @param {Extent} extent */
function* reviews({ books, some, large }) {
  const review = (
    /** @type {string} */ id,
    /** @type {string} */ book,
    text = 'Short enough to read in one sitting.',
  ) => ({
    id,
    rating: 1 + (id.length % 5),
    text,
    reviewer: 'A reader',
    email: 'reader@example.net',
    book,
    createdAt: '2023-01-19T19:40:46Z',
  })
  for (let index = 0; index < books / 5; index++)
    yield review(`r-${String(index).padStart(7, '0')}`, bookId(index * 5))
  for (let index = 0; index < some; index++) {
    yield review(`s-${index}`, 'reviewed-alone')
    yield review(`t-${index}`, 'reviewed-too')
  }
  // Characters that JSON escapes to six bytes each.
  for (let index = 0; index < large; index++)
    yield review(`z-large-${index}`, bookId(index), '\u0001'.repeat(10_000))
}
