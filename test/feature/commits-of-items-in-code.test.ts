import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { sqliteStore } from '../support/stores.ts'

const Book = model('book', { title: z.string() })
const ids = Array.from({ length: 16 }, (_, index) => `b${index}`)

it('Writes of single items in code share a commit, as those of requests do', async () => {
  const sizes: number[] = []
  const listener = (message: unknown): void =>
    void sizes.push((message as { transactions: number }).transactions)
  const router = createRouter({ policy: rest(), store: await sqliteStore.make() })
  onTestFinished(() => router.close())
  router.prepare(Book)
  await router.open()
  const books = router.items(Book)
  subscribe('resourcery:sqlite:commit', listener)
  onTestFinished(() => void unsubscribe('resourcery:sqlite:commit', listener))
  await Promise.all(ids.map((id) => books.create({ id, title: 'T' })))
  await Promise.all(ids.map((id) => books.update(id, { title: 'U' })))
  expect(Math.max(...sizes)).toBeGreaterThan(1)
  // A deletion may change many other items.
  sizes.length = 0
  await Promise.all(ids.map((id) => books.delete(id)))
  expect(sizes).toEqual(ids.map(() => 1))
})
