import { createRouter, type Policy, type Router, type RouterOptions } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { Author } from './models/author.ts'
import { Book } from './models/book.ts'
import { Genre } from './models/genre.ts'
import { Publisher } from './models/publisher.ts'
import { Review } from './models/review.ts'
import { reservation, reserve } from './reserve.ts'

export const models = {
  author: Author,
  publisher: Publisher,
  genre: Genre,
  book: Book,
  review: Review,
}

type Options = Omit<RouterOptions, 'policy' | 'basePath' | 'info' | 'docsPage'>

const info = {
  title: 'Bookstore',
  version: '1',
  description: 'Public-domain books with their authors, publishers, genres and reviews.',
  contact: {
    name: 'The bookstore',
    url: 'https://bookstore.example/help',
    email: 'help@bookstore.example',
  },
  license: { name: 'MIT', identifier: 'MIT' },
}

/** The bookstore under plain REST, mounted at `/api`. */
export function bookstore(options: Options): Router {
  return mounted(rest(), '/api', options)
}

/** The same bookstore under JSON:API, mounted at `/json-api`. */
export function jsonApiBookstore(options: Options): Router {
  return mounted(jsonApi({ errorDocsUrl: '/errors' }), '/json-api', options)
}

function mounted(policy: Policy, basePath: string, options: Options): Router {
  const router = createRouter({ ...options, policy, basePath, info, docsPage: true })
  for (const model of [Author, Publisher, Genre]) router.prepare(model)
  router.prepare(Book).itemOperation('reserve', reserve, reservation)
  router.prepare(Review)
  return router
}
