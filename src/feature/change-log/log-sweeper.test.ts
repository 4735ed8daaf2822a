import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { stores } from '../../../test/support/stores.ts'
import type { ChangeEntry, LoggedChange } from '../../store/change-log.ts'
import { memory } from '../../store/memory/memory.ts'
import type { Store } from '../../store/store.ts'
import { StoreClosed } from '../../store/store-failures.ts'
import { type KeptChanges, sweeperOf } from './log-sweeper.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const firstSweepMs = 6_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

async function filled(changes: readonly (readonly [model: string, agoDays: number])[]) {
  const store = memory()
  await store.open([], { keepsChanges: true })
  await store.write((transaction) =>
    transaction.changes!.add(
      changes.map(
        ([model, agoDays], index): LoggedChange => ({
          kind: 'delete',
          model,
          id: String(index),
          timeMs: Date.now() - agoDays * dayMs,
          caller: null,
          before: null,
          after: null,
        }),
      ),
    ),
  )
  return store
}

function kept(keepDays: Readonly<Record<string, number>>, maxEntries = 1_000_000): KeptChanges {
  const onError = (error: unknown) => {
    throw error
  }
  return {
    keepDays: new Map(Object.entries(keepDays)),
    maxEntries,
    nowMs: () => Date.now(),
    onError,
  }
}

const wordOf = (entry: ChangeEntry) => `${entry.kind === 'erased' ? 'erased' : ''}${entry.model}`

async function wordsIn({ changes }: Store): Promise<readonly string[]> {
  const read = await changes!.read(undefined, 10_000)
  if (read.kind !== 'changes') throw new Error(read.kind)
  return read.entries.map(wordOf)
}

it('removes what no model keeps, and erases what single models do not keep', async () => {
  const store = await filled([
    ['book', 40],
    ['author', 20],
    ['book', 10],
    ['author', 10],
    ['author', 1],
  ])
  const end = sweeperOf(store.changes!).add(kept({ book: 30, author: 7 }))
  await vi.advanceTimersByTimeAsync(firstSweepMs)
  await vi.waitFor(async () =>
    expect(await wordsIn(store)).toEqual(['erasedauthor', 'book', 'erasedauthor', 'author']),
  )
  await end()
})

it('sweeps again each hour or so, until its last router closes', async () => {
  const store = await filled([['book', 6.5]])
  const sweeper = sweeperOf(store.changes!)
  const end = sweeper.add(kept({ book: 7 }))
  await vi.advanceTimersByTimeAsync(10 * hourMs)
  expect(await wordsIn(store)).toEqual(['book'])
  await vi.advanceTimersByTimeAsync(4 * hourMs)
  expect(await wordsIn(store)).toEqual([])
  await end()
  await store.write((transaction) =>
    transaction.changes!.add([
      {
        kind: 'delete',
        model: 'book',
        id: '1',
        timeMs: 0,
        caller: null,
        before: null,
        after: null,
      },
    ]),
  )
  await vi.advanceTimersByTimeAsync(4 * hourMs)
  expect(await wordsIn(store)).toEqual(['book'])
  const endAgain = sweeper.add(kept({ book: 7 }))
  await vi.advanceTimersByTimeAsync(firstSweepMs)
  await vi.waitFor(async () => expect(await wordsIn(store)).toEqual([]))
  await endAgain()
})

it('keeps as much as the router that keeps more', async () => {
  const store = await filled(
    Array.from({ length: 1_200 }, (_, index) => ['book', 12 - index / 100]),
  )
  const sweeper = sweeperOf(store.changes!)
  const ends = [sweeper.add(kept({ book: 5 }, 10))]
  await vi.advanceTimersByTimeAsync(4_000)
  ends.push(sweeper.add(kept({ book: 20 }, 700)))
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(100)
    expect(await wordsIn(store)).toHaveLength(700)
  })
  await Promise.all(ends.map((end) => end()))
})

type ChangeLogOf = NonNullable<Store['changes']>

/** The log, which throws what `failure` returns. */
function failing(log: ChangeLogOf, failure: () => Error | undefined): ChangeLogOf {
  const removeOldest: ChangeLogOf['removeOldest'] = async (...retention) => {
    const error = failure()
    if (error) throw error
    return log.removeOldest(...retention)
  }
  return Object.assign(Object.create(log) as ChangeLogOf, { removeOldest })
}

it('reports what a store throws, and goes on in the next hour', async () => {
  const store = await filled([['book', 10]])
  let isAway = true
  const changes = failing(store.changes!, () => (isAway ? new Error('away') : undefined))
  const errors: unknown[] = []
  const end = sweeperOf(changes).add({
    ...kept({ book: 7 }),
    onError: (error) => errors.push(error),
  })
  await vi.advanceTimersByTimeAsync(firstSweepMs)
  await vi.waitFor(() => expect(errors).toEqual([new Error('away')]))
  isAway = false
  await vi.advanceTimersByTimeAsync(2 * hourMs)
  expect(await wordsIn(store)).toEqual([])
  await end()
})

it('ends without a report where another router has closed the store', async () => {
  const store = await filled([['book', 10]])
  let attempts = 0
  const changes = failing(store.changes!, () => {
    attempts++
    return new StoreClosed('The store is closed.')
  })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const ends = [1, 2].map(() => sweeperOf(changes).add({ ...kept({ book: 7 }), onError }))
  await vi.advanceTimersByTimeAsync(3 * hourMs)
  expect({ attempts, errors }).toEqual({ attempts: 1, errors: [] })
  await Promise.all(ends.map((end) => end()))
})

it.each(stores)('ends without a report over $name once it is closed', async ({ make }) => {
  vi.useRealTimers()
  const store = await make()
  await store.open([], { keepsChanges: true })
  await store.close()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const end = sweeperOf(store.changes!).add({ ...kept({ book: 7 }), onError })
  await vi.advanceTimersByTimeAsync(firstSweepMs)
  await end()
  expect(errors).toEqual([])
})
