import { expect, onTestFinished, test } from 'vitest'
import {
  author,
  book,
  bookshelf,
  bookshelfTable,
  genre,
  temporaryFile,
} from '../../../test/support/sqlite-bookshelf.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { always, idEquals, idIsAnyOf, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
  type Scalar,
} from '../../query/query-plan.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { layoutOf } from '../sql/layout.ts'
import type { RowSource } from '../sql/list-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { accessPathPlanners } from './access-path.ts'
import { connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { loadDriver } from './driver.ts'
import { addIndexes, prepareTables } from './prepare-tables.ts'

const anyRows: RowSource = { kind: 'any' }
const made = documentQueries(sqliteDialect, bookshelfTable, accessPathPlanners)

async function planner(): Promise<(statement: Statement) => string> {
  const database = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => database.close())
  const layouts = bookshelf.map((model) => layoutOf(sqliteDialect, model))
  prepareTables(database, layouts)
  addIndexes(database, layouts)
  return ({ sql, parameters }) => {
    const rows = database.prepare(`explain query plan ${sql}`).all(parameters)
    return rows.map((row) => row[3]).join('\n')
  }
}

const plan = (part: Partial<QueryPlan>): QueryPlan => ({ ...allItemsPlan, ...part })
const by = (name: string, direction: 'asc' | 'desc' = 'asc') => [
  { path: toFieldPath(name), direction },
]
const after = (...position: Scalar[]): PageRange => ({ kind: 'after', position, limit: 20 })
const before = (...position: Scalar[]): PageRange => ({ kind: 'before', position, limit: 20 })
const compare = (
  name: string,
  operator: 'equal' | 'greaterThan' | 'lessThan',
  value: Scalar,
): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator,
  value,
})

test('an item is found by its id, whatever the other conditions are', async () => {
  const explain = await planner()
  expect(explain(made.find(book, idEquals('b')))).toBe('SEARCH t USING PRIMARY KEY (id=?)')
  const both: Condition = { kind: 'and', conditions: [compare('price', 'equal', 5), idEquals('b')] }
  expect(explain(made.find(book, both))).toBe('SEARCH t USING PRIMARY KEY (id=?)')
})

const indexScans: Record<string, QueryPlan> = {
  'the ids': plan({}),
  'the ids from one on': plan({ pageRange: after('b') }),
  'the ids backwards': plan({ pageRange: before('b') }),
  'the ids between two': plan({
    pageRange: { kind: 'between', after: ['a'], before: ['b'], limit: 20 },
  }),
  'a few ids': plan({ condition: idIsAnyOf(['a', 'b']) }),
  'equal values': plan({ condition: compare('price', 'equal', 5), pageRange: after('b') }),
  'items of one author': plan({ condition: relatesToAny('author', 'toOne', ['a']) }),
  'a sort': plan({ sort: by('price') }),
  'a sort, descending': plan({ sort: by('price', 'desc') }),
  'a range': plan({ condition: compare('price', 'greaterThan', 5), sort: by('price', 'desc') }),
  'a sort from one place on': plan({ sort: by('price'), pageRange: after(5, 'b') }),
  'a descending sort from one place on': plan({
    sort: by('price', 'desc'),
    pageRange: after(5, 'b'),
  }),
  'a sort with nulls from one place on': plan({ sort: by('pageCount'), pageRange: after(5, 'b') }),
  'a sort with nulls from null on': plan({ sort: by('pageCount'), pageRange: after(null, 'b') }),
  'a descending sort with nulls from one place on': plan({
    sort: by('pageCount', 'desc'),
    pageRange: after(5, 'b'),
  }),
  'a descending sort with nulls from null on': plan({
    sort: by('pageCount', 'desc'),
    pageRange: after(null, 'b'),
  }),
  'a sort with nulls backwards': plan({ sort: by('pageCount'), pageRange: before(5, 'b') }),
  'a descending sort backwards': plan({ sort: by('pageCount', 'desc'), pageRange: before(5, 'b') }),
}

