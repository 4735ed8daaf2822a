// SQLite makes the resource objects when they are read.

import { BOOK_MEMBERS, textFromColumns } from '../node-http/text-from-columns.mjs'
import { BASE } from './resources.mjs'

/**
 * @param {string} name
 * @param {string} [data]
 */
function relationship(name, data) {
  const links = `'links', json_object('self', ${self} || '/relationships/${name}', 'related', ${self} || '/${name}')`
  return `'${name}', json_object(${data ? `${links}, 'data', ${data}` : links})`
}

/**
 * @param {string} type
 * @param {string} attributes
 * @param {string[]} relationships
 */
function resource(type, attributes, relationships) {
  return `json_object('type', '${type}', 'id', id, 'attributes', json_object(${attributes}),
    'relationships', json_object(${relationships.join(', ')}), 'links', json_object('self', ${self}),
    'meta', json_object('version', hash))`.replaceAll(self, `'${BASE}/${type}/' || id`)
}

/** Replaced by the path of the item. */
const self = ':self'

export const resourcesFromColumns = textFromColumns(
  resource('books', BOOK_MEMBERS, [
    relationship('author', "json_object('type', 'authors', 'id', author)"),
    relationship(
      'publisher',
      "iif(publisher is null, null, json_object('type', 'publishers', 'id', publisher))",
    ),
    relationship(
      'genres',
      "(select json_group_array(json_object('type', 'genres', 'id', value)) from json_each(genres))",
    ),
  ]),
  resource('authors', "'name', name, 'born', born, 'bio', bio", [relationship('books')]),
)
