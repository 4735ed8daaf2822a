import { setImmediate } from 'node:timers/promises'
import {
  createRouter,
  hash,
  model,
  type Router,
  type RouterLimits,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../spec/support/document-client.ts'
import { expectDone, expectError } from '../spec/support/expecting.ts'
import { methodsOf } from '../support/methods-of.ts'
import { stores } from '../support/stores.ts'

const Tag = model(
  'tag',
  { name: z.string(), posts: toMany('post', { inverse: 'tags' }) },
  { ids: 'client' },
)
const Post = model(
  'post',
  { title: z.string(), tags: toMany('tag'), hash: hash() },
  { ids: 'client', upsert: true },
)

const identifiers = (type: string, count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => ({ type, id: `${start + index}` }))
const post = (id: string, tags: readonly object[]) => ({
  data: { type: 'posts', id, attributes: { title: 'T' }, relationships: { tags: { data: tags } } },
})

async function service(
  limits: Partial<RouterLimits>,
): Promise<{ readonly api: Client; readonly router: Router }> {
  const router = createRouter({ policy: jsonApi(), basePath: '/api', store: memory(), limits })
  router.prepare(Tag)
  router.prepare(Post)
  await router.load(
    Tag,
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((id) => ({ id, name: id })),
  )
  await router.load(Post, [{ id: 'p', title: 'P', tags: ['0'] }])
  return { api: client(router), router }
}

describe('The number of ids in the relations of one request is limited', () => {
  const limits = { maxIdentifiers: 3 }

  it('in an item that is created, updated or replaced', async () => {
    const { api } = await service(limits)
    const source = { pointer: '/data/relationships/tags/data' }
    expectError(await api.post('/api/posts', post('q', identifiers('tags', 4))), 400, source)
    expectError(await api.patch('/api/posts/p', post('p', identifiers('tags', 4))), 400, source)
    const response = await api.patch('/api/posts/p', post('p', identifiers('tags', 4)))
    expect(response.errors[0]).toMatchObject({ code: 'limit-exceeded', meta: { limit: 3 } })
    expect((await api.get('/api/posts/p/relationships/tags')).ids).toEqual(['0'])
    expectDone(await api.patch('/api/posts/p', post('p', identifiers('tags', 3))))
  })

  it('at a relationship, from either side', async () => {
    const { api } = await service(limits)
    const source = { pointer: '/data' }
    expectError(
      await api.post('/api/posts/p/relationships/tags', { data: identifiers('tags', 4) }),
      400,
      source,
    )
    expectError(
      await api.delete('/api/posts/p/relationships/tags', { data: identifiers('tags', 4) }),
      400,
      source,
    )
    expectError(
      await api.patch('/api/tags/1/relationships/posts', { data: identifiers('posts', 4) }),
      400,
      source,
    )
    expectDone(await api.post('/api/posts/p/relationships/tags', { data: identifiers('tags', 3) }))
  })

  it('in a batch, for all its operations together', async () => {
    const { api } = await service(limits)
    const add = (start: number) => ({
      op: 'add',
      ref: { type: 'posts', id: 'p', relationship: 'tags' },
      data: identifiers('tags', 2, start),
    })
    expectError(await api.operate([add(0), add(2)]), 400, { pointer: '/atomic:operations/1/data' })
    expect((await api.get('/api/posts/p/relationships/tags')).ids).toEqual(['0'])
    expectDone(await api.operate([add(0)]))
  })

  it('in plain REST as well', async () => {
    const router = createRouter({ policy: rest(), store: memory(), limits })
    router.prepare(Tag)
    router.prepare(Post)
    const response = await router.handle(
      new Request('http://localhost/posts/p', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ post: { title: 'T', tags: ['0', '1', '2', '3'] } }),
      }),
    )
    expect(response.status).toBe(400)
    const text = await response.text()
    expect(text).toContain('limit-exceeded')
    expect(text).toContain('/post/tags')
  })
})

describe.each(stores)('Relations of many ids are written in linear time, on $name', ({ make }) => {
  it('in an item as a whole, and by adding to it and removing from it', {
    timeout: 60_000,
  }, async () => {
    const count = 10_000
    const router = createRouter({
      policy: jsonApi(),
      basePath: '/api',
      store: await make(),
      limits: { maxIdentifiers: count, maxBodyBytes: 10_000_000 },
    })
    router.prepare(Tag)
    router.prepare(Post)
    await router.load(
      Tag,
      Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: 'N' })),
    )
    const all = Array.from({ length: count }, (_, index) => `${index}`)
    await router.load(Post, [{ id: 'p', title: 'P', tags: all.slice(0, count / 2) }])
    const api = client(router)
    const everything = identifiers('tags', count)
    const startTime = performance.now()
    expectDone(await api.post('/api/posts/p/relationships/tags', { data: everything }))
    expectDone(await api.patch('/api/posts/p', post('p', everything.toReversed())))
    expectDone(await api.delete('/api/posts/p/relationships/tags', { data: everything.slice(1) }))
    expect(performance.now() - startTime).toBeLessThan(20_000)
    expect((await api.get('/api/posts/p/relationships/tags')).ids).toEqual(['0'])
  })
})

