// Validates a book by hand: one line for each member. Stops at the first error.

import { Problem } from '../problem.mjs'

/** @typedef {Record<string, unknown>} Members */

/** @type {Readonly<Record<string, (value: unknown) => boolean>>} */
const MEMBERS = {
  id: (value) => typeof value === 'string' && /^[A-Za-z0-9._~:@-]{1,128}$/.test(value),
  title: (value) => typeof value === 'string' && value.length >= 1 && value.length <= 300,
  price: (value) => typeof value === 'number' && value >= 0,
  inStock: (value) => typeof value === 'boolean',
  stock: (value) => isWhole(value) && value >= 0,
  pages: (value) => isWhole(value) && value > 0,
  publishedAt: isDate,
  tags: isTexts,
  dimensions: (value) =>
    isMembers(value) && Object.entries(value).every(([name, size]) => isDimension(name, size)),
  editions: (value) => Array.isArray(value) && value.every(isEdition),
  author: (value) => typeof value === 'string',
  publisher: (value) => typeof value === 'string',
  genres: isTexts,
}

const REQUIRED = ['title', 'price', 'author']

/**
 * @param {unknown} body
 * @returns {Members} the book in it, its hash left out: the server keeps that one
 */
export function bookIn(body) {
  const book = isMembers(body) ? body.book : undefined
  if (!isMembers(book)) throw new Problem(422, 'The body has no member book.')
  const { hash: _, ...members } = book
  return members
}

/** @param {Members} book */
export function checkBook(book) {
  for (const name of REQUIRED)
    if (book[name] === undefined) throw new Problem(422, `A book needs ${name}.`)
  for (const name of Object.keys(book)) {
    const isValid = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined
    if (!isValid) throw new Problem(422, `A book has no ${name}.`)
    if (!isValid(book[name])) throw new Problem(422, `The ${name} is not valid.`)
  }
}

/**
 * @param {unknown} value
 * @returns {value is Members}
 */
export function isMembers(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isWhole(value) {
  return Number.isSafeInteger(value)
}

/** @param {unknown} value */
function isTexts(value) {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** @param {unknown} value */
function isDate(value) {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

/**
 * @param {string} name
 * @param {unknown} size
 */
function isDimension(name, size) {
  return (
    (name === 'width' || name === 'height' || name === 'depth') &&
    typeof size === 'number' &&
    size > 0
  )
}

/** @param {unknown} value */
function isEdition(value) {
  return (
    isMembers(value) &&
    typeof value.format === 'string' &&
    isWhole(value.year) &&
    typeof value.isbn === 'string'
  )
}
