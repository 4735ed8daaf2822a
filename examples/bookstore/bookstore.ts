import { createRouter, type Router, type RouterOptions } from 'resourcery'
import { rest } from 'resourcery/rest'
import { Author } from './models/author.ts'
import { Book } from './models/book.ts'
import { Genre } from './models/genre.ts'
import { Publisher } from './models/publisher.ts'
import { Review } from './models/review.ts'

export const models = { author: Author, publisher: Publisher, genre: Genre, book: Book, review: Review }

/** The bookstore under plain REST, mounted at `/api`. */
export function bookstore(options: Omit<RouterOptions, 'policy' | 'basePath'>): Router {
  const router = createRouter({ ...options, policy: rest(), basePath: '/api' })
  for (const model of Object.values(models)) router.prepare(model)
  return router
}
