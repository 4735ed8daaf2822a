// Exports values with inferred types of all kinds, which TypeScript has to name when it writes
// declarations.
import {
  type Context,
  createRouter,
  date,
  dateTime,
  decimal,
  field,
  file,
  hash,
  image,
  list,
  model,
  struct,
  timestamps,
  toMany,
  toOne,
} from 'resourcery'
import { apiKeys } from 'resourcery/auth'
import { fileBlobs } from 'resourcery/files'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

export class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

export class Book extends model('book', {
  title: z.string().min(1),
  price: decimal(8, 2),
  published: date({ optional: true }),
  printedAt: dateTime(),
  pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
  size: struct({ width: z.number(), height: z.number() }),
  editions: list(struct({ year: z.int(), scan: file() })),
  author: toOne<Author>('author', { onDelete: 'restrict' }),
  genres: toMany('genre'),
  cover: image({ maxBytes: 5_000_000 }),
  ...timestamps(),
  hash: hash(),
}) {
  discount({ percent }: { percent: number }) {
    return percent
  }
}
export const Genre = model('genre', {
  name: z.string(),
  parent: toOne('genre', { optional: true }),
})
export const shared = { size: struct({ width: z.number() }), cover: image(), at: timestamps() }
export const parts = { store: memory(), blobs: fileBlobs('blobs') }
export const policies = [rest(), jsonApi()]
export const stores = [memory(), sqlite('library.db')]
export const router = createRouter({ policy: rest(), ...parts })
export const prepared = router.prepare(Book)
export const genre = router.prepare(Genre)
export const query = router.query(Book)
export const title = query.where('title')
export const plan = query.plan
export const rule = router.rules[0]
export const target = rule?.target
export const document = router.toOpenApi()
export const paths = document.paths
export const load = () => router.load(Author, [{ name: 'Mary Shelley' }])
export const books = () => router.items(Book)
export const found = () => router.items(Book).get('a')
export const created = () => router.items(Author).create({ name: 'Mary Shelley' })
export const hooks = { request: { any: (context: Context) => context.rule.operation } }
export const request = (context: Context) => context.request
export const respond = (context: Context) => router.handle(new Request(context.request.path))
export const listening = () => serve(router)
export const keys = apiKeys
