import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type SortKey } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { maxChunkBytes } from '../reader/chunk-size.ts'
import { sqlite } from '../sqlite/sqlite.ts'

const [note] = describeModels([model('note', { text: z.string(), rank: z.int() })]) as [
  ReturnType<typeof describeModels>[number],
]
const ids = Array.from({ length: 180 }, (_, index) => `n-${1_000 + index}`)
const byRank: SortKey = { path: toFieldPath('rank'), direction: 'asc' }

test.each([
  ['in the order of ids', []],
  ['in another order', [byRank]],
])('A list of large items %s has few of them in memory at a time', async (_, sort) => {
  const store = sqlite(temporaryFile(), { layout: 'tables', durability: 'normal' })
  onTestFinished(() => store.close())
  await store.open([note])
  await store.write(async (transaction) => {
    for (const [index, id] of ids.entries()) {
      const values = { id, text: 'x'.repeat(100_000), rank: -index }
      await transaction.insert(note, createStoredItem(note, values, 1))
    }
  })
  const seen: string[] = []
  const lengths: number[] = []
  for await (const items of store.list(note, { ...allItemsPlan, sort })) {
    seen.push(...items.map(({ id }) => id))
    lengths.push(items.reduce((sum, { text }) => sum + text.length, 0))
  }
  expect(seen).toEqual(sort.length === 0 ? ids : ids.toReversed())
  // Nobody knows before the first batch how large the items are.
  const [first, ...others] = lengths
  expect(first).toBeLessThan(60 * 100_200)
  expect(Math.max(...others)).toBeLessThanOrEqual(maxChunkBytes)
})
