import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { describe } from '../../model/describe.ts'
import type { ModelDescription } from '../../model/description.ts'
import { model } from '../../model/model.ts'
import { always, hasId, pathOf } from '../../query/conditions.ts'
import type { Condition, QueryPlan, Window } from '../../query/query-plan.ts'
import { storedItem } from '../item-text.ts'
import { StoreUnavailable } from '../store.ts'
import { sqlite } from './sqlite.ts'

const [note] = describe([model('note', { title: z.string(), rank: z.int() })]) as readonly [ModelDescription]
const size = 100_000
const folder = mkdtempSync(join(tmpdir(), 'sqlite-scans-'))
const store = sqlite(join(folder, 'scans.db'), { durability: 'normal' })

const itemOf = (index: number, rank = (index * 7919) % size) => {
  const title = `${rank} ${'x'.repeat(100)}`
  return storedItem(note, { id: `n-${String(index).padStart(6, '0')}`, title, rank }, 1)
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

const byRank: QueryPlan['sort'] = [{ path: pathOf('rank'), direction: 'desc' }]
const slice = (limit: number, skip = 0): Window => ({ kind: 'slice', skip, limit })
const plan = (sort: QueryPlan['sort'], window: Window, condition: Condition = always) => ({ condition, sort, window })
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
  for (let tries = 0; tries < 4 && least > 20; tries++) least = Math.min(least, await longestBlock(work()))
  return least
}

test('sorts a large table by what has no index without holding up others', async () => {
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

test('answers pages and counts of a large table the same way', async () => {
  const above: Condition = { kind: 'compare', path: pathOf('rank'), operator: 'greaterThan', value: size - 4 }
  const ask = () =>
    Promise.all([
      store.page(note, plan(byRank, slice(3, 1))),
      store.count(note, above),
      store.page(note, plan(byRank, { kind: 'before', position: [size - 4, 'n'], limit: 2 })),
    ])
  expect(await leastBlock(ask)).toBeLessThan(100)
  const [page, count, before] = await ask()
  expect(page.map((placed) => placed.position[0])).toEqual([size - 2, size - 3, size - 4])
  expect(count).toBe(3)
  expect(before.map((placed) => placed.position[0])).toEqual([size - 2, size - 3])
}, 60_000)

test('lists backwards from a place in any length', async () => {
  const ranks: number[] = []
  const window: Window = { kind: 'before', position: [size - 3_001, 'n'], limit: 2_000 }
  for await (const batch of store.list(note, plan(byRank, window))) {
    for (const item of batch) ranks.push(rankOf(item.text))
  }
  expect(ranks).toEqual(Array.from({ length: 2_000 }, (_, index) => size - 1_001 - index))
})

test('gives up a list that is left, and shows no item that has come to be excluded', async () => {
  const below: Condition = { kind: 'compare', path: pathOf('rank'), operator: 'lessThan', value: 5_000 }
  const seen: number[] = []
  for await (const batch of store.list(note, plan(byRank, slice(Number.POSITIVE_INFINITY), below))) {
    for (const item of batch) seen.push(rankOf(item.text))
    const [last] = await store.page(note, plan(byRank, slice(1, size - 1)))
    const index = Number(last!.item.id.slice(2))
    if (seen.length < 1_000) await store.write((one) => one.replace(note, itemOf(index, size * 2)))
    if (seen.length > 4_000) break
  }
  expect(seen.every((rank) => rank < 5_000)).toBe(true)
  expect(await store.find(note, hasId('n-000001'))).toBeDefined()
})

test('is broken off by closing', async () => {
  const other = sqlite(join(folder, 'scans.db'))
  await other.open([note])
  const page = other.page(note, plan(byRank, slice(3)))
  await Promise.all([expect(page).rejects.toThrow(StoreUnavailable), other.close()])
})
