import {
  type Authenticator,
  type Context,
  createRouter,
  type Middleware,
  model,
  type PreparedRouter,
  type Router,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Book extends model('book', { title: z.string() }) {}

const User = z.object({ id: z.string(), roles: z.array(z.string()).default([]) })
type User = z.output<typeof User>

const token: Authenticator<{ id: string }> = {
  name: 'token',
  scheme: { type: 'http', scheme: 'bearer' },
  authenticate: () => undefined,
}

describe('the caller', () => {
  const router = createRouter({
    policy: rest(),
    store: memory(),
    security: { authentication: [token], callerSchema: User },
  })
  const books = router.prepare(Book)

  it('has the type of the schema in every step', () => {
    expectTypeOf(router).toEqualTypeOf<Router<User>>()
    expectTypeOf(books).toEqualTypeOf<PreparedRouter<Book, User>>()
    router.use({
      around: ({ caller }, next) => {
        expectTypeOf(caller).toEqualTypeOf<User | undefined>()
        return next()
      },
    })
    books
      .use({
        write: {
          before: ({ cause }) => {
            expectTypeOf(cause.context?.caller).toEqualTypeOf<User | undefined>()
          },
          after: ({ cause }) => {
            expectTypeOf(cause.context?.caller).toEqualTypeOf<User | undefined>()
          },
          afterCommit: ({ cause }) => {
            expectTypeOf(cause.context?.caller).toEqualTypeOf<User | undefined>()
          },
        },
        request: {
          any: ({ caller }) => {
            expectTypeOf(caller).toEqualTypeOf<User | undefined>()
          },
        },
        query: {
          read: (query, { caller }) => {
            expectTypeOf(caller).toEqualTypeOf<User | undefined>()
            return query.where('title').equal(caller?.id ?? '')
          },
        },
      })
      .map((book, { caller }) => {
        expectTypeOf(caller).toEqualTypeOf<User | undefined>()
        return book
      })
      .itemOperation('sign', ({ caller, item }) => {
        expectTypeOf(caller).toEqualTypeOf<User | undefined>()
        expectTypeOf(item.title).toEqualTypeOf<string>()
      })
  })

  it('is unknown without a schema', () => {
    const anonymous = createRouter({ policy: rest(), store: memory() })
    expectTypeOf(anonymous).toEqualTypeOf<Router>()
    expectTypeOf<Context['caller']>().toEqualTypeOf<unknown>()
    expectTypeOf<Context<User>>().toExtend<Context>()
    expectTypeOf(router).toExtend<Router>()
  })

  it('fits middleware for any caller, and not that for other callers', () => {
    const any: Middleware = { request: { any: ({ caller }) => void caller } }
    const ofUsers: Middleware<Book, User> = { request: { any: ({ caller }) => void caller?.roles } }
    router.use(any)
    books.use(any).use(ofUsers)
    const ofAdmins: Middleware<Book, { level: number }> = {
      request: { any: ({ caller }) => void caller?.level },
    }
    // @ts-expect-error its callers have another type
    books.use(ofAdmins)
    // @ts-expect-error its callers have another type
    router.use({ request: { any: (context: Context<{ level: number }>) => void context } })
  })

  it('is what the authenticators must give', () => {
    const numbered: Authenticator<{ id: number }> = { ...token, authenticate: () => undefined }
    createRouter({
      policy: rest(),
      store: memory(),
      // @ts-expect-error the schema expects a string
      security: { authentication: [numbered], callerSchema: User },
    })
  })
})
