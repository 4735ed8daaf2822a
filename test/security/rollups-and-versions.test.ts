import {
  createRouter,
  hash,
  model,
  type PreparedRouter,
  rollup,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores, transactionsEnded } from '../support/stores.ts'

class Book extends model('book', {
  title: z.string(),
  reviews: toMany<Review>('review', { inverse: 'book' }),
  best: rollup('reviews', { max: 'stars', countsHidden: true }),
  hash: hash(),
}) {}
class Review extends model('review', {
  stars: z.int(),
  text: z.string().default(''),
  isSecret: z.boolean().default(false),
  book: toOne<Book>('book'),
}) {}

/** How a rollup is kept from callers that change what it is made of. */
const kept: Readonly<Record<string, (book: PreparedRouter<Book, Caller>) => unknown>> = {
  'a rule of the caller': (book) =>
    book.access(({ caller }) => ({
      fields: { best: { read: caller.roles.contains('admin') } },
    })),
  'a rule of the item': (book) =>
    book.access(({ item }) => ({ fields: { best: { read: item.title.equal('open') } } })),
  'a mapper': (book) => book.map(({ best: _, ...item }) => item, { hides: ['best'] }),
}

describe.each(stores)('What the version of an item tells of its rollups, on $name', ({ make }) => {
  const open = async (store: Store, keep: (book: PreparedRouter<Book, Caller>) => unknown) => {
    const router = createRouter({
      policy: rest(),
      store,
      changes: true,
      security: { authentication: [token], callerSchema: Caller },
    })
    onTestFinished(() => router.close())
    keep(router.prepare(Book))
    router.prepare(Review).access(({ item, caller, anyone, signedIn }) => ({
      read: item.isSecret.equal(false).or(caller.roles.contains('admin')),
      create: anyone,
      update: anyone,
      fields: { stars: { read: caller.roles.contains('admin'), write: signedIn } },
    }))
    await router.items(Book).create({ id: 'dune', title: 'Dune' })
    return { router, api: client(router) }
  }

  it.each(Object.entries(kept))(
    'is the same whatever hidden items and members hold, with %s',
    async (name, keep) => {
      const seen = [1, 5].map(async (hidden) => {
        const { router, api } = await open(await make(), keep)
        const secret = { id: 'secret', stars: hidden, isSecret: true, book: 'dune' }
        await router.items(Review).create(secret as never)
        const ann = as('ann')
        await transactionsEnded()
        const first = (await api.get('/books', ann)).headers.get('changes-position')
        const changes: boolean[] = []
        const step = async (method: string, path: string, review: object) => {
          const { etag } = await api.get('/books/dune', ann)
          expect((await api.send(method, path, { review }, ann)).status).toBeLessThan(300)
          changes.push((await api.get('/books/dune', ann)).etag !== etag)
        }
        await step('POST', '/reviews', { id: 'own', stars: 3, book: 'dune' })
        await step('PATCH', '/reviews/own', { stars: 3 })
        await step('PATCH', '/reviews/own', { stars: 3, text: 'guess' })
        await step('PATCH', '/reviews/own', { stars: 4 })
        await step('PATCH', '/reviews/own', { stars: 2, text: 'less' })
        await transactionsEnded()
        const feed = await api.get(`/books/changes?since=${first}`, ann)
        expect(feed.status).toBe(200)
        return { changes, feed: (feed.at('/changes') as readonly unknown[]).length }
      })
      const [one, other] = await Promise.all(seen)
      expect(one).toEqual(other)
      // That of an item of which a rule hides something is made of what the caller sees.
      expect(new Set(one?.changes)).toEqual(new Set([name === 'a mapper']))
    },
  )
})
