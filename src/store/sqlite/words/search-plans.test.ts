import { expect, onTestFinished, test } from 'vitest'
import { searchedBookshelf, searchFor, term } from '../../../../test/support/searched-bookshelf.ts'
import { temporaryFile } from '../../../../test/support/sqlite-bookshelf.ts'
import type { ModelDescription } from '../../../model/model-description.ts'
import { toFieldPath } from '../../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type QueryPlan,
  type SearchTerm,
} from '../../../query/query-plan.ts'
import { documentQueries } from '../../sql/document-queries.ts'
import { layoutOf, newTableFacts, tableOf } from '../../sql/layout.ts'
import type { Statement } from '../../sql/statement-cache.ts'
import type { DocumentTable } from '../../sql/table.ts'
import { accessPathPlanners } from '../access-path.ts'
import { connection } from '../connection.ts'
import { sqliteDialect, wordsFunction } from '../dialect.ts'
import { loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'
import { wordsIndexesOf } from './words-index.ts'
import { idsSql, numbersSql } from './words-sql.ts'

const models = searchedBookshelf()
const [, book] = models
let isComplete = true

const tables = models.map((model) => {
  const layout = layoutOf(sqliteDialect, model)
  return tableOf(sqliteDialect, layout, newTableFacts(layout))
})
const indexes = wordsIndexesOf(sqliteDialect, tables, ({ model }) => model.plural)
const indexedTables = new Map(
  tables.map((table): [ModelDescription, DocumentTable] => {
    const index = indexes.get(table.model.name)!
    const searchIndex = {
      kind: 'queries',
      paths: new Set(index.paths),
      isComplete: () => isComplete,
      keepsIdOrder: true,
      ids: idsSql(index, false),
      numbers: numbersSql(index),
    } as const
    return [table.model, { ...table, searchIndex }]
  }),
)
const made = documentQueries(
  sqliteDialect,
  (model) => indexedTables.get(model)!,
  accessPathPlanners,
)

async function explainer(): Promise<(statement: Statement) => string> {
  const file = temporaryFile()
  const store = sqlite(file)
  await store.open(models)
  await store.close()
  const database = connection((await loadDriver()).open(file, { readOnly: true }))
  onTestFinished(() => database.close())
  return ({ sql, parameters }) =>
    database
      .prepare(`explain query plan ${sql}`)
      .all(parameters)
      .map((row) => row[3])
      .join('\n')
}

const search = (...terms: SearchTerm[]): Condition => searchFor(...terms)
const plan = (part: Partial<QueryPlan>): QueryPlan => ({
  ...allItemsPlan,
  pageRange: { kind: 'offset', offset: 0, limit: 20 },
  ...part,
})
const isOld = search(term('old'))
const cheap: Condition = {
  kind: 'compare',
  path: toFieldPath('price'),
  operator: 'equal',
  value: 5,
}

test.each([
  ['a word', [term('old')]],
  ['several words, one of them a beginning', [term('old'), term('se', 'beginning')]],
  ['a word without another', [term('old'), term('sea', 'word', true)]],
])('indexes find the rows with %s', async (_, terms) => {
  const explain = await explainer()
  const query = made.list(book, plan({ condition: search(...terms) }))
  expect(query.strategy.name).toBe('searchLookup')
  for (const statement of [query.probe(10), query.rows('items', { kind: 'lookup' })]) {
    const steps = explain(statement)
    expect(steps).toMatch(/SCAN f VIRTUAL TABLE INDEX/)
    expect(steps).toContain('INDEX books(text.author) (text.author=?)')
    expect(steps).not.toMatch(/SCAN (t|books|authors)\b/)
  }
})

test('what is counted and grouped is found by indexes too', async () => {
  const explain = await explainer()
  const groups = { condition: isOld, by: [], aggregates: [], order: 'keys', limit: 1 } as const
  for (const statement of [made.count(book, isOld).count(), made.groups(book, groups).read()]) {
    const steps = explain(statement)
    expect(steps).toContain('SEARCH t USING PRIMARY KEY (id=?)')
    expect(steps).not.toMatch(/SCAN t\b/)
  }
})

test('many rows are looked up only where nothing else reads fewer', () => {
  const looksUpMany = (part: Partial<QueryPlan>) =>
    made.list(book, plan({ condition: isOld, ...part })).strategy.looksUpMany
  const byTitle = [{ path: toFieldPath('title'), direction: 'asc' }] as const
  const byPrice = [{ path: toFieldPath('price'), direction: 'asc' }] as const
  const both: Condition = { kind: 'and', conditions: [isOld, cheap] }
  expect(looksUpMany({ sort: byTitle })).toBe(true)
  expect(looksUpMany({ sort: byPrice }), 'an index has the order').toBe(false)
  expect(looksUpMany({}), 'the ids are in order').toBe(false)
  expect(looksUpMany({ sort: byTitle, condition: both }), 'another index').toBe(false)
  expect(made.count(book, isOld).strategy.looksUpMany).toBe(true)
  expect(made.count(book, both).strategy.looksUpMany).toBe(false)
})

test('texts are searched in the order of the list, until its page is full', () => {
  const byTitle = [{ path: toFieldPath('title'), direction: 'asc' }] as const
  for (const sort of [[], byTitle]) {
    const query = made.list(book, plan({ condition: isOld, sort }))
    const { sql } = query.rows('items', { kind: 'lookup' })
    const [sorted = '', decided] = sql.split(' limit 9223372036854775807')
    expect(sorted).toMatch(/ order by [^()]*$/)
    expect(sorted).not.toContain(wordsFunction)
    expect(decided).toContain(wordsFunction)
  }
})

test('no index is read before it has all rows, for excluded words, or for one item', () => {
  const pathOf = (condition: Condition) => made.list(book, plan({ condition })).strategy.name
  expect(pathOf(isOld)).toBe('searchLookup')
  isComplete = false
  onTestFinished(() => {
    isComplete = true
  })
  expect(pathOf(isOld)).toBe('fullScan')
  isComplete = true
  expect(pathOf(isOld)).toBe('searchLookup')
  expect(pathOf(search(term('old', 'word', true)))).toBe('fullScan')
  const one: Condition = { kind: 'oneOf', path: toFieldPath('id'), values: ['a'] }
  expect(pathOf({ kind: 'and', conditions: [isOld, one] })).toBe('indexLookup')
})