test.each(Object.keys(indexScans))(
  'an index scan serves %s without sorting or reading other items',
  async (name) => {
    const explain = await planner()
    const query = made.list(book, indexScans[name]!)
    expect(query.strategy.name).toBe('indexScan')
    const steps = explain(query.rows('items', anyRows))
    expect(steps).not.toContain('TEMP B-TREE')
    const isWhole = /^the ids$|^a sort(, descending)?$/.test(name)
    // A whole index is scanned only as far as the limit.
    if (!isWhole) expect(steps).not.toMatch(/SCAN t/)
  },
)

test('an index lookup uses the index of its probe', async () => {
  const explain = await planner()
  const inStock = compare('inStock', 'equal', true)
  const authors = relatesToAny('author', 'toOne', ['a-1', 'a-2'])
  const query = made.list(
    book,
    plan({ condition: { kind: 'and', conditions: [inStock, authors] } }),
  )
  expect(query.strategy.name).toBe('indexLookup')
  expect(explain(query.probe(1_000))).toMatch(
    /SEARCH t USING (COVERING )?INDEX books\(text\.author\)/,
  )
  const lookup = explain(query.rows('items', { kind: 'lookup' }))
  expect(lookup).toMatch(/SEARCH f USING (COVERING )?INDEX books\(text\.author\)/)
  expect(lookup).toMatch(/SEARCH t USING PRIMARY KEY \(id=\?\)/)
})

test('a range of an index is looked up where it may have few rows, whatever the order is', async () => {
  const explain = await planner()
  const range: Condition = {
    kind: 'and',
    conditions: [
      compare('inStock', 'equal', true),
      compare('price', 'greaterThan', 5),
      compare('price', 'lessThan', 6),
    ],
  }
  const query = made.list(book, plan({ condition: range, sort: by('title') }))
  expect(query.strategy.name).toBe('rangeScan')
  const search = /SEARCH [tf] USING (COVERING )?INDEX books\(text\.price#.*\) \(.*>\? AND .*<\?\)/
  expect(explain(query.probe(1_000))).toMatch(search)
  expect(explain(query.rows('items', { kind: 'lookup' }))).toMatch(search)
})

test('the bounds of the id bound the ranges of a whole list', async () => {
  const explain = await planner()
  const query = made.list(book, plan({ condition: compare('id', 'lessThan', 'm') }))
  const search = 'SEARCH f USING PRIMARY KEY (id>? AND id<?)'
  expect(explain(query.idRangeEnd('b', 10))).toContain(search)
  expect(explain(query.idRange('b', 10))).toContain(search)
})

test('inverse relations are looked up by their indexes', async () => {
  const explain = await planner()
  const inGenre = made.count(book, relatesToAny('genres', 'toMany', ['g-1']))
  expect(explain(inGenre.probe(1_000))).toMatch(/books\.genres\(target\)/)
  const wrote: Condition = {
    kind: 'members',
    path: toFieldPath('books'),
    quantity: 'any',
    values: ['b-1'],
  }
  expect(explain(made.count(author, wrote).count())).toMatch(
    /SEARCH r1 (EXISTS )?USING COVERING INDEX books\(text\.author\)/,
  )
})

test('related pages scan an index from each owner, and read only the texts of the pages', async () => {
  const explain = await planner()
  const pageRange = { kind: 'offset', offset: 0, limit: 5 } as const
  const pagesOf = (model: ModelDescription, relation: string, sort: QueryPlan['sort'] = []) =>
    explain(
      made
        .related(model, manyOf(model, relation), ['x', 'y'], {
          condition: always,
          sort,
          pageRange: pageRange,
        })
        .pages(),
    )
  const inverse = pagesOf(author, 'books')
  expect(inverse).toMatch(/SEARCH t USING PRIMARY KEY \(id=\?\)/)
  expect(inverse).toMatch(/SEARCH f USING (COVERING )?INDEX books\(text\.author\)/)
  expect(pagesOf(author, 'books', by('price'))).toMatch(
    /SEARCH f USING INDEX books\(text\.author\)/,
  )
  expect(pagesOf(genre, 'books')).toMatch(/SEARCH p USING COVERING INDEX books\.genres\(target\)/)
  expect(pagesOf(book, 'genres')).toMatch(/SEARCH p USING PRIMARY KEY \(owner=\?\)/)
})

function manyOf(model: ModelDescription, relation: string): ManyRelation {
  return model.fieldsByName.get(relation) as ManyRelation
}
