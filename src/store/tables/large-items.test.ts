import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'
import { model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type OffsetPlan, type SortKey } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { maxChunkBytes } from '../reader/chunk-size.ts'
import type { StoreReader } from '../store-reader.ts'

const [note, tag] = describeModels([
  model('note', { text: z.string(), rank: z.int(), tag: toOne('tag') }),
  model('tag', { notes: toMany('note', { inverse: 'tag' }) }),
]) as readonly [ModelDescription, ModelDescription]
const ids = Array.from({ length: 180 }, (_, index) => `n-${1_000 + index}`)
/** The items with the first ids are small, so that the size of the others is not foreseen. */
const smallCount = 60
const largeLength = 100_000
const byRank: SortKey = { path: toFieldPath('rank'), direction: 'asc' }
const pageOf = (limit: number, sort: readonly SortKey[] = []): OffsetPlan => ({
  ...allItemsPlan,
  sort,
  pageRange: { kind: 'offset', offset: 0, limit },
})

describeTables('Large items', ({ serve }, engine) => {
  const opened = async () => {
    const { store } = serve([])
    await store.open([note, tag])
    await store.write(async (transaction) => {
      await transaction.insert(tag, createStoredItem(tag, { id: 't' }, 1))
      for (const [index, id] of ids.entries()) {
        const text = 'x'.repeat(index < smallCount ? 10 : largeLength)
        const values = { id, text, rank: -index, tag: 't' }
        await transaction.insert(note, createStoredItem(note, values, 1))
      }
    })
    return store
  }
  type Batches = AsyncIterable<readonly { readonly id: string; readonly text: string }[]>
  const expectFewAtATime = async (batches: Batches, expected: readonly string[]) => {
    const seen: string[] = []
    let longest = 0
    for await (const items of batches) {
      seen.push(...items.map(({ id }) => id))
      longest = Math.max(
        longest,
        items.reduce((sum, { text }) => sum + text.length, 0),
      )
    }
    expect(seen).toEqual(expected)
    expect(longest).toBeLessThanOrEqual(maxChunkBytes)
  }
  const expectBounded = async (reader: StoreReader) => {
    await expectFewAtATime(reader.list(note, allItemsPlan), ids)
    const sorted = { ...allItemsPlan, sort: [byRank] }
    await expectFewAtATime(reader.list(note, sorted), ids.toReversed())
    await expectFewAtATime(reader.list(note, pageOf(170)), ids.slice(0, 170))
    for (const sort of [[], [byRank]]) {
      const page = await reader.page(note, pageOf(170, sort))
      const expected = (sort.length === 0 ? ids : ids.toReversed()).slice(0, 170)
      expect(page.entries.map(({ id }) => id)).toEqual(expected)
      await expectFewAtATime(page.items(page.entries), expected)
    }
    const relation = tag.relations[0] as ManyRelation
    async function* related() {
      for await (const batch of reader.relatedPages(tag, relation, ['t'], pageOf(170)))
        yield batch.map(({ item }) => item)
    }
    await expectFewAtATime(related(), ids.slice(0, 170))
  }

  it('are few in memory at a time, in lists, pages and related items', async () => {
    const store = await opened()
    await expectBounded(store)
    expect(await store.fastPaths!.rawJson!.page(note, pageOf(170), [], 'text')).toBeUndefined()
    const small = await store.fastPaths!.rawJson!.page(note, pageOf(5), [], 'text')
    expect(small?.lines.toString().split('\n')).toHaveLength(5)
  }, 30_000)

  it('are few in memory at a time in a transaction, which goes on', async () => {
    const store = await opened()
    await store.write(async (transaction) => {
      await expectBounded(transaction)
      await transaction.remove(note, ids[0]!)
    })
    expect(await store.count(note, allItemsPlan.condition)).toBe(ids.length - 1)
  }, 30_000)

  // A server sends the bytes of all columns alike.
  it.runIf(engine === 'sqlite')(
    'are few in memory at a time where long lists of ids make them large',
    async () => {
      const [list, entry] = describeModels([
        model('list', { entries: toMany('entry') }),
        model('entry', {}),
      ]) as readonly [ModelDescription, ModelDescription]
      const { store } = serve([])
      await store.open([list, entry])
      const entries = Array.from({ length: 1_000 }, (_, index) => `${'e'.repeat(30)}-${index}`)
      const lists = ids.slice(0, 60)
      await store.write(async (transaction) => {
        for (const id of entries)
          await transaction.insert(entry, createStoredItem(entry, { id }, 1))
        for (const id of lists)
          await transaction.insert(list, createStoredItem(list, { id, entries }, 1))
      })
      await expectFewAtATime(store.list(list, pageOf(60)), lists)
    },
    30_000,
  )
})
