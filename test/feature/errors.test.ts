import {
  ApiError,
  errorCatalog,
  hash,
  model,
  problem,
  refuse,
  type Store,
  StoreUnavailable,
  toOne,
} from 'resourcery'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type ClientResponse, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string() })
const Book = model('book', {
  title: z.string(),
  price: z.number(),
  author: toOne('author', { optional: true }),
  hash: hash(),
})

const requests = [
  ['GET', '/books', undefined],
  ['GET', '/books?page[size]=1', undefined],
  ['GET', '/books/b-1', undefined],
  ['POST', '/books', { book: { title: 'x', price: 1, author: 'a-1' } }],
  ['PATCH', '/books/b-1', { book: { price: 2 } }],
  ['PUT', '/books/b-1', { book: { title: 'x', price: 1 } }],
  ['DELETE', '/books/b-1', undefined],
] as const

describe.each(stores)('Errors, on $name', ({ make }) => {
  const started = async (wrap: (store: Store) => Store = (store) => store) => {
    const reported: unknown[] = []
    const { router, api } = service(wrap(await make()), [Author, Book], {
      onError: (error) => reported.push(error),
    })
    await router.load(Author, [{ id: 'a-1', name: 'x' }])
    await router.load(Book, [{ id: 'b-1', title: 'Dune', price: 1 }])
    return { router, api, reported }
  }

  const expectProblem = (response: ClientResponse, status: number) => {
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const body = response.body as Record<string, unknown>
    expect(Object.keys(body).toSorted()).toEqual(['detail', 'errors', 'status', 'title', 'type'])
    expect(body).toMatchObject({
      type: expect.any(String),
      title: expect.any(String),
      detail: expect.any(String),
      status,
    })
    expect(response.errors.length).toBeGreaterThan(0)
    for (const error of response.errors) {
      expect(Object.keys(errorCatalog)).toContain(error.code)
      const entry = errorCatalog[error.code as keyof typeof errorCatalog]
      expect([error.status, error.title]).toEqual([entry.status, entry.title])
      expect(error.detail).toMatch(/\S/)
      if (error.source)
        expect(Object.keys(error.source)).toEqual([
          expect.stringMatching(/^(pointer|parameter|header)$/),
        ])
    }
  }

  it('are RFC 9457 problems with an errors member, each from the catalog', async () => {
    const { api } = await started()
    const { etag } = await api.get('/books/b-1')
    await api.patch('/books/b-1', { book: { price: 3 } })
    expectProblem(await api.get('/nothing'), 404)
    expectProblem(await api.get('/books/b-9'), 404)
    expectProblem(await api.get('/books?sort=nothing'), 400)
    expectProblem(await api.get('/books?filter[price]=x&include=nothing&a=b'), 400)
    expectProblem(await api.post('/books', 'nonsense'), 400)
    expectProblem(await api.post('/books', { book: { title: 5, price: 'x', nothing: 1 } }), 422)
    expectProblem(await api.post('/books', { book: { id: 'b-1', title: 'x', price: 1 } }), 409)
    expectProblem(await api.post('/books', { book: { title: 'x', price: 1, author: 'a-9' } }), 422)
    expectProblem(await api.patch('/books/b-1', { book: { price: 1 } }, { 'if-match': etag }), 412)
    expectProblem(await api.get('/books', { accept: 'text/html' }), 406)
    expectProblem(await api.post('/books', 'x', { 'content-type': 'text/plain' }), 415)
    expectProblem(
      await api.post('/books', { book: { title: 'x'.repeat(2_000_000), price: 1 } }),
      413,
    )
    expectProblem(await api.post('/books/b-1', {}), 405)
  })

  it('of one request are reported all at once', async () => {
    const { api } = await started()
    const response = await api.post('/books', { book: { title: 5, price: 'x' } })
    expect(response.errors.map((error) => error.source?.pointer).toSorted()).toEqual([
      '/book/price',
      '/book/title',
    ])
  })

  it('of several statuses get the most general status, and each keeps its own', async () => {
    const { router } = service(await make(), [Author])
    router.use({
      request: {
        any: () => {
          throw new ApiError([
            problem('not-found', 'One is missing.'),
            problem('conflict', 'One does not fit.'),
          ])
        },
      },
    })
    const response = await client(router).get('/authors')
    expectProblem(response, 400)
    expect(response.errors.map((error) => error.status)).toEqual([404, 409])
  })

  it('quote long values only in part', async () => {
    const { api } = await started()
    const long = 'x'.repeat(5_000)
    const responses = [
      await api.get(`/books?sort=${long}`),
      await api.get(`/books?filter[${'y'.repeat(400)}]=1`),
      await api.get(`/books?filter[price]=${long}`),
      await api.get(`/books/${long}`),
      await api.post('/books', { book: { title: 'x', price: 1, author: long } }),
      await api.post('/books', { book: { title: 'x', price: 1, [long]: 1 } }),
    ]
    for (const { status, errors } of responses) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(errors[0]?.detail.length).toBeLessThan(600)
    }
  })

  it('are never sniffed as another media type', async () => {
    const { api } = await started()
    const response = await api.get(`/books?sort=${encodeURIComponent('<script>alert(1)</script>')}`)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('have no body for HEAD', async () => {
    const { api } = await started()
    const response = await api.head('/books/b-9')
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([
      404,
      '',
      'application/problem+json',
    ])
  })

  describe('while the store is unavailable: 503 with Retry-After', () => {
    const failing = (store: Store, error: () => Error | undefined): Store => {
      const check = () => {
        const found = error()
        if (found) throw found
      }
      return {
        open: (models) => store.open(models),
        close: () => store.close(),
        find: async (model, condition) => {
          check()
          return store.find(model, condition)
        },
        page: async (model, plan) => {
          check()
          return store.page(model, plan)
        },
        count: async (model, condition) => {
          check()
          return store.count(model, condition)
        },
        groups: async (model, plan) => {
          check()
          return store.groups(model, plan)
        },
        list: async function* (model, plan) {
          check()
          yield* store.list(model, plan)
        },
        relatedPages: async function* (model, relation, owners, plan) {
          check()
          yield* store.relatedPages(model, relation, owners, plan)
        },
        write: async (work) => {
          check()
          return store.write(work)
        },
      }
    }

    it.each(requests)('%s %s, and recovers as soon as it is back', async (method, path, body) => {
      let away = false
      const { api, reported } = await started((store) =>
        failing(store, () =>
          away
            ? new StoreUnavailable('connect ECONNREFUSED 10.0.0.5', { retryAfterSeconds: 7 })
            : undefined,
        ),
      )
      away = true
      const response = await api.send(method, path, body)
      expectProblem(response, 503)
      expect([response.headers.get('retry-after'), response.text.includes('10.0.0.5')]).toEqual([
        '7',
        false,
      ])
      expect(reported).toHaveLength(1)
      away = false
      expect((await api.send(method, path, body)).status).toBeLessThan(300)
    })

    it.each(requests)(
      '%s %s responds to any other error of the store with an opaque 500, reported once',
      async (method, path, body) => {
        let broken = false
        const { api, reported } = await started((store) =>
          failing(store, () => (broken ? new Error('disk at /var/secret is full') : undefined)),
        )
        broken = true
        const response = await api.send(method, path, body)
        expectProblem(response, 500)
        expect(response.errors[0]?.code).toBe('internal-error')
        expect(response.text).not.toMatch(/secret|disk|Error:| at /)
        expect(reported).toEqual([
          expect.objectContaining({ message: 'disk at /var/secret is full' }),
        ])
      },
    )

    it('also while it cannot be opened', async () => {
      let away = true
      const store = await make()
      const { api } = service(
        {
          ...store,
          open: async (models) => {
            if (away) throw new StoreUnavailable('away')
            await store.open(models)
          },
        },
        [Author],
        { onError: () => undefined },
      )
      const response = await api.get('/authors')
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
      away = false
      expect((await api.get('/authors')).status).toBe(200)
    })
  })

  it('are reported to onError with their request', async () => {
    const reportedErrors: unknown[] = []
    const { router } = service(await make(), [Author], {
      onError: (_, context) => reportedErrors.push(context?.request.path),
    })
    router.use({
      request: {
        any: () => {
          throw new Error('x')
        },
      },
    })
    await client(router).get('/authors/a-1')
    expect(reportedErrors).toEqual(['/authors/a-1'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('the log is full')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('the log is full'))],
  ])('get a response even if onError %s', async (_, onError) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      const { router, api } = service(await make(), [Author], { onError })
      router.use({
        request: {
          any: () => {
            throw new Error('x')
          },
        },
      })
      expectProblem(await api.get('/authors/a-1'), 500)
      await new Promise(setImmediate)
      expect(printed).toHaveBeenCalledOnce()
    } finally {
      printed.mockRestore()
    }
  })

  it('of callers are not reported', async () => {
    const { api, reported } = await started()
    await api.get('/books/b-9')
    await api.get('/books?sort=nothing')
    await api.post('/books', { book: {} })
    await api.post('/books', '{')
    await api.get('/nothing')
    expect(reported).toEqual([])
  })

  it('get status and title from the catalog', () => {
    const error = thrownBy(() =>
      refuse('conflict', 'The stock is short.', { pointer: '/quantity' }, { meta: { stock: 1 } }),
    )
    expect(error.status).toBe(409)
    expect(error.problems).toEqual([
      {
        status: 409,
        code: 'conflict',
        title: errorCatalog.conflict.title,
        detail: 'The stock is short.',
        source: { pointer: '/quantity' },
        meta: { stock: 1 },
      },
    ])
  })
})

function thrownBy(work: () => unknown): ApiError {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
  }
  throw new Error('Nothing was refused.')
}
