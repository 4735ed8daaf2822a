import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { maxStreamChunkBytes, registerStream } from '../../concurrency/stream-budget.ts'
import { model } from '../../model/declare/model.ts'
import { toMany } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { always, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
} from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { ChunkSize, maxChunkBytes, TooManyBytes } from '../reader/chunk-size.ts'
import { sqlite } from './sqlite.ts'

const [note, tag] = describeModels([
  model('note', { title: z.string(), rank: z.int(), tags: toMany('tag') }),
  model('tag', { notes: toMany('note', { inverse: 'tags' }) }),
]) as readonly [ModelDescription, ModelDescription]
const folder = mkdtempSync(join(tmpdir(), 'sqlite-chunks-'))
const count = 300
const large = 200_000
/** Far more than SQLite sorts in memory. */
const few = 60
const itemOf = (index: number, size: number) =>
  createStoredItem(
    note,
    {
      id: `n-${String(index).padStart(4, '0')}`,
      title: 'x'.repeat(size),
      rank: -index,
      tags: ['t-1'],
    },
    1,
  )

afterAll(() => rmSync(folder, { recursive: true }))

const lists: readonly (readonly [string, QueryPlan['sort'], Condition])[] = [
  ['in the order of ids', [], always],
  ['by a field without an index', [{ path: toFieldPath('rank'), direction: 'asc' }], always],
  [
    'by a condition',
    [],
    { kind: 'compare', path: toFieldPath('rank'), operator: 'lessThan', value: 1 },
  ],
  ['by one item that they relate to', [], relatesToAny('tags', 'toMany', ['t-1'])],
]

test.each([
  ['small', 5_000],
  ['large', 10],
])(
  'a list of a %s table is read in chunks of bounded size, however large its items are',
  async (name, largeTableRows) => {
    const store = sqlite(join(folder, `${name}.db`), {
      durability: 'normal',
      largeTableRows: largeTableRows,
    })
    await store.open([note, tag])
    await store.write(async (to) => {
      // Small ones first, so that the size of those behind them is not foreseen.
      for (let index = 0; index < count; index++)
        await to.insert(note, itemOf(index, index < count / 2 ? 10 : large))
    })
    for (const [what, sort, condition] of lists) {
      const plan = { ...allItemsPlan, sort, condition }
      const sizes: number[] = []
      let items = 0
      for await (const batch of store.list(note, plan)) {
        items += batch.length
        sizes.push(batch.reduce((sum, item) => sum + item.text.length, 0))
      }
      expect([what, items]).toEqual([what, count])
      expect(Math.max(...sizes), what).toBeLessThan(2 * maxChunkBytes)
      const texts: number[] = []
      let joined = 0
      for await (const chunk of store.fastPaths!.rawJson!.list(note, plan) ?? []) {
        texts.push(chunk.length)
        joined += chunk.length
      }
      if (sort.length === 0 && condition.kind !== 'members')
        expect(joined).toBeGreaterThan((count / 2) * large)
      expect(Math.max(0, ...texts), what).toBeLessThan(2 * maxChunkBytes)
    }
    await store.close()
  },
  60_000,
)

/** What this process has written to files so far. */
const writtenBytes = (): number =>
  Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

test.skipIf(process.platform !== 'linux')(
  'sorting does not copy texts, however large the items of a page are',
  async () => {
    const file = join(folder, 'sorted.db')
    const filling = sqlite(file, { durability: 'normal' })
    await filling.open([note, tag])
    await filling.write(async (to) => {
      for (let index = 0; index < few; index++) await to.insert(note, itemOf(index, large))
      await to.insert(tag, createStoredItem(tag, { id: 't-1' }, 1))
    })
    // What it has written is in the database then.
    await filling.close()
    const store = sqlite(file)
    await store.open([note, tag])
    const pageRange: PageRange = { kind: 'offset', offset: 0, limit: few }
    const before = writtenBytes()
    for (const [what, sort, condition] of lists) {
      const plan = { condition, sort, pageRange }
      expect(await store.fastPaths!.rawJson!.page(note, plan, [], 'text'), what).toBeUndefined()
      const page = await store.page(note, plan)
      expect([what, page.entries.length]).toEqual([what, few])
      let items = 0
      for await (const batch of page.items(page.entries)) items += batch.length
      for await (const batch of store.list(note, plan)) items += batch.length
      expect([what, items]).toEqual([what, 2 * few])
    }
    const relation = tag.relations[0] as ManyRelation
    let related = 0
    for await (const batch of store.relatedPages(tag, relation, ['t-1'], {
      ...allItemsPlan,
      pageRange: pageRange,
    }))
      related += batch.length
    expect(related).toBe(few)
    // SQLite writes what it sorts to a file as soon as it comes to more than its cache holds.
    expect(writtenBytes() - before).toBeLessThan(10 * large)
    await store.close()
  },
  30_000,
)

test('streams share a byte budget: the more streams, the smaller their chunks', async () => {
  const asked: number[] = []
  const size = new ChunkSize(512)
  const read = (_: number, bytes: number) => void asked.push(bytes)
  await size.next(read)
  const ends = Array.from({ length: 100 }, registerStream)
  await size.next(read)
  for (const end of ends) end()
  // Twice does not count twice.
  ends[0]!()
  await size.next(read)
  expect(asked[0]).toBe(maxChunkBytes)
  expect(asked[1]! * 100).toBeLessThanOrEqual(16 * 1_048_576)
  expect(asked[2]).toBe(maxChunkBytes)
  expect(maxStreamChunkBytes()).toBe(16 * 1_048_576)
})

test('an item count that was too large is not tried again with each chunk', async () => {
  const size = new ChunkSize(512)
  let tries = 0
  const read = (count: number) => {
    tries++
    if (count > 200) throw new TooManyBytes('Too many.')
  }
  for (let chunk = 0; chunk < 100; chunk++) await size.next(read)
  expect(tries).toBeLessThan(120)
})
