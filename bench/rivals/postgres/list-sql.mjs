// The SQL of a list: filters over indexed columns, a sort, a page.

import { Problem } from '../problem.mjs'

/**
 * @typedef {{ where: string, values: unknown[], order: string, size: number, number: number,
 * includesAuthor: boolean }} ListSql
 */

/** @type {Readonly<Record<string, string>>} */
const COLUMNS = { id: 'b.id', price: 'b.price', inStock: 'b.in_stock', author: 'b.author_id' }

/** @type {Readonly<Record<string, string>>} */
const OPERATORS = { eq: '=', gte: '>=', lte: '<=' }

const FILTER = /^filter\[(\w+)\](?:\[(\w+)\])?$/

/**
 * @param {URLSearchParams} parameters
 * @returns {ListSql} without any text of the client, whose values are in `values`
 */
export function listSql(parameters) {
  /** @type {ListSql} */
  const list = { where: '', values: [], order: 'b.id', size: 20, number: 1, includesAuthor: false }
  for (const [name, value] of parameters) {
    if (name === 'page[size]') list.size = readWhole(value, 1_000)
    else if (name === 'page[number]') list.number = readWhole(value, 1_000_000)
    else if (name === 'include' && value === 'author') list.includesAuthor = true
    else if (name === 'sort') list.order = readSort(value)
    else addFilter(list, name, value)
  }
  return list
}

/**
 * @param {ListSql} list
 * @param {string} name
 * @param {string} value
 */
function addFilter(list, name, value) {
  const [, member = '', operatorName = 'eq'] = FILTER.exec(name) ?? []
  const column = COLUMNS[member]
  const operator = OPERATORS[operatorName]
  if (!column || !operator) throw new Problem(400, `There is no parameter ${name}.`)
  list.values.push(value)
  list.where += `${list.where ? ' and' : 'where'} ${column} ${operator} $${list.values.length}`
}

/** @param {string} key */
function readSort(key) {
  const isDescending = key.startsWith('-')
  const column = COLUMNS[isDescending ? key.slice(1) : key]
  if (!column) throw new Problem(400, `Books cannot be sorted by ${key}.`)
  return isDescending ? `${column} desc, b.id desc` : `${column}, b.id`
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
