// Makes the resource objects when an item is written; the table stores them in the form in which
// they are sent.

import { hashOf } from '../hash.mjs'

/** @typedef {import('../node-http/database.mjs').Form} Form */

export const BASE = '/json-api'

/** @type {Form} resource objects, with the hash as their version */
export const resources = {
  stored: (type, item) => {
    const { id, ...members } = item
    const self = `${BASE}/${type}/${encodeURIComponent(id)}`
    const { attributes, relationships } =
      type === 'books' ? ofBook(self, members) : ofOther(type, self, members)
    const text = JSON.stringify({ type, id, attributes, relationships, links: { self } })
    const hash = hashOf(text)
    return { hash, doc: `${text.slice(0, -1)},"meta":{"version":"${hash}"}}` }
  },
  membersOf: (doc) => {
    const { id, attributes, relationships } = JSON.parse(doc)
    const { author, publisher, genres } = relationships
    return {
      id,
      ...attributes,
      author: author.data.id,
      ...(publisher.data && { publisher: publisher.data.id }),
      genres: genres.data.map((/** @type {{ id: string }} */ entry) => entry.id),
    }
  },
  path: '$.attributes',
  missing: 404,
}

/**
 * @param {string} self
 * @param {Record<string, any>} members
 */
function ofBook(self, { author, publisher, genres, ...attributes }) {
  const relationships = {
    author: relationship(self, 'author', { type: 'authors', id: author }),
    publisher: relationship(
      self,
      'publisher',
      publisher ? { type: 'publishers', id: publisher } : null,
    ),
    genres: relationship(
      self,
      'genres',
      genres.map((/** @type {string} */ id) => ({ type: 'genres', id })),
    ),
  }
  return { attributes, relationships }
}

/**
 * @param {string} type
 * @param {string} self
 * @param {object} attributes
 */
function ofOther(type, self, attributes) {
  return {
    attributes,
    relationships: type === 'authors' ? { books: relationship(self, 'books') } : undefined,
  }
}

/**
 * @param {string} self
 * @param {string} name
 * @param {object | null} [data]
 */
function relationship(self, name, data) {
  return { links: { self: `${self}/relationships/${name}`, related: `${self}/${name}` }, data }
}
