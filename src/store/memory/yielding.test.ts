import { expect, test } from 'vitest'
import { z } from 'zod'
import { TimeSlice } from '../../concurrency/time-slice.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { toFieldPath } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { memory } from './memory.ts'
import { mergeSort } from './merge-sort.ts'

const [note] = describeModels([model('note', { title: z.string() })]) as readonly [ModelDescription]

/** Hundreds of patterns that match nothing: at least about 100 ms for all items. */
const costly: Condition = {
  kind: 'or',
  conditions: Array.from({ length: 300 }, (_, index) => ({
    kind: 'text',
    path: toFieldPath('title'),
    operator: 'like',
    value: `%a%b_c${index}%`,
  })),
}

async function filledStore() {
  const store = memory()
  await store.open([note])
  await store.write(async (transaction) => {
    for (let index = 0; index < 3_000; index++)
      await transaction.insert(
        note,
        createStoredItem(note, { id: `n-${index}`, title: `ab ${'ab_'.repeat(20)} ${index}` }, 1),
      )
  })
  return store
}

/** How many turns of the event loop pass until the promise settles. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let isDone = false
  let turns = 0
  const done = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  await done
  return turns
}

test('yields to the event loop while it reads many items', async () => {
  const store = await filledStore()
  const slice = { kind: 'offset', offset: 0, limit: 20 } as const
  const list = async () => {
    for await (const _ of store.list(note, { condition: costly, sort: [], pageRange: slice }));
  }
  expect(await turnsOf(store.count(note, costly))).toBeGreaterThan(5)
  expect(
    await turnsOf(store.page(note, { condition: costly, sort: [], pageRange: slice })),
  ).toBeGreaterThan(5)
  expect(await turnsOf(list())).toBeGreaterThan(5)
}, 30_000)

test('stops reading when its caller leaves', async () => {
  const store = await filledStore()
  const call = new AbortController()
  const reason = new Error('The client has left.')
  const counted = store.count(note, costly, call)
  setImmediate(() => call.abort(reason))
  await expect(counted).rejects.toBe(reason)
}, 30_000)

test('reads the state at the beginning of the read, whatever is written meanwhile', async () => {
  const store = await filledStore()
  const all: Condition = { kind: 'not', condition: costly }
  const counted = store.count(note, all)
  await store.write(async (transaction) => {
    for (let index = 0; index < 1_000; index++) await transaction.remove(note, `n-${index}`)
  })
  expect(await counted).toBe(3_000)
}, 30_000)

test.each([0, 1, 255, 256, 257, 1_000, 5_000])(
  'sorts %i items as sort() does, and is stable',
  async (count) => {
    const items = Array.from({ length: count }, (_, index) => ({
      key: (index * 7_919) % 97,
      index,
    }))
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key
    expect(await mergeSort(items, compare, new TimeSlice())).toEqual(items.toSorted(compare))
  },
)
