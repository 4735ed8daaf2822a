import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { always, idEquals, type SortKey, toFieldPath } from '../../store/public.ts'
import { insert, insertAll, planOf, type Suite } from './harness.ts'
import { book, contentOf, itemOf } from './models.ts'

const count = 1_500
const byPrice: SortKey[] = [{ path: toFieldPath('price'), direction: 'desc' }]
const reason = new Error('The caller has left.')

export function leaving(suite: Suite): void {
  suite.alone('does not begin a write whose caller has left while it waited', async (store) => {
    await insert(store, book, { id: 'b-1', price: 1 })
    const caller = new AbortController()
    const before = store.write(() => setTimeout(100))
    // Of the queued transactions, only the one whose caller leaves is dropped.
    const dropped = store.write(
      (to) => to.replace(book, itemOf(book, { id: 'b-1', price: 2 })),
      caller,
    )
    const write = store.write(
      (to) => to.insert(book, itemOf(book, { id: 'b-2', price: 3 })),
      new AbortController(),
    )
    caller.abort(reason)
    await expect(dropped).rejects.toBe(reason)
    await before
    await expect(write).resolves.toMatchObject({ kind: 'written' })
    expect(contentOf((await store.find(book, idEquals('b-1')))!)).toEqual(
      contentOf(itemOf(book, { id: 'b-1', price: 1 })),
    )
  })

  suite.alone('ends a list whose caller leaves, with the reason of the signal', async (store) => {
    await insertAll(store, [
      [
        book,
        Array.from({ length: count }, (_, index) => ({
          id: `b-${index}`,
          price: index,
          pages: index % 7,
        })),
      ],
    ])
    for (const sort of [[], byPrice]) {
      const caller = new AbortController()
      let batches = 0
      const read = async () => {
        for await (const _ of store.list(book, planOf(always, sort), caller)) {
          batches++
          caller.abort(reason)
        }
      }
      await expect(read()).rejects.toBe(reason)
      expect(batches).toBe(1)
    }
  })
}
