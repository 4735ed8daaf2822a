import { createRouter, hash, model, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { z } from 'zod'
import { type Client, client } from '../../spec/support/document-client.ts'

const name = z.string()

const Author = model('author', {
  name,
  books: toMany('book', { inverse: 'author' }),
  edited: toMany('book', { inverse: 'editor' }),
  hash: hash(),
})
const Book = model('book', {
  name,
  author: toOne('author'),
  editor: toOne('author', { optional: true }),
  genres: toMany('genre'),
  reviews: toMany('review', { inverse: 'book' }),
  hash: hash(),
})
const Genre = model('genre', {
  name,
  parent: toOne('genre', { optional: true }),
  children: toMany('genre', { inverse: 'parent' }),
  books: toMany('book', { inverse: 'genres' }),
})
const Review = model('review', { name, book: toOne('book', { onDelete: 'cascade' }), hash: hash() })

/**
 * The service that is compared with the plain map; each of its responses is also checked against
 * the specification.
 */
export function libraryOn(store: Store, onError: (error: unknown) => void): Client {
  const router = createRouter({ policy: jsonApi(), store, onError })
  for (const entry of [Author, Book, Genre, Review]) router.prepare(entry)
  return client(router)
}
