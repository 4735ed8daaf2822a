import { expect } from 'vitest'
import {
  idEquals,
  type RequestRecords,
  type Store,
  type StoreTransaction,
} from '../../store/public.ts'
import type { Suite } from './harness.ts'
import { book, itemOf, models } from './models.ts'

const nowMs = Date.UTC(2026, 0, 1)
const times = { nowMs, expiresAtMs: nowMs + 1_000 }

/** The records of a store that has them. Others skip this part. */
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
    const earlier = await records.reserve(key, 'ann', recordTimes)
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
    expect((await records.usage()).records).toBe(1)
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
    expect((await recordsOf(store).usage()).records).toBe(2)
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
      expect(await records!.reserve('k', 'ann', times)).toBeUndefined()
      await records!.release('k')
    })
    expect((await recordsOf(store).usage()).records).toBe(0)
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
    expect((await records.usage()).records).toBe(1)
    expect(await records.find('a', later)).toBe('a again')
  })

  alone('keeps results when it is opened again', async (store) => {
    await once(store, 'k', insertBook('b-1'))
    await store.open(models, { keepsRequests: true })
    expect(await recordsOf(store).find('k', nowMs)).toBe('b-1')
    expect(await once(store, 'k', insertBook('b-2'))).toBe('b-1')
  })

  alone('counts what is kept, in bytes', async (store) => {
    const records = recordsOf(store)
    expect(await records.usage()).toEqual({ records: 0, bytes: 0, firstExpiryMs: undefined })
    await once(store, 'a', async () => 'ü'.repeat(10))
    await once(store, 'b', async () => 'x'.repeat(30), { nowMs, expiresAtMs: nowMs + 500 })
    expect(await records.usage()).toEqual({ records: 2, bytes: 50, firstExpiryMs: nowMs + 500 })
    await once(store, 'b', async () => 'x', { nowMs: nowMs + 500, expiresAtMs: nowMs + 2_000 })
    expect(await records.usage()).toEqual({ records: 2, bytes: 21, firstExpiryMs: nowMs + 1_000 })
  })

  alone('tells when one client keeps less than its share again', async (store) => {
    const records = recordsOf(store)
    const share = { records: 3, bytes: 100 }
    const keep = (client: string, key: string, bytes: number, expiresAtMs: number) =>
      store.write(async ({ requestRecords }) => {
        await requestRecords!.reserve(key, client, { nowMs, expiresAtMs })
        await requestRecords!.write(key, 'x'.repeat(bytes))
      })
    const usage = (client: string, atMs = nowMs) => records.usageOf(client, share, atMs)
    const [first, second, third, last] = [1_000, 2_000, 3_000, 4_000].map((ms) => nowMs + ms)
    const none = { records: 0, bytes: 0, fullUntilMs: undefined }
    expect(await usage('ann')).toEqual(none)
    await keep('ann', 'a', 10, first!)
    await keep('bob', 'b', 99, third!)
    await keep('ann', 'c', 10, second!)
    expect(await usage('ann')).toEqual({ records: 2, bytes: 20, fullUntilMs: undefined })
    expect(await usage('bob')).toEqual({ records: 1, bytes: 99, fullUntilMs: undefined })
    await keep('ann', 'd', 10, third!)
    expect(await usage('ann')).toMatchObject({ fullUntilMs: first })
    await keep('ann', 'e', 70, last!)
    // Two more than may be left; no more records are read than the share has.
    expect(await usage('ann')).toMatchObject({ fullUntilMs: second })
    expect(await usage('ann', second)).toEqual({ records: 2, bytes: 80, fullUntilMs: undefined })
    await keep('bob', 'f', 1, third!)
    expect(await usage('bob')).toMatchObject({ fullUntilMs: third })
    await keep('bob', 'g', 100, last!)
    expect(await usage('bob')).toMatchObject({ fullUntilMs: last })
    expect(await usage('bob', last)).toEqual(none)
  })
}
