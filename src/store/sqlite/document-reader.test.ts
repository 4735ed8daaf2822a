import { expect, onTestFinished, test } from 'vitest'
import {
  author,
  book,
  bookshelf,
  bookshelfTable,
  temporaryFile,
} from '../../../test/support/sqlite-bookshelf.ts'
import { relatesToAny, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition, type OffsetPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { layoutOf } from '../sql/layout.ts'
import { accessPathPlanners } from './access-path.ts'
import { connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { transactionReader } from './document-reader.ts'
import { loadDriver } from './driver.ts'
import { addIndexes, prepareTables } from './prepare-tables.ts'
import { queryCount } from './run-statement.ts'
import { maxCheapRows } from './size-class.ts'
import { sqliteTransaction } from './sqlite-transaction.ts'

const expensive: Condition = {
  kind: 'compare',
  path: toFieldPath('price'),
  operator: 'greaterThan',
  value: 0,
}
const prepared = documentQueries(sqliteDialect, bookshelfTable, accessPathPlanners)

/** A reader of books by one author, and the SQL that it runs. */
async function readerOf(count: number, isLarge: boolean) {
  const opened = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => opened.close())
  const layouts = bookshelf.map((model) => layoutOf(sqliteDialect, model))
  prepareTables(opened, layouts)
  addIndexes(opened, layouts)
  const executed: string[] = []
  const reader = transactionReader({
    connection: {
      ...opened,
      prepare(sql) {
        executed.push(sql)
        return opened.prepare(sql)
      },
    },
    queries: prepared,
    isLarge: () => isLarge,
  })
  const { transaction } = sqliteTransaction(opened, bookshelfTable, reader)
  opened.exec('begin')
  for (let n = 0; n < count; n++) {
    const values = { id: `b-${n}`, title: 't', language: 'en', price: n + 1, author: 'a' }
    await transaction.insert(
      book,
      createStoredItem(book, { ...values, inStock: true, genres: [] }, 1, 'salt'),
    )
  }
  opened.exec('commit')
  return { opened, reader, executed }
}

test.each([
  { isLarge: true, probes: 1 },
  { isLarge: false, probes: 0 },
])('an index is probed for large tables only: $isLarge', async ({ isLarge, probes }) => {
  const { reader, executed } = await readerOf(3, isLarge)
  const probe = prepared.count(book, expensive).probe(maxCheapRows).sql
  expect(await reader.count(book, expensive)).toBe(3)
  expect(executed.filter((sql) => sql === probe)).toHaveLength(probes)
  executed.length = 0
  const ids: string[] = []
  for await (const batch of reader.list(book, { ...allItemsPlan, condition: expensive }))
    ids.push(...batch.map(({ id }) => id))
  expect(ids).toEqual(['b-0', 'b-1', 'b-2'])
  expect(executed.filter((sql) => sql === probe)).toHaveLength(probes)
})

test('each probe counts up to one row beyond its limit', async () => {
  const { opened } = await readerOf(5, true)
  const inAuthor = relatesToAny('author', 'toOne', ['a'])
  const byTitle = [{ path: toFieldPath('title'), direction: 'asc' }] as const
  const books = author.fieldsByName.get('books')
  if (books?.kind !== 'inverse') throw new Error('Expected an inverse relation.')
  const plan: OffsetPlan = { ...allItemsPlan, pageRange: { kind: 'offset', offset: 0, limit: 20 } }
  for (const query of [
    prepared.count(book, inAuthor),
    prepared.list(book, { ...allItemsPlan, condition: inAuthor, sort: byTitle }),
    prepared.related(author, books, ['a'], plan),
  ])
    expect([2, 4, 5, 6].map((limit) => queryCount(opened, query.probe(limit)))).toEqual([
      3, 5, 5, 5,
    ])
})
