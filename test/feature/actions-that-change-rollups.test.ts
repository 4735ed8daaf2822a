import { derived, hash, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { promiseWithResolvers } from '../../src/concurrency/promise-with-resolvers.ts'
import type { Client } from '../support/client.ts'
import { policies, prepared } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
  bookCount: rollup('books', { count: true }),
  isPublished: derived({
    from: ['bookCount'],
    schema: z.boolean(),
    compute: ({ bookCount }) => bookCount > 0,
  }),
  hash: hash(),
})
const Book = model('book', { author: toOne('author', { optional: true, onDelete: 'set-null' }) })

describe.each(policies)('Under $name, an action that changes rollups of its item,', (kind) => {
  describe.each(stores)('on $name,', ({ make }) => {
    let router: Router
    let api: Client
    let calls: number
    let started: ReturnType<typeof promiseWithResolvers<void>>
    let gate: Promise<unknown>

    beforeEach(async () => {
      calls = 0
      started = promiseWithResolvers()
      gate = Promise.resolve()
      const made = prepared(kind, await make(), [Book])
      ;({ router, api } = made)
      router
        .prepare(Author)
        .itemOperation('publish', async ({ item, items }) => {
          calls++
          started.resolve()
          await gate
          item.name = `${item.name}, published`
          await items(Book).create({ id: `book-${calls}`, author: item.id })
        })
        .itemOperation('publishTwice', async ({ item, items }) => {
          calls++
          await items(Book).create({ author: item.id })
          await items(Author).get(item.id)
          await items(Book).create({ author: item.id })
        })
      await router.items(Author).create({ id: 'a', name: 'Ada' })
    })

    const author = () => router.items(Author).get('a')

    it('is called once, and stores both', async () => {
      const response = await api.post('/authors/a/publish', kind.input({}))
      expect(response.status).toBe(200)
      expect(calls).toBe(1)
      expect(await author()).toMatchObject({
        name: 'Ada, published',
        bookCount: 1,
        isPublished: true,
      })
      expect(response.etag).toBe((await api.get('/authors/a')).etag)
    })

    it('leaves a changed rollup alone where it changes nothing else', async () => {
      expect((await api.post('/authors/a/publishTwice', kind.input({}))).status).toBe(200)
      expect(calls).toBe(1)
      expect(await author()).toMatchObject({ name: 'Ada', bookCount: 2, isPublished: true })
    })

    it('is called again if another request changes the item meanwhile', async () => {
      const changed = promiseWithResolvers<void>()
      gate = changed.promise
      const response = api.post('/authors/a/publish', kind.input({}))
      await started.promise
      await router.items(Author).update('a', { name: 'Eve' })
      changed.resolve()
      expect((await response).status).toBe(200)
      expect(calls).toBe(2)
      expect(await author()).toMatchObject({ name: 'Eve, published', bookCount: 1 })
    })

    it('takes the version that the item had before', async () => {
      const { etag } = await api.get('/authors/a')
      const send = () => api.post('/authors/a/publish', kind.input({}), { 'if-match': etag! })
      expect((await send()).status).toBe(200)
      expect((await send()).status).toBe(412)
      expect(await author()).toMatchObject({ name: 'Ada, published', bookCount: 1 })
    })
  })
})
