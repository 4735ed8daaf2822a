import {
  createRouter,
  field,
  type Middleware,
  model,
  type Router,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { z } from 'zod'
import { type Client, client } from './document-client.ts'

/**
 * Models with each kind of to-many relation: owned, and the inverse of a to-one or a to-many
 * relation.
 */
export const Writer = model('writer', {
  name: z.string(),
  books: toMany('book', { inverse: 'writer' }),
})

export const Book = model('book', {
  title: z.string(),
  price: field(z.number(), { index: true }),
  secret: field(z.string().default('x'), { hidden: true }),
  writer: toOne('writer', { optional: true }),
  topics: toMany('topic'),
  notes: toMany('note', { inverse: 'book' }),
})

const Topic = model('topic', {
  name: z.string(),
  rank: z.int().default(0),
  parent: toOne('topic', { optional: true }),
  parts: toMany('topic', { inverse: 'parent' }),
  books: toMany('book', { inverse: 'topics' }),
})

const Note = model('note', { text: z.string(), stars: z.int(), book: toOne('book') })

const libraryModels = [Writer, Book, Topic, Note]

/**
 * w-0 has no book, w-1 one, w-2 two, and so on: prices and stars fall while ids rise, with ties.
 */
export const writers = Array.from({ length: 7 }, (_, index) => ({
  id: `w-${index}`,
  name: `Writer ${index % 3}`,
}))

export const books = writers.flatMap((writer, index) =>
  Array.from({ length: index }, (_, nth) => ({
    id: `b-${index}${nth}`,
    title: nth % 2 ? 'Odd' : 'Even',
    price: 10 - Math.floor(nth / 2),
    writer: writer.id,
    topics: Array.from({ length: (index + nth) % 5 }, (_, index) => `t-${(nth + index * 3) % 7}`),
  })),
)

export const topics = Array.from({ length: 7 }, (_, index) => ({
  id: `t-${index}`,
  name: `Topic ${index}`,
  rank: (index * 5) % 7,
  parent: index === 0 ? null : `t-${Math.floor((index - 1) / 2)}`,
}))

export const notes = books.flatMap((book, index) =>
  Array.from({ length: index % 4 }, (_, nth) => ({
    id: `n-${index}-${nth}`,
    text: 'x',
    stars: (nth * 2) % 5,
    book: book.id,
  })),
)

type LibraryOptions = Partial<Omit<RouterOptions, 'policy' | 'store'>> & {
  readonly middleware?: Readonly<Record<string, Middleware>>
}

/** A JSON:API service over the library at `/api`, and a client that checks every response. */
export async function library(
  store: Store,
  options: LibraryOptions = {},
): Promise<{ router: Router; api: Client }> {
  const { middleware = {}, ...routerOptions } = options
  const router = createRouter({ policy: jsonApi(), store, basePath: '/api', ...routerOptions })
  for (const libraryModel of libraryModels) {
    const prepared = router.prepare(libraryModel)
    const own = middleware[libraryModel.modelName]
    if (own) prepared.use(own)
  }
  await router.load(Writer, writers)
  await router.load(Topic, topics)
  await router.load(Book, books)
  await router.load(Note, notes)
  return { router, api: client(router) }
}
