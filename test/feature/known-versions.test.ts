import { type BlobStore, createRouter, hash, image, model, type Policy, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { wrapStore } from '../../src/store/wrap-store.ts'
import { client } from '../support/client.ts'
import { counted } from '../support/counted.ts'
import { sqliteStore } from '../support/stores.ts'

const Author = model('author', { name: z.string(), hash: hash() })
const Film = model('film', { title: z.string(), poster: image(), hash: hash() })
const Book = model('book', {
  title: z.string(),
  open: z.boolean().default(true),
  author: toOne('author', { optional: true }),
  hash: hash(),
})

interface Configuration {
  readonly policy?: Policy
  readonly mediaType?: string
  readonly blobs?: BlobStore
}

async function watched({
  policy = rest(),
  mediaType = 'application/json',
  ...options
}: Configuration = {}) {
  const { store, calls } = counted(await sqliteStore.make())
  const router = createRouter({ policy, store, ...options })
  router.prepare(Author)
  router.prepare(Book).use({ query: { getItem: (query) => query.where('open').equal(true) } })
  if (options.blobs) router.prepare(Film)
  await router.load(Author, [{ id: 'a-1', name: 'Jane Austen' }])
  await router.load(Book, [
    { id: 'b-1', title: 'Emma', author: 'a-1' },
    { id: 'shut', title: 'Evelina', open: false },
  ])
  if (options.blobs) await router.load(Film, [{ id: 'f-1', title: 'Emma' }])
  calls.length = 0
  return { api: client(router, undefined, mediaType), router, calls }
}

describe('GetItem rule 2, over a store that can read a version alone', () => {
  it('reads only the version of an item that the client has', async () => {
    const { api, calls } = await watched()
    const { etag } = await api.get('/books/b-1')
    calls.length = 0
    for (const header of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      const response = await api.get('/books/b-1', { 'if-none-match': header })
      expect([response.status, response.text, response.etag]).toEqual([304, '', etag])
      expect(response.headers.get('vary')).toBe('Accept')
    }
    expect((await api.head('/books/b-1', { 'if-none-match': etag })).status).toBe(304)
    expect(calls).toEqual(Array.from({ length: 5 }, () => 'version book'))
  })

  it('reads the item where the client has another version, or none, or wants another representation', async () => {
    const { api, calls } = await watched()
    const { etag } = await api.get('/books/b-1')
    await api.patch('/books/b-1', { book: { title: 'Emma, again' } })
    calls.length = 0
    const response = await api.get('/books/b-1', { 'if-none-match': etag })
    expect([response.status, response.at('/book/title')]).toEqual([200, 'Emma, again'])
    expect(calls).toEqual(['version book', 'find book'])
    calls.length = 0
    await api.get('/books/b-1')
    const narrow = await api.get('/books/b-1?fields[books]=title', {
      'if-none-match': response.etag,
    })
    expect(narrow.status, 'the tag of one form is not that of another').toBe(200)
    expect(calls).toEqual(['find book', 'find book'])
  })

  it('reveals no version of a hidden or a missing item', async () => {
    const { api, router } = await watched()
    expect(await router.query(Book).where('open').equal(false).size()).toBe(1)
    for (const id of ['shut', 'gone']) {
      const response = await api.get(`/books/${id}`, { 'if-none-match': '*' })
      expect([response.status, response.etag]).toEqual([404, ''])
    }
  })
})

describe('GetItem under JSON:API, over the same store', () => {
  const withCachedDocument = async () => {
    const fixture = await watched({ policy: jsonApi(), mediaType: 'application/vnd.api+json' })
    const first = await fixture.api.get('/books/b-1')
    fixture.calls.length = 0
    return { ...fixture, first }
  }

  it('reads the item alone where no document of it is cached, whatever was cached before', async () => {
    const { api, calls, router } = await withCachedDocument()
    await router.load(Book, [{ id: 'b-2', title: 'Persuasion' }])
    calls.length = 0
    for (const path of ['/books/b-2', '/books/b-1', '/books/b-2']) await api.get(path)
    expect(calls).toEqual(['find book', 'version book', 'version book'])
  })

  it('sends a cached document of this version, and reads only the version', async () => {
    const { api, calls, first } = await withCachedDocument()
    const [again, head] = [await api.get('/books/b-1'), await api.head('/books/b-1')]
    expect([again.status, again.text, again.etag]).toEqual([200, first.text, first.etag])
    expect([...again.headers]).toEqual([...first.headers])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)))
    expect(calls).toEqual(['version book', 'version book'])
  })

  it('serializes a changed item again, once', async () => {
    const { api, calls } = await withCachedDocument()
    const changed = { data: { type: 'books', id: 'b-1', attributes: { title: 'Emma, again' } } }
    const { etag } = await api.patch('/books/b-1', changed)
    for (const expectedCalls of [['version book', 'find book'], ['version book']]) {
      calls.length = 0
      const response = await api.get('/books/b-1')
      expect([response.at('/data/attributes/title'), response.etag]).toEqual(['Emma, again', etag])
      expect(calls).toEqual(expectedCalls)
    }
  })

  it('does not cache other representations, nor documents of other addresses', async () => {
    const { api, calls, first } = await withCachedDocument()
    const narrow = await api.get('/books/b-1?fields[books]=title')
    expect(narrow.at('/data/attributes')).toEqual({ title: 'Emma' })
    const compound = await api.get('/books/b-1?include=author')
    expect(compound.at('/included/0/attributes/name')).toBe('Jane Austen')
    expect([narrow.at('/links/self'), compound.at('/links/self')]).toEqual([
      '/books/b-1?fields%5Bbooks%5D=title',
      '/books/b-1?include=author',
    ])
    expect([narrow.etag, compound.etag]).not.toContain(first.etag)
    for (const path of [
      '/books/b-1/author',
      '/authors/a-1',
      '/books/b-1/author',
      '/authors/a-1',
      '/authors/a-1',
    ])
      expect((await api.get(path)).at('/links/self')).toBe(path)
    expect(calls).not.toEqual([])
  })

  it('sends no cached document of an item that is hidden now or deleted', async () => {
    const [shut, deleted] = [await withCachedDocument(), await withCachedDocument()]
    await shut.api.patch('/books/b-1', {
      data: { type: 'books', id: 'b-1', attributes: { open: false } },
    })
    await deleted.api.delete('/books/b-1')
    for (const { api, calls } of [shut, deleted]) {
      calls.length = 0
      expect((await api.get('/books/b-1')).status).toBe(404)
      expect(calls[0], 'what was sent before was looked for').toBe('version book')
    }
  })
})