const Shelf = model(
  'shelf',
  { name: z.string(), books: toMany('book', { inverse: 'shelves' }) },
  { ids: 'client' },
)
const Book = model(
  'book',
  {
    title: z.string(),
    shelves: toMany('shelf'),
    best: toOne('shelf', { optional: true, onDelete: 'set-null' }),
    series: toOne('book', { optional: true, onDelete: 'cascade' }),
    hash: hash(),
  },
  { ids: 'client' },
)
const Review = model(
  'review',
  { text: z.string(), book: toOne('book', { onDelete: 'cascade' }) },
  { ids: 'client' },
)

/** A store that counts the items it returns in transactions. */
function counting(store: Store, count: (items: number) => void): Store {
  return {
    ...store,
    write: (work, caller) =>
      store.write(
        (transaction) =>
          work({
            ...methodsOf(transaction),
            async *list(described, plan, caller) {
              for await (const batch of transaction.list(described, plan, caller)) {
                count(batch.length)
                yield batch
              }
            },
            page: async (described, plan, caller) => {
              const page = await transaction.page(described, plan, caller)
              count(page.entries.length)
              return page
            },
          }),
        caller,
      ),
  }
}

describe.each(stores)(
  'Items that many others refer to, on $name',
  { timeout: 60_000 },
  ({ make }) => {
    const count = 3_000
    const numbers = Array.from({ length: count }, (_, index) => index)
    let read = 0
    let made: Router

    async function shelves(limits: Partial<RouterLimits> = {}) {
      const router = createRouter({
        policy: jsonApi(),
        basePath: '/api',
        store: counting(await make(), (items) => {
          read += items
        }),
        limits: limits,
      })
      for (const entry of [Shelf, Book, Review]) router.prepare(entry)
      await router.load(
        Shelf,
        ['s', 't'].map((id) => ({ id, name: id })),
      )
      await router.load(Book, [{ id: 'first', title: 'First' }])
      await router.load(
        Book,
        numbers.map((index) => ({
          id: `b${index}`,
          title: 'T',
          shelves: ['t', 's'],
          best: 's',
          series: 'first',
        })),
      )
      await router.load(
        Review,
        numbers.map((index) => ({ id: `r${index}`, text: 'T', book: `b${index}` })),
      )
      read = 0
      made = router
      return client(router)
    }

    const total = async (api: Client, path: string) =>
      (await api.get(`${path}withCount=true&page[size]=1`)).at('/meta/page/total')

    it('are deleted with one read of each item that refers to them', async () => {
      const api = await shelves()
      expectDone(await api.delete('/api/shelves/s'))
      // Once for each of the two relations.
      expect(read).toBeLessThanOrEqual(2 * count + 10)
      expect((await api.get('/api/books/b17/relationships/shelves')).ids).toEqual(['t'])
      expect((await api.get('/api/books/b17/best')).at('/data')).toBeNull()
    })

    it('cascade to the items that refer to them, and on to theirs', async () => {
      const api = await shelves()
      expectDone(await api.delete('/api/books/first'))
      expect(read).toBeLessThanOrEqual(2 * count + 10)
      expect(await total(api, '/api/books?')).toBe(0)
      expect(await total(api, '/api/reviews?')).toBe(0)
    })

    it('do not block other requests while they are deleted', async () => {
      const api = await shelves()
      let isDone = false
      const deleted = api.delete('/api/shelves/s').then((response) => {
        isDone = true
        return response
      })
      let answered = 0
      while (!isDone) {
        await setImmediate()
        expect((await api.get('/api/shelves/t')).status).toBe(200)
        if (!isDone) answered++
      }
      expectDone(await deleted)
      expect(answered).toBeGreaterThan(3)
    })

    it('stay unchanged when the client leaves before all are changed', async () => {
      const api = await shelves()
      const leaving = new AbortController()
      const request = new Request('http://localhost/api/shelves/s', {
        method: 'DELETE',
        signal: leaving.signal,
      })
      const response = made.handle(request)
      while (read === 0) await setImmediate()
      leaving.abort()
      await response.catch(() => undefined)
      expect((await api.get('/api/shelves/s')).status).toBe(200)
      expect(await total(api, '/api/shelves/s/books?')).toBe(count)
    })

    it('stay unchanged where one request would change too many', async () => {
      const api = await shelves({ maxChangedItems: count })
      const unlinking = await api.delete('/api/shelves/s')
      expectError(unlinking, 400)
      expect(unlinking.errors[0]).toMatchObject({ code: 'limit-exceeded', meta: { limit: count } })
      expectError(await api.delete('/api/books/first'), 400)
      const remove = { op: 'remove', ref: { type: 'shelves', id: 's' } }
      expectError(await api.operate([remove]), 400, { pointer: '/atomic:operations/0' })
      expect((await api.get('/api/shelves/s')).status).toBe(200)
      expect(await total(api, '/api/shelves/s/books?')).toBe(count)
      expect(await total(api, '/api/reviews?')).toBe(count)
      expectDone(await api.patch('/api/shelves/s/relationships/books', { data: [] }))
      expectDone(await api.delete('/api/books/b1'))
    })
  },
)
