import pg from 'pg'
import { createRouter, type ItemsOf, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { postgres } from './postgres-store.ts'

class Book extends model(
  'book',
  {
    title: z.string(),
    reviews: toMany('review', { inverse: 'book' }),
    reviewCount: rollup('reviews', { count: true }),
    stars: rollup('reviews', { avg: 'stars' }),
  },
  { ids: 'client', upsert: true },
) {}
// Without a class of its own, whose related items would be locked from the beginning.
const Review = model('review', {
  stars: z.int(),
  book: toOne('book', { optional: true, onDelete: 'set-null' }),
})

/** What another transaction does while the one that refers to the book is open. */
type Step = 'delete' | 'create' | 'put' | 'replace'

interface Order {
  readonly beforeSettling: readonly Step[]
  /** Undefined: the transaction settles when it ends. */
  readonly afterSettling?: readonly Step[]
  /** Does the last step of these stay open until the transaction has settled? */
  readonly isOpen?: true
}

const orders: readonly (readonly [string, Order])[] = [
  ['is deleted and created before', { beforeSettling: ['delete', 'create'] }],
  ['is deleted and put before', { beforeSettling: ['delete', 'put'] }],
  ['is deleted and created in one transaction before', { beforeSettling: ['replace'] }],
  ['is deleted before', { beforeSettling: ['delete'] }],
  [
    'is deleted before and created after',
    { beforeSettling: ['delete'], afterSettling: ['create'] },
  ],
  ['is deleted before and put after', { beforeSettling: ['delete'], afterSettling: ['put'] }],
  [
    'is deleted before and created meanwhile',
    { beforeSettling: ['delete', 'create'], afterSettling: [], isOpen: true },
  ],
  [
    'is deleted and created meanwhile in one transaction',
    { beforeSettling: ['replace'], afterSettling: [], isOpen: true },
  ],
  ['is deleted after', { beforeSettling: [], afterSettling: ['delete'] }],
  ['is deleted and created after', { beforeSettling: [], afterSettling: ['delete', 'create'] }],
  [
    'is deleted and created after in one transaction',
    { beforeSettling: [], afterSettling: ['replace'] },
  ],
]

/** What the transaction does that refers to the book. */
const references: readonly (readonly [string, (items: ItemsOf) => Promise<unknown>])[] = [
  [
    'a new item refers to it',
    (items) => items(Review).create({ id: 'new', stars: 4, book: 'b' } as never),
  ],
  [
    'an item moves to it',
    (items) => items(Review).update('other', { book: 'b', stars: 1 } as never),
  ],
  [
    'an item moves to it and another one leaves it',
    async (items) => {
      await items(Review).update('own', { book: 'a' } as never)
      await items(Review).update('other', { book: 'b' } as never)
    },
  ],
]

const kinds = [{ foreignKeys: true }, { foreignKeys: false }]

/** Until then, work that waits for a lock has begun to wait. */
const moment = () => new Promise((done) => setTimeout(done, 100))

describePostgres('An item with rollups that is deleted and created again', () => {
  describe.each(kinds)('with $foreignKeys foreign keys', (kind) => {
    let database: TestDatabase
    let router: Router

    beforeAll(async () => {
      database = await newDatabase()
      const options = encodeURIComponent('-c deadlock_timeout=50ms')
      const limits = { maxConnections: 8, lockTimeoutMs: 20_000 }
      const store = postgres(`${database.url}&options=${options}`, { ...kind, ...limits })
      router = createRouter({ policy: rest(), store })
      for (const each of [Book, Review]) router.prepare(each)
      await router.open()
      return async () => {
        await router.close()
        await database.drop()
      }
    }, 60_000)

    beforeEach(async () => {
      await (await sharedServer()).run('truncate reviews, books', [], database.name)
      await router.load(
        Book,
        ['a', 'b', 'c'].map((id) => ({ id, title: id })),
      )
      await router.load(Review, [
        { id: 'own', stars: 2, book: 'b' },
        { id: 'other', stars: 5, book: 'c' },
      ])
    })

    const expectExact = async () => {
      const reviews = await router.items(Review).all()
      for (const { id, reviewCount, stars } of await router.items(Book).all()) {
        const own = reviews.filter(({ book }) => (book as unknown) === id)
        const sum = own.reduce((total, review) => total + review.stars, 0)
        expect({ id, reviewCount, stars: stars ?? null }).toEqual({
          id,
          reviewCount: own.length,
          stars: own.length === 0 ? null : sum / own.length,
        })
      }
    }

    const put = async () => {
      const body = JSON.stringify({ book: { title: 'again' } })
      const headers = { 'content-type': 'application/json' }
      const request = new Request('http://localhost/books/b', { method: 'PUT', headers, body })
      expect((await router.handle(request)).status).toBe(201)
    }

    const take = (step: Step, until?: Promise<void>): Promise<void> =>
      step === 'put'
        ? put()
        : router.transaction(async (items) => {
            if (step !== 'create') await items(Book).delete('b')
            if (step !== 'delete') await items(Book).create({ id: 'b', title: 'again' })
            await until
          })

    for (const [what, refer] of references)
      it.each(orders)(`${what}; it %s`, { timeout: 60_000 }, async (_name, order) => {
        const { beforeSettling, afterSettling, isOpen } = order
        const hasReferred = promiseWithResolvers<void>()
        const maySettle = promiseWithResolvers<void>()
        const hasSettled = promiseWithResolvers<void>()
        const mayEnd = promiseWithResolvers<void>()
        const transaction = router
          .transaction(async (items) => {
            await refer(items)
            hasReferred.resolve()
            await maySettle.promise
            if (afterSettling) await items(Book).get('b')
            hasSettled.resolve()
            await mayEnd.promise
          })
          .catch((error: unknown) => error)
        await hasReferred.promise
        // Each step waits for the one before, which may wait for the transaction.
        let steps = Promise.resolve()
        const takeAll = async (all: readonly Step[], until?: Promise<void>) => {
          for (const [index, step] of all.entries())
            steps = steps.then(() => take(step, index === all.length - 1 ? until : undefined))
          await Promise.race([steps, moment()])
        }
        await takeAll(beforeSettling, isOpen && mayEnd.promise)
        maySettle.resolve()
        await Promise.race([hasSettled.promise, moment()])
        await takeAll(afterSettling ?? [])
        mayEnd.resolve()
        const error = await transaction
        if (error !== undefined) expect(error).toMatchObject({ problems: [{ status: 422 }] })
        await steps
        await expectExact()
      })

    it('items are loaded that refer to it; it is deleted before and put after', async () => {
      const holderOf = async (id: string) => {
        const holder = new pg.Client({ connectionString: database.url })
        await holder.connect()
        onTestFinished(() => holder.end())
        await holder.query(`begin; select from books where id = '${id}' for update`)
        return { release: () => holder.query('commit') }
      }
      const [first, last] = [await holderOf('a'), await holderOf('c')]
      const items = ['a', 'b', 'c'].map((book) => ({ id: `of-${book}`, stars: 3, book }))
      const loaded = router.load(Review, items).catch((error: unknown) => error)
      // The rollups of a, b and c are written in this order.
      await moment()
      await take('delete')
      await first.release()
      await moment()
      await put()
      await last.release()
      const result = await loaded
      if (result !== 3)
        expect(String(result)).toMatch("leads to the book 'b', which does not exist")
      await expectExact()
    })

    it('the transaction creates it that refers to it; it is deleted before', async () => {
      const hasReferred = promiseWithResolvers<void>()
      const mayCreate = promiseWithResolvers<void>()
      const transaction = router.transaction(async (items) => {
        await items(Review).create({ id: 'new', stars: 4, book: 'b' } as never)
        hasReferred.resolve()
        await mayCreate.promise
        await items(Book).create({ id: 'b', title: 'again' })
      })
      await hasReferred.promise
      await take('delete')
      mayCreate.resolve()
      await transaction
      expect(await router.items(Book).get('b')).toMatchObject({ reviewCount: 1, stars: 4 })
      await expectExact()
    })

    it('code that goes on after an error of its rollups commits nothing', async () => {
      const hasReferred = promiseWithResolvers<void>()
      const maySettle = promiseWithResolvers<void>()
      const hasFailed = promiseWithResolvers<unknown>()
      const mayEnd = promiseWithResolvers<void>()
      const books = ['a', 'b']
      const transaction = router.transaction(async (items) => {
        await items(Review).create({ id: 'new', stars: 4, book: books.pop() } as never)
        hasReferred.resolve()
        await maySettle.promise
        await items(Book).get('b').catch(hasFailed.resolve)
        await mayEnd.promise
      })
      await hasReferred.promise
      await take('delete')
      maySettle.resolve()
      expect(String(await hasFailed.promise)).toMatch("removed the book 'b'")
      await put()
      mayEnd.resolve()
      await transaction
      expect(await router.items(Book).get('a')).toMatchObject({ reviewCount: 1 })
      await expectExact()
    })
  })
})
