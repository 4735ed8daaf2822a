import { createRouter, type IQuery, type Middleware, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, it } from 'vitest'
import { z } from 'zod'

class Book extends model('book', { title: z.string(), tenant: z.string() }) {}

describe('middleware of a router', () => {
  const router = createRouter({ policy: rest(), store: memory() })
  const ofBooks: Middleware<Book> = { query: { any: (query) => query.where('title').equal('x') } }

  it('fits every model', () => {
    const middleware: Middleware = { query: { any: (query) => query.where('tenant').equal('a') } }
    router.use(middleware)
    router.use({ request: { any: () => undefined } })
    router.use({ query: { any: (query) => query.where('tenant').equal('a') } })
    router.prepare(Book).use(ofBooks)
  })

  it('does not know the fields of one model', () => {
    // @ts-expect-error its hooks would run for all models
    router.use(ofBooks)
    // @ts-expect-error its hooks would run for all models
    router.use({ query: { any: (query: IQuery<Book>) => query.where('title').equal('x') } })
  })
})
