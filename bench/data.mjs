// The same bookstore for every server: a seeded generator, so that two runs on two machines serve
// the same bytes.

import { randomOf } from './harness/random.mjs'

/**
 * @typedef {{ id: string, name: string, born: string, bio: string }} Author
 * @typedef {{ id: string, name: string, country: string, founded: number }} Publisher
 * @typedef {{ id: string, name: string }} Genre
 * @typedef {{ format: string, year: number, isbn: string }} Edition
 * @typedef {{ id: string, title: string, price: number, inStock: boolean, stock: number, pages:
 * number, publishedAt: string, tags: string[], dimensions: { width: number, height: number, depth:
 * number }, editions: Edition[], author: string, publisher: string, genres: string[], }} Book
 */

export const BOOKS = 10_000
export const AUTHORS = 500
export const PUBLISHERS = 50

const FIRST_NAMES =
  'Ada Bram Charlotte Émile Fanny George Herman Italo Jane Kate Leo Mary Nikolai Oscar Zoë'.split(
    ' ',
  )
const LAST_NAMES =
  'Austen Brontë Carroll Dickens Eliot Flaubert Gogol Hardy Irving Melville Shelley Wells'.split(
    ' ',
  )
const WORDS =
  'ancient bright café distant empty forest garden hidden island journey kingdom lantern mountain night ocean'.split(
    ' ',
  )
const TAGS = 'classic illustrated gothic translated annotated pocket school award travel sea'.split(
  ' ',
)
const GENRES =
  'adventure biography classics comedy crime drama essays fantasy gothic history horror memoir mystery poetry ' +
  'romance satire science thriller travel war'
const FORMATS = ['hardback', 'paperback', 'ebook', 'audio']
const COUNTRIES = ['NL', 'GB', 'US', 'FR', 'DE', 'IT', 'ES', 'PL']

/** @param {number} index */
export const authorId = (index) => `a-${String(index).padStart(3, '0')}`

/** @param {number} index */
export const publisherId = (index) => `p-${String(index).padStart(2, '0')}`

/** @param {number} index counted from 1 */
export const bookId = (index) => `b-${String(index).padStart(5, '0')}`

/** @returns {Author[]} */
export function authors() {
  const random = dice(1)
  return times(AUTHORS, (index) => {
    const name = `${random.one(FIRST_NAMES)} ${random.one(LAST_NAMES)}`
    return {
      id: authorId(index),
      name,
      born: random.date(1750, 1900),
      bio: `${name} wrote ${random.words(8)}.`,
    }
  })
}

/** @returns {Publisher[]} */
export function publishers() {
  const random = dice(2)
  return times(PUBLISHERS, (index) => ({
    id: publisherId(index),
    name: `${random.one(LAST_NAMES)} & ${random.one(LAST_NAMES)}`,
    country: random.one(COUNTRIES),
    founded: random.between(1800, 1950),
  }))
}

/** @returns {Genre[]} */
export function genres() {
  return GENRES.split(' ').map((id) => ({ id, name: capital(id) }))
}

/** @returns {Book[]} */
export function books() {
  const random = dice(3)
  return times(BOOKS, (index) => book(bookId(index), random))
}

/**
 * A book that no server has yet, for the row that creates.
 * @param {string} id
 * @param {number} seed
 * @returns {Book}
 */
export const newBook = (id, seed) => book(id, dice(seed))

/**
 * The same as the document of a JSON:API request.
 * @param {Book} book
 */
export function bookDocument({ id, author, publisher, genres, ...attributes }) {
  const relationships = {
    author: { data: { type: 'authors', id: author } },
    publisher: { data: { type: 'publishers', id: publisher } },
    genres: { data: genres.map((genre) => ({ type: 'genres', id: genre })) },
  }
  return { data: { type: 'books', id, attributes, relationships } }
}

/**
 * @param {string} id
 * @param {Dice} random
 * @returns {Book}
 */
function book(id, random) {
  const stock = Math.max(0, random.between(-20, 80))
  return {
    id,
    title: capital(random.words(random.between(2, 5))),
    price: random.between(100, 9999) / 100,
    inStock: stock > 0,
    stock,
    pages: random.between(60, 900),
    publishedAt: random.date(1800, 2024),
    tags: random.some(TAGS, random.between(1, 4)),
    dimensions: {
      width: random.between(100, 200),
      height: random.between(150, 300),
      depth: random.between(5, 60),
    },
    editions: times(random.between(1, 3), () => ({
      format: random.one(FORMATS),
      year: random.between(1950, 2024),
      isbn: `978${random.between(1_000_000_000, 9_999_999_999)}`,
    })),
    author: authorId(random.between(1, AUTHORS)),
    publisher: publisherId(random.between(1, PUBLISHERS)),
    genres: random.some(GENRES.split(' '), random.between(1, 3)),
  }
}

/** @typedef {ReturnType<typeof dice>} Dice */

/** @param {number} seed */
function dice(seed) {
  const next = randomOf(seed)
  /** @param {number} low @param {number} high both inclusive */
  const between = (low, high) => low + Math.floor(next() * (high - low + 1))
  /** @template T @param {readonly T[]} list @returns {T} */
  const one = (list) => /** @type {T} */ (list[between(0, list.length - 1)])
  return {
    between,
    one,
    /** @template T @param {readonly T[]} list @param {number} count @returns {T[]} */
    some: (list, count) => {
      const first = between(0, list.length - 1)
      return times(count, (index) => /** @type {T} */ (list[(first + index * 3) % list.length]))
    },
    /** @param {number} count */
    words: (count) => times(count, () => one(WORDS)).join(' '),
    /** @param {number} from @param {number} to */
    date: (from, to) => `${between(from, to)}-${two(between(1, 12))}-${two(between(1, 28))}`,
  }
}

/** @param {number} value */
const two = (value) => String(value).padStart(2, '0')

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * @template T
 * @param {number} count
 * @param {(index: number) => T} make called with 1, 2, 3 …
 */
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index + 1))
