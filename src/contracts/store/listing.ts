import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  always,
  type Condition,
  type SortKey,
  type Store,
  toFieldPath,
} from '../../store/public.ts'
import { idsOf, insertAll, listed, planOf, type Suite } from './harness.ts'
import { book, itemOf } from './models.ts'

const count = 1_500

function idOf(index: number): string {
  return `b-${String(index).padStart(5, '0')}`
}

const ids = Array.from({ length: count }, (_, index) => idOf(index))
const byPrice: SortKey[] = [{ path: toFieldPath('price'), direction: 'desc' }]

async function fill(store: Store): Promise<void> {
  await insertAll(store, [[book, ids.map((id, index) => ({ id, price: index, pages: index % 7 }))]])
}

function update(store: Store, id: string, values: Record<string, unknown>): Promise<unknown> {
  return store.write((transaction) => transaction.replace(book, itemOf(book, { id, ...values }, 2)))
}

export function listing(suite: Suite): void {
  suite.alone('lists many items in batches, each once and in order', async (store) => {
    await fill(store)
    let batches = 0
    const found: string[] = []
    for await (const batch of store.list(book, planOf())) {
      expect(batch.length).toBeGreaterThan(0)
      expect(batch.length).toBeLessThan(count)
      batches++
      found.push(...batch.map((item) => item.id))
    }
    expect(found).toEqual(ids)
    expect(batches).toBeGreaterThan(1)
    expect(await idsOf(store, book, planOf(always, byPrice))).toEqual(ids.toReversed())
  })

  suite.alone('lists long windows in batches', async (store) => {
    await fill(store)
    const of = (window: Parameters<typeof planOf>[2], sort: SortKey[] = []) =>
      idsOf(store, book, planOf(always, sort, window))
    const limit = 700
    expect(await of({ kind: 'offset', offset: 300, limit })).toEqual(ids.slice(300, 1_000))
    expect(await of({ kind: 'offset', offset: 1_400, limit })).toEqual(ids.slice(1_400))
    expect(await of({ kind: 'after', position: [idOf(99)], limit })).toEqual(ids.slice(100, 800))
    expect(await of({ kind: 'before', position: [idOf(1_000)], limit })).toEqual(
      ids.slice(300, 1_000),
    )
    expect(
      await of({ kind: 'before', position: [idOf(1_000)], limit: Number.POSITIVE_INFINITY }),
    ).toEqual(ids.slice(0, 1_000))
    expect(await of({ kind: 'between', after: [idOf(99)], before: [idOf(1_000)], limit })).toEqual(
      ids.slice(100, 800),
    )
    const position = [900, idOf(900)]
    expect(await of({ kind: 'after', position, limit }, byPrice)).toEqual(
      ids.slice(200, 900).toReversed(),
    )
    expect(await of({ kind: 'before', position, limit: 400 }, byPrice)).toEqual(
      ids.slice(901, 1_301).toReversed(),
    )
  })

  suite.alone('lists nothing as no batch at all', async (store) => {
    expect(await listed(store, book, planOf())).toEqual([])
    await fill(store)
    const none: Condition = {
      kind: 'compare',
      path: toFieldPath('price'),
      operator: 'lessThan',
      value: 0,
    }
    for await (const batch of store.list(book, planOf(none))) expect(batch).toBe('never reached')
    for await (const batch of store.list(
      book,
      planOf(always, [], { kind: 'offset', offset: count, limit: 10 }),
    )) {
      expect(batch).toBe('never reached')
    }
  })

  suite.alone('gives way to others between batches', async (store) => {
    await fill(store)
    let turns = 0
    let isListing = true
    const others = (async () => {
      for (; isListing; turns++) await setImmediate()
    })()
    await listed(store, book, planOf())
    isListing = false
    await others
    expect(turns).toBeGreaterThan(1)
  })

  suite.alone('stays usable when a list is left early, and while many are open', async (store) => {
    await fill(store)
    for await (const batch of store.list(book, planOf())) {
      expect(batch[0]?.id).toBe(ids[0])
      break
    }
    const iterators = Array.from({ length: 20 }, () =>
      store.list(book, planOf())[Symbol.asyncIterator](),
    )
    await Promise.all(iterators.map((iterator) => iterator.next()))
    await update(store, idOf(5), { price: -5 })
    expect(await store.count(book, always)).toBe(count)
    await Promise.all(iterators.map((iterator) => iterator.return?.()))
    await expect(
      (async () => {
        for await (const _ of store.list(book, planOf())) throw new Error('the reader gave up')
      })(),
    ).rejects.toThrow('the reader gave up')
    expect(await idsOf(store, book, planOf())).toEqual(ids)
  })

  suite.alone(
    'lists each item once while others write, in its old or its new form',
    async (store) => {
      await fill(store)
      const seen: string[] = []
      let round = 0
      for await (const batch of store.list(book, planOf())) {
        seen.push(...batch.map((item) => item.id))
        for (const item of batch) expect([1, 2]).toContain(item.revision)
        // However small the batches are, no round touches an item that an earlier round removed.
        if (round === 9) continue
        round++
        await Promise.all([
          update(store, idOf(round), { title: 'changed behind' }),
          update(store, idOf(count - round), { title: 'changed ahead' }),
          store.write((transaction) => transaction.remove(book, idOf(10 + round))),
          store.write((transaction) => transaction.remove(book, idOf(count - 10 - round))),
          insertAll(store, [[book, [{ id: `a-${round}` }, { id: `c-${round}` }]]]),
        ])
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen).toEqual([...seen].sort())
      const removed = new Set(Array.from({ length: round }, (_, index) => idOf(count - 11 - index)))
      const remaining = ids.filter((id) => !removed.has(id))
      expect(seen).toEqual(expect.arrayContaining(remaining))
    },
  )

  suite.alone(
    'lists every item that stays where it is exactly once while others move in the order',
    async (store) => {
      await fill(store)
      const moved = new Set<string>()
      const seen: string[] = []
      for await (const batch of store.list(book, planOf(always, byPrice))) {
        seen.push(...batch.map((item) => item.id))
        const mover = batch[0]!.id
        moved.add(mover)
        await update(store, mover, { price: seen.length % 2 === 0 ? -1 : 1e9 })
      }
      const stayed = seen.filter((id) => !moved.has(id))
      expect(stayed).toHaveLength(new Set(stayed).size)
      expect(stayed).toHaveLength(count - moved.size)
    },
  )

  suite.alone('lists no item twice when its place in the order changes', async (store) => {
    await fill(store)
    const seen: string[] = []
    for await (const batch of store.list(book, planOf(always, byPrice))) {
      seen.push(...batch.map((item) => item.id))
      // An item that was read moves ahead of the reader.
      await update(store, batch[0]!.id, { price: -1 })
    }
    expect(seen).toHaveLength(new Set(seen).size)
    expect(seen).toHaveLength(count)
  })

  suite.alone('loses no item when its place in the order changes', async (store) => {
    await fill(store)
    const seen: string[] = []
    for await (const batch of store.list(book, planOf(always, byPrice))) {
      seen.push(...batch.map((item) => item.id))
      // An item that was not read yet moves behind the reader.
      if (seen.length < count / 2) await update(store, idOf(batch.length), { price: 1e9 })
    }
    expect(seen).toHaveLength(new Set(seen).size)
    expect(seen).toHaveLength(count)
  })
}
