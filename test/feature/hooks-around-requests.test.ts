import { createRouter, type Middleware, model, refuse, respond } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })
const Author = model('author', { name: z.string() })

function serviceWith(router: Middleware, ofBook: Middleware = {}) {
  const created = createRouter({ policy: rest(), store: memory() })
  created.use(router)
  created.prepare(Book).use(ofBook)
  created.prepare(Author)
  return client(created)
}

describe('A hook around a request', () => {
  it('sees each response, also that of a refused request, from outside in', async () => {
    const log: string[] = []
    const logging = (name: string): Middleware => ({
      around: async (context, next) => {
        log.push(`${name} ${context.request.method}`)
        const response = await next()
        log.push(`${name} ${response.status}`)
        return response
      },
    })
    const api = serviceWith(logging('router'), logging('book'))
    await api.post('/books', { book: { title: 1 } })
    await api.get('/authors')
    expect(log).toEqual([
      'router POST',
      'book POST',
      'book 422',
      'router 422',
      'router GET',
      'router 200',
    ])
  })

  it('runs before all other hooks, whose headers its response has', async () => {
    const api = serviceWith({
      around: (context, next) => {
        context.setHeader('x-around', 'yes')
        return next()
      },
      request: {
        any: ({ headers }) => (headers['x-around'] ? undefined : refuse('forbidden', 'No.')),
      },
    })
    const response = await api.get('/books')
    expect([response.status, response.headers.get('x-around')]).toEqual([200, 'yes'])
  })

  it('may respond itself, before or after the request', async () => {
    const api = serviceWith({
      around: async ({ request, appendHeader }, next) => {
        appendHeader('set-cookie', 'a=1')
        if (request.query === 'own') return respond(200, {}, 'own')
        const response = await next()
        return request.query === 'other'
          ? respond(418, {}, 'other')
          : { ...response, headers: { ...response.headers, 'x-added': 'yes' } }
      },
    })
    const own = await api.get('/books?own')
    expect([own.status, own.text, own.headers.get('set-cookie')]).toEqual([200, 'own', 'a=1'])
    expect((await api.get('/books?other')).text).toBe('other')
    const added = await api.get('/books')
    expect([added.headers.get('x-added'), added.headers.getSetCookie()]).toEqual(['yes', ['a=1']])
  })

  it('is reported where it fails, or returns no response', async () => {
    const api = serviceWith(
      {
        around: ({ request }, next) => {
          if (request.query === 'throw') throw new Error('No.')
          if (request.query === 'refuse') refuse('conflict', 'No.')
          if (request.query === 'nothing') return undefined as never
          return next()
        },
      },
      {
        around: async ({ request }, next) => {
          const response = await next()
          if (request.query === 'twice') await next()
          return response
        },
      },
    )
    const statuses = ['throw', 'refuse', 'nothing', 'twice', ''].map(
      async (query) => (await api.get(`/books?${query}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([500, 409, 500, 500, 200])
  })

  it('is told what it may return', async () => {
    const errors: unknown[] = []
    const router = createRouter({
      policy: rest(),
      store: memory(),
      onError: (error) => errors.push(error),
    })
    router.use({ around: () => undefined as never })
    router.prepare(Book)
    expect((await client(router).get('/books')).status).toBe(500)
    expect(errors).toEqual([
      new TypeError(
        "The hook 'around' returned undefined; expected the response of next(), or one made with respond(). Call refuse() to reject the request.",
      ),
    ])
  })

  it('is refused at registration if it is no function', () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.use({ around: 5 as never })
    router.prepare(Book)
    expect(() => router.rules).toThrow("'around' of middleware must be a function")
  })
})