describe('An item that changes between the reads of its version and of itself', () => {
  /** Runs the work once, after the next read of a version. */
  async function changing(policy: Policy, mediaType: string) {
    const inner = await sqliteStore.make()
    let work: (() => Promise<unknown>) | undefined
    const store = wrapStore(inner, {
      fastPaths: {
        ...inner.fastPaths,
        findVersion: async (model, condition) => {
          const version = await inner.fastPaths!.findVersion!(model, condition)
          const change = work
          work = undefined
          await change?.()
          return version
        },
      },
    })
    const router = createRouter({ policy, store })
    router.prepare(Author)
    await router.load(Author, [{ id: 'a-1', name: 'Jane' }])
    const api = client(router, undefined, mediaType)
    return { api, afterVersion: (change: () => Promise<unknown>) => (work = change) }
  }

  it('is sent with the text and the tag of its later version', async () => {
    const { api, afterVersion } = await changing(rest(), 'application/json')
    afterVersion(() => api.patch('/authors/a-1', { author: { name: 'Jane Austen' } }))
    const response = await api.get('/authors/a-1', { 'if-none-match': '"of no version"' })
    expect([response.status, response.at('/author/name')]).toEqual([200, 'Jane Austen'])
    expect(response.etag).toBe(`"${response.at('/author/hash')}"`)
  })

  it('replaces its cached document, and the next response is from the cache', async () => {
    const { api, afterVersion } = await changing(jsonApi(), 'application/vnd.api+json')
    const first = await api.get('/authors/a-1')
    const rename = (name: string) =>
      api.patch('/authors/a-1', { data: { type: 'authors', id: 'a-1', attributes: { name } } })
    await rename('Jane A.')
    afterVersion(() => rename('Jane Austen'))
    for (let time = 0; time < 2; time++) {
      const response = await api.get('/authors/a-1')
      expect(response.at('/data/attributes/name')).toBe('Jane Austen')
      expect(response.etag).toBe(`"${response.at('/data/meta/version')}"`)
      expect(response.etag).not.toBe(first.etag)
    }
  })

  it('is not found where it is deleted', async () => {
    const { api, afterVersion } = await changing(rest(), 'application/json')
    afterVersion(() => api.delete('/authors/a-1'))
    const response = await api.get('/authors/a-1', { 'if-none-match': '"of no version"' })
    expect([response.status, response.etag]).toEqual([404, ''])
  })
})

describe('A router that keeps blobs', () => {
  it('reads the version once and never the item, where the client has it', async () => {
    const { api, calls } = await watched({ blobs: memoryBlobs() })
    for (const path of ['/books/b-1', '/films/f-1']) {
      const { etag } = await api.get(path)
      calls.length = 0
      expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304)
      expect(calls).toEqual([path === '/books/b-1' ? 'version book' : 'version film'])
    }
  })

  it('reads only the version of an item whose document is cached', async () => {
    const { api, calls } = await watched({
      policy: jsonApi(),
      mediaType: 'application/vnd.api+json',
      blobs: memoryBlobs(),
    })
    for (const path of ['/books/b-1', '/films/f-1']) {
      const first = await api.get(path)
      calls.length = 0
      expect((await api.get(path)).text).toBe(first.text)
      expect(calls).toEqual([path === '/books/b-1' ? 'version book' : 'version film'])
    }
  })
})
