import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type PageRange,
  type QueryPlan,
  type SortDirection,
} from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { createCompilation } from '../sql/compile-condition.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { lacksRelatedSql } from '../sql/lacks-related.ts'
import { layoutOf, newTableFacts, tableOf } from '../sql/layout.ts'
import type { DocumentTable } from '../sql/table.ts'
import { accessPathPlanners } from './access-path.ts'
import { type Connection, connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { loadDriver } from './driver.ts'
import { addIndexes, prepareTables } from './prepare-tables.ts'
import { sqlite } from './sqlite.ts'

const models = describeModels([
  model('country', { code: field(z.string(), { index: true }) }),
  model('customer', {
    name: field(z.string(), { index: true }),
    nickname: field(z.string().optional(), { index: true }),
    note: z.string(),
    country: toOne('country'),
  }),
  model('sale', {
    customer: toOne('customer'),
    seller: toOne('customer', { optional: true }),
  }),
]) as readonly [ModelDescription, ModelDescription, ModelDescription]
const [country, customer, sale] = models

const tables = new Map(
  models.map((of): [ModelDescription, DocumentTable] => {
    const layout = layoutOf(sqliteDialect, of)
    return [of, tableOf(sqliteDialect, layout, newTableFacts(layout))]
  }),
)
const made = documentQueries(sqliteDialect, (of) => tables.get(of)!, accessPathPlanners)

const page = (limit: number, offset = 0): PageRange => ({ kind: 'offset', offset, limit })
const sortedBy = (
  name: string,
  direction: SortDirection = 'asc',
  pageRange: PageRange = page(20),
): QueryPlan => ({
  ...allItemsPlan,
  sort: [{ path: toFieldPath(name), direction }],
  pageRange,
})

async function emptyDatabase(): Promise<Connection> {
  const database = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => database.close())
  const layouts = models.map((of) => layoutOf(sqliteDialect, of))
  prepareTables(database, layouts)
  addIndexes(database, layouts)
  return database
}

const idsIn = (lines: Uint8Array): readonly string[] =>
  Buffer.from(lines)
    .toString()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id)

test('indexes lead from the related items in their order to the page', async () => {
  const database = await emptyDatabase()
  const stepsOf = (plan: QueryPlan) => {
    const { sql, parameters } = made.list(sale, plan).rows('items', { kind: 'relatedScan' })
    const rows = database.prepare(`explain query plan ${sql}`).all(parameters)
    return rows.map((row) => row[3]).join('\n')
  }
  const sales = 'SEARCH t USING COVERING INDEX sales\\(text.customer\\) \\(text.customer=\\?\\)'
  for (const name of ['name', 'nickname'])
    expect(stepsOf(sortedBy(`customer.${name}`))).toMatch(
      new RegExp(`SCAN r1 USING COVERING INDEX customers\\(text.${name}\\)[^]*${sales}`),
    )
  const after: PageRange = { kind: 'after', position: ['m', 's-1'], limit: 20 }
  expect(stepsOf(sortedBy('customer.name', 'desc', after))).toMatch(
    new RegExp(`SEARCH r1 USING COVERING INDEX customers\\(text.name\\) \\(.*<\\?\\)[^]*${sales}`),
  )
  expect(stepsOf(sortedBy('customer.country.code'))).toMatch(
    new RegExp(`SCAN r\\d+ USING COVERING INDEX countries\\(text.code\\)[^]*SEARCH r1[^]*${sales}`),
  )
})

test('only pages by an index of related items that each item should have are read so', () => {
  const canScanRelated = (plan: QueryPlan) => made.list(sale, plan).strategy.canScanRelated
  expect(canScanRelated(sortedBy('customer.name'))).toBe(true)
  expect(canScanRelated(sortedBy('customer.country.code', 'desc'))).toBe(true)
  expect(canScanRelated(sortedBy('customer.note'))).toBe(false)
  expect(canScanRelated(sortedBy('seller.name'))).toBe(false)
  expect(canScanRelated(sortedBy('id'))).toBe(false)
  expect(canScanRelated(sortedBy('customer.name', 'asc', page(Infinity)))).toBe(false)
  const filtered: QueryPlan = {
    ...sortedBy('customer.name'),
    condition: { kind: 'compare', path: toFieldPath('id'), operator: 'greaterThan', value: 's' },
  }
  expect(canScanRelated(filtered)).toBe(false)
})

