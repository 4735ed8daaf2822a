// Parses the document of one book by hand. It checks the structure; check-book.mjs checks the
// values.

import { isMembers } from '../node-http/check-book.mjs'
import { Problem } from '../problem.mjs'

/** @typedef {import('../node-http/check-book.mjs').Members} Members */

/** @type {Readonly<Record<string, string>>} */
const TYPES = { author: 'authors', publisher: 'publishers', genres: 'genres' }

/**
 * @param {unknown} body
 * @returns {Members} the members in the document, in the form of plain REST
 */
export function bookInDocument(body) {
  const data = isMembers(body) ? body.data : undefined
  if (!isMembers(data))
    throw new Problem(400, 'The body has no member data that is a resource object.')
  if (data.type !== 'books') throw new Problem(409, 'The type here is books.')
  const { id, attributes = {}, relationships = {} } = data
  if (!isMembers(attributes) || !isMembers(relationships))
    throw new Problem(400, 'Attributes and relationships are objects.')
  /** @type {Members} */
  const book = id === undefined ? { ...attributes } : { id, ...attributes }
  for (const [name, relationship] of Object.entries(relationships)) {
    const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
    if (!type) throw new Problem(422, `A book has no ${name}.`)
    if (!isMembers(relationship) || relationship.data === undefined)
      throw new Problem(400, `The relationship ${name} has no linkage.`)
    book[name] = idsIn(relationship.data, type)
  }
  return book
}

/**
 * @param {unknown} linkage
 * @param {string} type
 * @returns {unknown}
 */
function idsIn(linkage, type) {
  if (linkage === null) return null
  if (Array.isArray(linkage)) return linkage.map((entry) => idsIn(entry, type))
  if (!isMembers(linkage) || typeof linkage.id !== 'string')
    throw new Problem(400, 'Linkage is made of identifiers.')
  if (linkage.type !== type) throw new Problem(409, `The type here is ${type}.`)
  return linkage.id
}
