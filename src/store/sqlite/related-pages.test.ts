import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  author,
  book,
  bookshelf,
  bookshelfTable,
  temporaryFile,
} from '../../../test/support/sqlite-bookshelf.ts'
import { model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { always, toFieldPath } from '../../query/conditions.ts'
import type { OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { layoutOf, newTableFacts, tableOf } from '../sql/layout.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreReader } from '../store-reader.ts'
import { accessPathPlanners } from './access-path.ts'
import { type Connection, connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { documentReader } from './document-reader.ts'
import { loadDriver } from './driver.ts'
import { addIndexes, prepareTables } from './prepare-tables.ts'
import { scanOffload as long } from './scan-offload.ts'
import { insertRow } from './sqlite-transaction.ts'

const books = author.fieldsByName.get('books') as ManyRelation
const ids = Array.from({ length: 1_000 }, (_, index) => `a-${index}`)

function planOf(limit: number, sort: OffsetPlan['sort'] = []): OffsetPlan {
  return { condition: always, sort, pageRange: { kind: 'offset', offset: 0, limit } }
}

/** Two books of each author, and the statements that are run from then on. */
async function filled(): Promise<{ readonly watched: Connection; readonly ran: string[] }> {
  const made = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => made.close())
  const layouts = bookshelf.map((model) => layoutOf(sqliteDialect, model))
  prepareTables(made, layouts)
  addIndexes(made, layouts)
  made.exec('begin')
  for (const [index, id] of [...ids, ...ids].entries()) {
    const values = { id: `b-${index}`, title: 'x', price: index, author: id, genres: [] }
    insertRow(made, bookshelfTable(book), createStoredItem(book, values, 1))
  }
  made.exec('commit')
  const ran: string[] = []
  const watched: Connection = {
    ...made,
    prepare: (sql) => {
      ran.push(sql)
      return made.prepare(sql)
    },
  }
  return { watched, ran }
}

async function countOf(asked: ReturnType<StoreReader['relatedPages']>): Promise<number> {
  let count = 0
  for await (const batch of asked) count += batch.length
  return count
}

test('one statement serves all owners', async () => {
  const { watched, ran } = await filled()
  const { relatedPages: pages } = documentReader({
    connection: watched,
    queries: documentQueries(sqliteDialect, bookshelfTable, accessPathPlanners),
    isLarge: () => true,
  }).items
  for (const owners of [ids.slice(0, 1), ids.slice(0, 100), ids]) {
    ran.length = 0
    expect(await countOf(pages(author, books, owners, planOf(6)))).toBe(owners.length * 2)
    expect(ran).toHaveLength(1)
  }
})

test('a worker reads pages that scan many items of a large table', async () => {
  const { watched, ran } = await filled()
  const elsewhere: string[] = []
  const away = long(
    {
      rows: async ({ sql, parameters }: Statement): Promise<Row[]> => {
        elsewhere.push(sql)
        return watched.prepare(sql).all(parameters)
      },
      list: () => {
        throw new Error('No list is asked for.')
      },
      waitingCount: () => 0,
      close: async () => {},
    },
    60_000,
  )
  const { relatedPages: pages } = documentReader({
    connection: watched,
    queries: documentQueries(sqliteDialect, bookshelfTable, accessPathPlanners),
    isLarge: () => true,
    offload: away,
  }).items
  const byPrice = [{ path: toFieldPath('price'), direction: 'desc' }] as const
  expect(await countOf(pages(author, books, ids.slice(0, 100), planOf(6)))).toBe(200)
  expect([ran.length, elsewhere.length], 'the index is left when each page is full').toEqual([1, 0])
  expect(await countOf(pages(author, books, ids.slice(0, 100), planOf(6, byPrice)))).toBe(200)
  expect([ran.length, elsewhere.length], 'few enough, once counted').toEqual([3, 0])
  expect(await countOf(pages(author, books, ids, planOf(6, byPrice)))).toBe(2_000)
  expect(elsewhere, 'too many').toHaveLength(1)
})

test('an index over the relation and the sort serves the page of each owner', async () => {
  const models = describeModels([
    model('shelf', { notes: toMany('note', { inverse: 'shelf' }) }),
    model('note', { rank: z.int(), shelf: toOne('shelf') }, { indexes: [['shelf', '-rank']] }),
  ])
  const [shelf] = models as readonly [ModelDescription, ModelDescription]
  const made = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => made.close())
  const layouts = models.map((model) => layoutOf(sqliteDialect, model))
  prepareTables(made, layouts)
  addIndexes(made, layouts)
  const tables = new Map(
    models.map((of) => {
      const layout = layoutOf(sqliteDialect, of)
      return [of, tableOf(sqliteDialect, layout, newTableFacts(layout))]
    }),
  )
  const asked = documentQueries(sqliteDialect, (of) => tables.get(of)!, accessPathPlanners)
  const notes = shelf.fieldsByName.get('notes') as ManyRelation
  const related = (sort: QueryPlan['sort']) => asked.related(shelf, notes, ['s'], planOf(5, sort))
  for (const direction of ['desc', 'asc'] as const) {
    const byRank = related([{ path: toFieldPath('rank'), direction }])
    const { sql, parameters } = byRank.pages()
    const steps = made
      .prepare(`explain query plan ${sql}`)
      .all(parameters)
      .map((row) => String(row[3]))
    const inner = steps.slice(steps.findIndex((step) => step.startsWith('CORRELATED')))
    expect(byRank.isIndexScan()).toBe(true)
    expect(inner[1]).toMatch(/SEARCH f USING (COVERING )?INDEX notes\(text\.shelf/)
    expect(
      inner.filter((step) => step.includes('TEMP B-TREE')),
      'only the few on the pages are sorted',
    ).toHaveLength(1)
  }
  expect(related([]).isIndexScan(), 'by id').toBe(false)
})
