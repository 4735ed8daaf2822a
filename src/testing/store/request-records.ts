import { expect } from 'vitest'
import { idEquals } from '../../query/conditions.ts'
import type { RequestRecords } from '../../store/request-records.ts'
import type { Store } from '../../store/store.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { Suite } from './harness.ts'
import { book, itemOf, models } from './models.ts'

const nowMs = Date.UTC(2026, 0, 1)
const times = { nowMs, expiresAtMs: nowMs + 1_000 }

/** The records of a store that has them. Others list the tests in `skips`. */
function recordsOf({ requestRecords }: Store): RequestRecords {
  expect(requestRecords, 'the store has no requestRecords').toBeDefined()
  return requestRecords!
}

/** Does the work of a request once, and returns the result of the first one. */
async function once(
  store: Store,
  key: string,
  work: (transaction: StoreTransaction) => Promise<string>,
  recordTimes = times,
): Promise<string> {
  return store.write(async (transaction) => {
    const records = transaction.requestRecords!
    const earlier = await records.reserve(key, recordTimes)
    if (earlier !== undefined) return earlier
    const result = await work(transaction)
    await records.write(key, result)
    return result
  })
}

const insertBook = (id: string) => async (transaction: StoreTransaction) => {
  expect(await transaction.insert(book, itemOf(book, { id }))).toMatchObject({ kind: 'written' })
  return id
}

export function requestRecords(suite: Suite): void {
  const alone = (title: string, body: (store: Store) => Promise<void>) =>
    suite.alone(title, body, models, { keepsRequests: true })

  alone('keeps the result of a request with the writes of its transaction', async (store) => {
    const records = recordsOf(store)
    expect(records.areKept()).toBe(true)
    expect(await records.find('k', nowMs)).toBeUndefined()
    expect(await once(store, 'k', insertBook('b-1'))).toBe('b-1')
    expect(await once(store, 'k', insertBook('b-2'))).toBe('b-1')
    expect(await records.find('k', nowMs)).toBe('b-1')
    expect(await records.find('other', nowMs)).toBeUndefined()
    expect(await store.find(book, idEquals('b-2'))).toBeUndefined()
    expect(await records.count()).toBe(1)
    const odd = `{"text":"\\u0000 \\ud83d\u{1f600} 'quoted' ${'long '.repeat(20_000)}"}`
    expect(await once(store, 'odd', async () => odd)).toBe(odd)
    expect(await records.find('odd', nowMs)).toBe(odd)
  })

  alone('keeps no result of a transaction that is rolled back', async (store) => {
    const failing = async (transaction: StoreTransaction): Promise<string> => {
      await insertBook('b-1')(transaction)
      throw new Error('refused')
    }
    // Together, as a store may commit them in one group.
    const all = await Promise.allSettled([
      once(store, 'before', insertBook('b-0')),
      once(store, 'k', failing),
      once(store, 'after', insertBook('b-2')),
    ])
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await recordsOf(store).find('k', nowMs)).toBeUndefined()
    expect(await recordsOf(store).count()).toBe(2)
    expect(await once(store, 'k', insertBook('b-1'))).toBe('b-1')
  })

  alone('lets the second of two transactions with one key wait for the first', async (store) => {
    const results = await Promise.all(
      Array.from({ length: 4 }, (_, index) => once(store, 'k', insertBook(`b-${index}`))),
    )
    expect(new Set(results).size).toBe(1)
    const written = await Promise.all(
      results.map((_, index) => store.find(book, idEquals(`b-${index}`))),
    )
    expect(written.filter((item) => item !== undefined).map((item) => item.id)).toEqual([
      results[0],
    ])
  })

  alone('gives a key back', async (store) => {
    await store.write(async ({ requestRecords: records }) => {
      expect(await records!.reserve('k', times)).toBeUndefined()
      await records!.release('k')
    })
    expect(await recordsOf(store).count()).toBe(0)
    expect(await once(store, 'k', insertBook('b-1'))).toBe('b-1')
  })

  alone('forgets results that have expired', async (store) => {
    const records = recordsOf(store)
    const later = times.expiresAtMs
    for (const key of ['a', 'b', 'c']) await once(store, key, async () => `${key} first`)
    expect(await records.find('a', later - 1)).toBe('a first')
    expect(await records.find('a', later)).toBeUndefined()
    const laterTimes = { nowMs: later, expiresAtMs: later + 1_000 }
    expect(await once(store, 'a', async () => 'a again', laterTimes)).toBe('a again')
    expect(await records.find('a', later)).toBe('a again')
    expect(await records.removeExpired(later, 1)).toBe(1)
    expect(await records.removeExpired(later, 10)).toBe(1)
    expect(await records.removeExpired(later, 10)).toBe(0)
    expect(await records.count()).toBe(1)
    expect(await records.find('a', later)).toBe('a again')
  })

  alone('keeps results when it is opened again', async (store) => {
    await once(store, 'k', insertBook('b-1'))
    await store.open(models, { keepsRequests: true })
    expect(await recordsOf(store).find('k', nowMs)).toBe('b-1')
    expect(await once(store, 'k', insertBook('b-2'))).toBe('b-1')
  })
}