test('pages are in the order of related items, also where some of these are missing', async () => {
  const store = sqlite(temporaryFile(), { durability: 'normal', largeTableRows: 1 })
  onTestFinished(() => store.close())
  await store.open(models)
  const nameOf = (id: number) => `Name ${(id * 7) % 30}`
  await store.write(async (transaction) => {
    const insert = (of: ModelDescription, values: { id: string }) =>
      transaction.insert(of, createStoredItem(of, values, 1))
    const values = { id: 'c', code: 'C' }
    await insert(country, values)
    for (let id = 0; id < 30; id++) {
      const values = { id: `c-${id}`, name: nameOf(id), note: '', country: 'c' }
      await insert(customer, values)
    }
    for (let id = 0; id < 300; id++) {
      const values = { id: `s-${1_000 + id}`, customer: `c-${(id * 13) % 30}`, seller: null }
      await insert(sale, values)
    }
  })
  const missing = new Set<number>()
  const expected = (direction: SortDirection) => {
    const sales = Array.from({ length: 300 }, (_, id) => {
      const customerId = (id * 13) % 30
      return { id: `s-${1_000 + id}`, name: missing.has(customerId) ? '' : nameOf(customerId) }
    })
    sales.sort((one, other) =>
      one.name === other.name ? one.id.localeCompare(other.id) : one.name < other.name ? -1 : 1,
    )
    const ids = sales.map(({ id }) => id)
    return direction === 'asc' ? ids : ids.reverse()
  }
  const check = async () => {
    for (const direction of ['asc', 'desc'] as const) {
      const seen: string[] = []
      let pageRange = page(45)
      for (;;) {
        const { entries } = await store.page(sale, sortedBy('customer.name', direction, pageRange))
        seen.push(...entries.map(({ id }) => id))
        if (entries.length < 45) break
        pageRange = { kind: 'after', position: entries.at(-1)!.position, limit: 45 }
      }
      expect(seen).toEqual(expected(direction))
      const plan = sortedBy('customer.name', direction)
      const raw = await store.fastPaths!.rawJson!.page(sale, plan, [], 'text', undefined)
      expect(idsIn(raw!.lines)).toEqual(expected(direction).slice(0, 20))
    }
  }
  await check()
  for (const id of [4, 29, 0]) {
    await store.write((transaction) => transaction.remove(customer, `c-${id}`))
    missing.add(id)
    await check()
  }
})

test('the related items are looked up where there are not too many', async () => {
  const database = await emptyDatabase()
  const compilation = createCompilation(sqliteDialect, (of) => tables.get(of)!, new Map())
  const relation = sale.ownedRelations[0]!
  const lacks = lacksRelatedSql(compilation, tables.get(sale)!, relation as never)
  const lacksRelated = () => database.prepare(`select ${lacks}`).get([])![0] === 1
  const insertAll = (table: string, column: string, from: number, to: number) =>
    database.exec(
      `insert into ${table} (id, "${column}", text, split, revision) with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to}) select i, i, '{}', 0, 1 from n`,
    )
  expect(lacksRelated()).toBe(false)
  insertAll('customers', 'text.name', 1, 20_001)
  insertAll('sales', 'text.customer', 1, 20_000)
  expect(lacksRelated()).toBe(false)
  insertAll('sales', 'text.customer', 20_001, 20_001)
  expect(lacksRelated()).toBe(true)
})

// A statement whose check stands in the loop of the related items would run to its end.
test('the rows of one related item are counted towards the time of the statement', async () => {
  let checks = 0
  const opened = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  const database = connection(opened)
  onTestFinished(() => database.close())
  const layouts = models.map((of) => layoutOf(sqliteDialect, of))
  prepareTables(database, layouts)
  addIndexes(database, layouts)
  database.exec(
    `insert into customers (id, "text.name", text, split, revision) values ('c', 'n', '{}', 0, 1)`,
  )
  database.exec(
    `insert into sales (id, "text.customer", text, split, revision)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
      select 's' || i, 'c', '{}', 0, 1 from n`,
  )
  opened.checkInterrupt = () => {
    checks++
  }
  const plan = sortedBy('customer.name', 'asc', page(20, 19_000))
  const { sql, parameters } = made.list(sale, plan).rows('items', { kind: 'relatedScan' })
  expect(database.prepare(sql).all(parameters)).toHaveLength(20)
  // One row in 64 asks.
  expect(checks).toBeGreaterThan(100)
})
