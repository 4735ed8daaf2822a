import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { always, idEquals, toFieldPath } from '../../query/conditions.ts'
import type { Condition, PageRange, QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store-failures.ts'
import { maxOpenLists, type ScanOptions } from './scan-limits.ts'
import { sqlite } from './sqlite.ts'

const [note] = describeModels([model('note', { title: z.string(), rank: z.int() })]) as readonly [
  ModelDescription,
]
const size = 100_000
const folder = mkdtempSync(join(tmpdir(), 'sqlite-scans-'))
const store = sqlite(join(folder, 'scans.db'), { durability: 'normal' })

const itemOf = (index: number, rank = (index * 7919) % size) => {
  const title = `${rank} ${'x'.repeat(100)}`
  return createStoredItem(note, { id: `n-${String(index).padStart(6, '0')}`, title, rank }, 1)
}

beforeAll(async () => {
  await store.open([note])
  await store.write(async (transaction) => {
    for (let index = 0; index < size; index++) await transaction.insert(note, itemOf(index))
  })
}, 60_000)

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const byRank: QueryPlan['sort'] = [{ path: toFieldPath('rank'), direction: 'desc' }]
const slice = (limit: number, skip = 0): PageRange => ({ kind: 'offset', offset: skip, limit })
const plan = (sort: QueryPlan['sort'], pageRange: PageRange, condition: Condition = always) => ({
  condition,
  sort,
  pageRange,
})
const rankOf = (text: string): number => (JSON.parse(text) as { rank: number }).rank

/** The longest time that the event loop was held up while something ran. */
async function longestBlock(work: Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  void work.finally(() => {
    isDone = true
  })
  for (let last = performance.now(); !isDone; ) {
    await setImmediate()
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  await work
  return longest
}

/** Of a few tries, because other processes hold the event loop up too. */
async function leastBlock(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 4 && least > 20; tries++)
    least = Math.min(least, await longestBlock(work()))
  return least
}

test('sorting a large table without an index does not block the event loop', async () => {
  const listed = async () => {
    const ranks: number[] = []
    for await (const batch of store.list(note, plan(byRank, slice(Number.POSITIVE_INFINITY)))) {
      for (const item of batch) ranks.push(rankOf(item.text))
    }
    expect(ranks).toHaveLength(size)
    expect(ranks.every((rank, index) => index === 0 || rank < ranks[index - 1]!)).toBe(true)
  }
  expect(await leastBlock(listed)).toBeLessThan(100)
}, 60_000)

test('pages and counts of a large table do not block the event loop', async () => {
  const above: Condition = {
    kind: 'compare',
    path: toFieldPath('rank'),
    operator: 'greaterThan',
    value: size - 4,
  }
  const ask = () =>
    Promise.all([
      store.page(note, plan(byRank, slice(3, 1))),
      store.count(note, above),
      store.page(note, plan(byRank, { kind: 'before', position: [size - 4, 'o'], limit: 2 })),
    ])
  expect(await leastBlock(ask)).toBeLessThan(100)
  const [page, count, before] = await ask()
  expect(page.entries.map(({ position }) => position[0])).toEqual([size - 2, size - 3, size - 4])
  expect(count).toBe(3)
  expect(before.entries.map(({ position }) => position[0])).toEqual([size - 2, size - 3])
}, 60_000)

test('lists backwards from a position have any length', async () => {
  const ranks: number[] = []
  const pageRange: PageRange = { kind: 'before', position: [size - 3_001, 'o'], limit: 2_000 }
  for await (const batch of store.list(note, plan(byRank, pageRange))) {
    for (const item of batch) ranks.push(rankOf(item.text))
  }
  expect(ranks).toEqual(Array.from({ length: 2_000 }, (_, index) => size - 1_001 - index))
})

test('a list whose reader leaves is aborted, and items that no longer match are left out', async () => {
  const below: Condition = {
    kind: 'compare',
    path: toFieldPath('rank'),
    operator: 'lessThan',
    value: 5_000,
  }
  const seen: number[] = []
  // Each looks at the whole table, and lists come in more batches than a few.
  let changes = 3
  for await (const batch of store.list(
    note,
    plan(byRank, slice(Number.POSITIVE_INFINITY), below),
  )) {
    for (const item of batch) seen.push(rankOf(item.text))
    if (changes-- > 0) {
      const { entries } = await store.page(note, plan(byRank, slice(1, size - 1)))
      const index = Number(entries[0]!.id.slice(2))
      await store.write((one) => one.replace(note, itemOf(index, size * 2)))
    }
    if (seen.length > 4_000) break
  }
  expect(changes).toBeLessThan(0)
  expect(seen.every((rank) => rank < 5_000)).toBe(true)
  expect(await store.find(note, idEquals('n-000001'))).toBeDefined()
})

test('closing aborts scans', async () => {
  const other = sqlite(join(folder, 'scans.db'))
  await other.open([note])
  const page = other.page(note, plan(byRank, slice(3)))
  await Promise.all([expect(page).rejects.toThrow(StoreUnavailable), other.close()])
})

/** A search of a million pairs of rows, of which none fits: without an end to speak of. */
const endless: Condition = {
  kind: 'or',
  conditions: Array.from({ length: 400 }, (_, index) => ({
    kind: 'text',
    path: toFieldPath('title'),
    operator: 'like',
    value: `%x_x${index}%`,
  })),
}
const reason = new Error('The caller has left.')

function opened(options: Parameters<typeof sqlite>[1]) {
  const other = sqlite(join(folder, 'scans.db'), options)
  return other.open([note]).then(() => other)
}

test('a scan is aborted when its caller leaves, and queued scans are dropped', async () => {
  const other = await opened({ maxScanThreads: 1 })
  const callers = Array.from({ length: 100 }, () => new AbortController())
  const given = callers.map((call) => other.count(note, endless, call))
  setTimeout(() => {
    for (const call of callers) call.abort(reason)
  }, 50)
  for (const outcome of await Promise.allSettled(given))
    expect(outcome).toEqual({ status: 'rejected', reason })
  // One thread alone has run all of them, and is free again.
  const begun = performance.now()
  await other.count(note, {
    kind: 'text',
    path: toFieldPath('title'),
    operator: 'contains',
    value: 'y',
  })
  expect(performance.now() - begun).toBeLessThan(5_000)
  await other.close()
}, 60_000)

test('a scan that exceeds its timeout is aborted', async () => {
  const other = await opened({ maxScanThreads: 1, statementTimeoutMs: 100 })
  await expect(other.count(note, endless)).rejects.toThrow(StoreTimeout)
  await other.close()
})

test('scans beyond the queue limit are refused', async () => {
  const other = await opened({ maxScanThreads: 1, maxWaitingScans: 2 })
  const call = new AbortController()
  const asked = Array.from({ length: 4 }, () => other.count(note, endless, call))
  const last = asked.pop()
  for (const one of asked) one.catch(() => {})
  await expect(last).rejects.toThrow(StoreOverloaded)
  call.abort(reason)
  await Promise.allSettled(asked)
  await other.close()
})

/** Lists of few items, which a worker reads all the same. */
async function openedForLists(options: ScanOptions) {
  const other = sqlite(join(folder, `${Object.values(options).join('-')}.db`), {
    ...options,
    largeTableRows: 10,
    maxScanThreads: 1,
  })
  await other.open([note])
  await other.write(async (transaction) => {
    for (let index = 0; index < 50; index++) await transaction.insert(note, itemOf(index))
  })
  const beginList = async () => {
    const batches = other.list(note, plan(byRank, slice(Number.POSITIVE_INFINITY)))
    const iterator = batches[Symbol.asyncIterator]()
    expect((await iterator.next()).done).toBe(false)
    return iterator
  }
  const lists = await Promise.all(Array.from({ length: maxOpenLists }, beginList))
  return {
    beginList,
    endList: () => lists.pop()!.return?.(undefined),
    async close() {
      for (const list of lists) await list.return?.(undefined)
      await other.close()
    },
  }
}

test('a list beyond those that workers read waits for the end of one', async () => {
  const { beginList, endList, close } = await openedForLists({ maxWaitingScans: 100 })
  const further = beginList()
  expect(await Promise.race([further, wait(100, 'waits')])).toBe('waits')
  await endList()
  await (await further).return?.(undefined)
  await close()
}, 60_000)

test('a list that waits too long, or behind too many, is refused', async () => {
  const limits = { maxWaitingScans: maxOpenLists, statementTimeoutMs: 5_000 }
  const { beginList, close } = await openedForLists(limits)
  const waiting = Array.from({ length: maxOpenLists }, beginList)
  const refused = Promise.allSettled(waiting)
  await expect(beginList()).rejects.toThrow(StoreOverloaded)
  for (const outcome of await refused)
    expect(outcome).toMatchObject({ reason: { name: 'StoreOverloaded' } })
  await close()
}, 60_000)

test('a short scan overtakes a long one on a second thread', async () => {
  const other = await opened({ maxScanThreads: 2 })
  const call = new AbortController()
  const long = other.count(note, endless, call)
  const short = other.page(note, plan(byRank, slice(3)))
  expect(await Promise.race([short.then(() => 'short'), long])).toBe('short')
  call.abort(reason)
  await expect(long).rejects.toBe(reason)
  await other.close()
}, 30_000)

test('clients take turns, so that one with many scans does not keep another waiting', async () => {
  const other = await opened({ maxScanThreads: 1 })
  const { signal } = new AbortController()
  const ended: string[] = []
  const scan = (client: string) =>
    other.page(note, plan(byRank, slice(3)), { signal, client }).then(() => void ended.push(client))
  await Promise.all([...Array.from({ length: 8 }, () => scan('many')), scan('one')])
  expect(ended.indexOf('one')).toBeLessThan(3)
  expect(ended).toHaveLength(9)
  await other.close()
}, 30_000)

test('a long statement moves to a worker, whatever the size of its table', async () => {
  const other = await opened({ largeTableRows: 10 * size, maxScanThreads: 1 })
  const ask = () => other.count(note, endless, call)
  const call = new AbortController()
  setTimeout(() => call.abort(reason), 300)
  expect(await leastBlock(() => ask().catch(() => {}))).toBeLessThan(200)
  await other.close()
}, 30_000)

test.each(['maxScanThreads', 'maxWaitingScans', 'statementTimeoutMs'])(
  'a %s that is not a number above 0 is refused',
  (name) => {
    expect(() => sqlite('any.db', { [name]: 0 })).toThrow(
      `The option '${name}' of sqlite() must be an integer`,
    )
    expect(() => sqlite('any.db', { [name]: Number.NaN })).toThrow(RegistrationError)
  },
)
