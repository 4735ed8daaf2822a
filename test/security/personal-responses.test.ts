import {
  createRouter,
  file,
  image,
  list,
  type Middleware,
  model,
  refuse,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { png } from '../support/resources.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Book = model('book', {
  title: z.string(),
  author: toOne('author'),
  cover: image({ variants: { formats: ['png'], sizes: [16] } }),
  text: file(),
  pages: list(struct({ scan: file() })),
})
const Other = model('other', { title: z.string() })

const bytes = [
  '/books/b-1/cover',
  '/books/b-1/cover/png/16',
  '/books/b-1/text',
  '/books/b-1/pages/0/scan',
]
const items = [
  '/books',
  '/books/b-1',
  '/books?page[size]=1',
  '/books?include=author',
  '/books/b-1?fields[books]=title',
]
const related = ['/authors/a-1/books', '/authors/a-1/relationships/books', '/books/b-1/author']

async function library(policy: 'plain' | 'json', ofBooks: Middleware, shared?: Middleware) {
  const router = createRouter({
    policy: policy === 'plain' ? rest() : jsonApi(),
    store: memory(),
    blobs: memoryBlobs(),
  })
  if (shared) router.use(shared)
  router.prepare(Author)
  router.prepare(Book).use(ofBooks)
  router.prepare(Other)
  await router.load(Author, [{ id: 'a-1', name: 'Mary' }])
  await router.load(Other, [{ id: 'o-1', title: 'x' }])
  await router.load(Book, [{ id: 'b-1', title: 'x', author: 'a-1', pages: [{}] }])
  for (const path of ['cover', 'text', 'pages/0/scan'])
    await router.loadResource(
      Book,
      { id: 'b-1', path: path },
      path === 'cover'
        ? { bytes: await png(), contentType: 'image/png' }
        : { bytes: Buffer.from('x'), contentType: 'text/plain' },
    )
  return async (method: string, path: string, headers: Record<string, string> = {}) => {
    const response = await router.handle(
      new Request(`http://localhost${path}`, { method, headers }),
    )
    await response.arrayBuffer()
    const { status, headers: answered } = response
    return { status, cacheControl: answered.get('cache-control'), etag: answered.get('etag') }
  }
}

/** It decides by a header that is no HTTP credential, and sets no state. */
const anyHook: readonly Middleware[] = [
  { request: { any: () => undefined } },
  { request: { getItem: () => undefined } },
  { query: { any: (query) => query } },
  { query: { getItem: (query) => query } },
]

describe('Where any hook runs, shared caches store nothing', () => {
  it.each(bytes)('GET %s is private, and so are HEAD, ranges and 304', async (path) => {
    for (const hook of [...anyHook, { request: { getResource: () => undefined } }]) {
      const ask = await library('plain', hook)
      const { etag, ...response } = await ask('GET', path)
      expect(response).toEqual({ status: 200, cacheControl: 'private' })
      expect((await ask('HEAD', path)).cacheControl).toBe('private')
      expect(await ask('GET', path, { range: 'bytes=0-0' })).toMatchObject({
        status: 206,
        cacheControl: 'private',
      })
      expect(await ask('GET', path, { 'if-none-match': etag! })).toMatchObject({
        status: 304,
        cacheControl: 'private',
      })
    }
  })

  it.each(items)(
    'GET %s is private and revalidated each time, and so are HEAD and 304',
    async (path) => {
      for (const hook of anyHook) {
        const ask = await library('plain', hook)
        const { etag, ...response } = await ask('GET', path)
        expect(response).toEqual({ status: 200, cacheControl: 'private, no-cache' })
        expect((await ask('HEAD', path)).cacheControl).toBe('private, no-cache')
        if (etag)
          expect(await ask('GET', path, { 'if-none-match': etag })).toMatchObject({
            status: 304,
            cacheControl: 'private, no-cache',
          })
      }
    },
  )

  it.each(related)('GET %s is private, by the hooks of either model', async (path) => {
    for (const hook of anyHook) {
      const ask = await library('json', hook)
      expect(await ask('GET', path)).toMatchObject({
        status: 200,
        cacheControl: 'private, no-cache',
      })
    }
  })

  it('hooks of the router make all responses private', async () => {
    const ask = await library('plain', {}, { request: { any: () => undefined } })
    expect((await ask('GET', '/others/o-1')).cacheControl).toBe('private, no-cache')
  })

  it('a hook can override this with its own header', async () => {
    const ask = await library('plain', {
      request: { any: ({ setHeader }) => setHeader('cache-control', 'max-age=5') },
    })
    expect((await ask('GET', '/books/b-1')).cacheControl).toBe('max-age=5')
    expect((await ask('GET', '/books/b-1/cover')).cacheControl).toBe('max-age=5')
  })

  it('where no hook runs, binary resources are public, and items have no Cache-Control', async () => {
    const ask = await library('plain', {})
    expect((await ask('GET', '/books/b-1/cover')).cacheControl).toBe('public')
    expect((await ask('GET', '/others/o-1')).cacheControl).toBeNull()
  })
})

describe('Errors about guarded items are not cached', () => {
  const refuses: Middleware = { request: { any: () => refuse('unauthorized', 'Who are you?') } }
  const forbids: Middleware = { request: { any: () => refuse('forbidden', 'You may not.') } }
  const hides: Middleware = { query: { any: (query) => query.where('title').equal('another') } }

  it.each(['plain', 'json'] as const)(
    'under %s: 401 and 403, whatever the request',
    async (policy) => {
      for (const [hook, status] of [
        [refuses, 401],
        [forbids, 403],
      ] as const) {
        const ask = await library(policy, hook)
        const refused = { status, cacheControl: 'no-store' }
        expect(await ask('GET', '/books/b-1')).toMatchObject(refused)
        expect(await ask('HEAD', '/books/b-1/cover')).toMatchObject(refused)
        expect(await ask('DELETE', '/books/b-1')).toMatchObject(refused)
      }
    },
  )

  it.each(['plain', 'json'] as const)('under %s: what a hook hides or refuses', async (policy) => {
    const ask = await library(policy, hides)
    for (const path of ['/books/b-1', '/books/b-1/cover', '/books/b-1/text'])
      expect(await ask('GET', path)).toMatchObject({ status: 404, cacheControl: 'no-store' })
    expect(await ask('GET', '/books?page[size]=x')).toMatchObject({
      status: 400,
      cacheControl: 'no-store',
    })
  })

  it.each(['plain', 'json'] as const)(
    'under %s: where no hook runs, there is no Cache-Control',
    async (policy) => {
      const ask = await library(policy, {})
      expect(await ask('GET', '/books/none')).toMatchObject({ status: 404, cacheControl: null })
    },
  )
})
