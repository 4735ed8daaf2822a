// Parses the query string of a list by hand: unknown names are refused.

import { Problem } from '../problem.mjs'

/**
 * @typedef {{ size: number, number: number }} Page
 * @typedef {{ where: string, values: (string | number)[], order: string, page: Page | undefined,
 * includesAuthor: boolean, }} ListQuery `where` and `order` are SQL without any text of the client;
 * its values are in `values`
 */

const LARGEST_PAGE = 1_000

/** @type {Readonly<Record<string, string>>} */
const OPERATORS = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' }

/**
 * Only indexed columns: anything else would block the event loop.
 * @type {Readonly<Record<string, { column: string, read: (text: string) => string | number }>>}
 */
const FIELDS = {
  id: { column: 'id', read: String },
  author: { column: 'author', read: String },
  price: { column: 'price', read: readNumber },
  inStock: { column: 'in_stock', read: readBoolean },
}

const FILTER = /^filter\[(\w+)\](?:\[(\w+)\])?$/

/**
 * @param {string} text what follows the question mark
 * @returns {ListQuery}
 */
export function readListQuery(text) {
  /** @type {ListQuery} */
  const query = { where: '', values: [], order: 'id', page: undefined, includesAuthor: false }
  if (text === '') return query
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1))
    if (name === 'page[size]') page(query).size = readWhole(value, LARGEST_PAGE)
    else if (name === 'page[number]') page(query).number = readWhole(value, 1_000_000)
    else if (name === 'sort') query.order = readSort(value)
    else if (name === 'include') query.includesAuthor = readInclude(value)
    else addFilter(query, name, value)
  }
  return query
}

/** @param {ListQuery} query */
function page(query) {
  query.page ??= { size: 20, number: 1 }
  return query.page
}

/**
 * @param {ListQuery} query
 * @param {string} name
 * @param {string} value
 */
function addFilter(query, name, value) {
  const [, member = '', operatorName = 'eq'] = FILTER.exec(name) ?? []
  const field = Object.hasOwn(FIELDS, member) ? FIELDS[member] : undefined
  const operator = Object.hasOwn(OPERATORS, operatorName) ? OPERATORS[operatorName] : undefined
  if (!field || !operator) throw new Problem(400, `There is no parameter ${name}.`)
  query.where += `${query.where ? ' and ' : ''}${field.column} ${operator} ?`
  query.values.push(field.read(value))
}

/** @param {string} text */
function readSort(text) {
  const keys = text.split(',').map((key) => {
    const descending = key.startsWith('-')
    const name = descending ? key.slice(1) : key
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    if (!field) throw new Problem(400, `Books cannot be sorted by ${name}.`)
    return descending ? `${field.column} desc` : field.column
  })
  // Books with equal keys are sorted by id, in the direction of the last key, so that one index
  // serves both.
  return `${keys.join(', ')}, ${keys.at(-1)?.endsWith(' desc') ? 'id desc' : 'id'}`
}

/** @param {string} text */
function readInclude(text) {
  if (text !== 'author') throw new Problem(400, `${text} cannot be included.`)
  return true
}

/** @param {string} text */
function readNumber(text) {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) throw new Problem(400, `${text} is not a number.`)
  return value
}

/** @param {string} text */
function readBoolean(text) {
  if (text === 'true') return 1
  if (text === 'false') return 0
  throw new Problem(400, `${text} is neither true nor false.`)
}

/**
 * @param {string} text
 * @param {number} largest
 */
function readWhole(text, largest) {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > largest)
    throw new Problem(400, `${text} is not in range.`)
  return value
}

/** @param {string} text */
function decoded(text) {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Problem(400, 'The query string is not well-formed.')
  }
}
