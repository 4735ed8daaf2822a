import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { field } from '../../model/declare/field.ts'
import { model } from '../../model/declare/model.ts'
import { toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso, idIsAnyOf, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
  type Scalar,
} from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { documentQueries } from '../sql/document-queries.ts'
import { layoutOf, tableOf } from '../sql/layout.ts'
import type { RowSource } from '../sql/list-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { accessPathPlanners } from './access-path.ts'
import { type Connection, connection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { loadDriver } from './driver.ts'
import { addIndexes, columnFacts, existsNull, prepareTables } from './prepare-tables.ts'
import { insertRow } from './sqlite-transaction.ts'

const anyRows: RowSource = { kind: 'any' }

const fields = {
  title: z.string(),
  price: z.number(),
  inStock: z.boolean(),
  pages: z.int().optional(),
  secret: field(z.string(), { hidden: true }),
  author: toOne('book', { optional: true }),
}

const described = (options: Parameters<typeof model<'book', typeof fields>>[2]) =>
  describeModels([model('book', fields, options)])[0]!

const book = described({
  indexes: [
    ['inStock', '-price'],
    ['author', 'title', '-pages'],
    ['secret', 'inStock', 'price'],
  ],
})

async function database(): Promise<Connection> {
  const made = connection((await loadDriver()).open(temporaryFile(), { readOnly: false }))
  onTestFinished(() => made.close())
  return made
}

function prepare(made: Connection, of: ModelDescription) {
  const layout = layoutOf(sqliteDialect, of)
  prepareTables(made, [layout])
  addIndexes(made, [layout])
  const table = tableOf(sqliteDialect, layout, columnFacts(made, layout))
  return { table, made: documentQueries(sqliteDialect, () => table, accessPathPlanners) }
}

function add(made: Connection, of: ModelDescription, values: StoredValues): void {
  const layout = layoutOf(sqliteDialect, of)
  const table = tableOf(sqliteDialect, layout, columnFacts(made, layout))
  insertRow(made, table, createStoredItem(of, values, 1))
}

const stepsOf = (made: Connection, { sql, parameters }: Statement): readonly string[] =>
  made
    .prepare(`explain query plan ${sql}`)
    .all(parameters)
    .map((row) => row[3] as string)

const indexesIn = (made: Connection, pattern = 'books(%'): readonly unknown[] =>
  made
    .prepare("select name from sqlite_schema where type = 'index' and name like ?")
    .all([pattern])
    .flat()

const plan = (part: Partial<QueryPlan>): QueryPlan => ({ ...allItemsPlan, ...part })
const by = (...keys: string[]): QueryPlan['sort'] =>
  keys.map((key) => ({
    path: toFieldPath(key.replace('-', '')),
    direction: key.startsWith('-') ? 'desc' : 'asc',
  }))
const place = (kind: 'after' | 'before', ...position: Scalar[]): PageRange => ({
  kind,
  position,
  limit: 20,
})
const is = (name: string, value: Scalar): Condition => compare(name, 'equal', value)
const compare = (
  name: string,
  operator: 'equal' | 'greaterThanOrEqual' | 'lessThan',
  value: Scalar,
): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator,
  value,
})

const stockPrice = 'books(text.in^stock,text.price# descending,id descending)'
const authorTitle = 'books(text.author,text.title,text.pages# descending,id descending)'
const secretStock = 'books(hidden.secret,text.in^stock,text.price#)'

const dear = andAlso(is('inStock', true), compare('price', 'greaterThanOrEqual', 10))
const cheap = andAlso(is('inStock', true), compare('price', 'lessThan', 10))
const byOne = relatesToAny('author', 'toOne', ['a'])

/** The index, the ranges of it that are scanned, and the plan. */
const indexScans: Record<string, readonly [string, string, QueryPlan]> = {
  'equal values in the order of the next': [
    stockPrice,
    'text.in^stock=?',
    plan({ condition: is('inStock', true), sort: by('-price') }),
  ],
  'a range of the next': [
    stockPrice,
    'text.in^stock=? AND text.price#>?',
    plan({ condition: dear, sort: by('-price') }),
  ],
  'less than a value that is never null': [
    stockPrice,
    'text.in^stock=? AND text.price#<?',
    plan({ condition: cheap, sort: by('-price') }),
  ],
  'the order of all of its fields': [stockPrice, '', plan({ sort: by('inStock', '-price') })],
  'the reverse order of all of its fields': [
    stockPrice,
    '',
    plan({ sort: by('-inStock', 'price') }),
  ],
  'the reverse order of the next': [
    stockPrice,
    'text.in^stock=? AND (text.price#,id)>(?,?)',
    plan({ condition: is('inStock', true), sort: by('price'), pageRange: place('after', 9, 'b') }),
  ],
  'an explicit id in the direction of the last key': [
    stockPrice,
    'text.in^stock=?',
    plan({ condition: is('inStock', true), sort: by('-price', '-id') }),
  ],
  'equal values of all of its fields, by id': [
    stockPrice,
    'text.in^stock=? AND text.price#=?',
    plan({ condition: andAlso(is('inStock', true), is('price', 5)) }),
  ],
  'two keys behind a relation': [
    authorTitle,
    'text.author=?',
    plan({ condition: byOne, sort: by('title', '-pages') }),
  ],
  'one key behind two equal values': [
    authorTitle,
    'text.author=? AND text.title=?',
    plan({ condition: andAlso(byOne, is('title', 'x')), sort: by('-pages') }),
  ],
  'null as the equal value': [
    authorTitle,
    'text.author=?',
    plan({ condition: is('author', null), sort: by('title', '-pages') }),
  ],
  'hidden fields': [
    secretStock,
    'hidden.secret=? AND text.in^stock=?',
    plan({ condition: andAlso(is('secret', 'x'), is('inStock', true)), sort: by('price') }),
  ],
  'from a place on': [
    stockPrice,
    'text.in^stock=? AND (text.price#,id)<(?,?)',
    plan({ condition: is('inStock', true), sort: by('-price'), pageRange: place('after', 9, 'b') }),
  ],
  'up to a place, backwards': [
    stockPrice,
    'text.in^stock=? AND (text.price#,id)>(?,?)',
    plan({
      condition: is('inStock', true),
      sort: by('-price'),
      pageRange: place('before', 9, 'b'),
    }),
  ],
  'between two places': [
    stockPrice,
    'text.in^stock=? AND text.price#>? AND (text.price#,id)<(?,?)',
    plan({
      condition: is('inStock', true),
      sort: by('-price'),
      pageRange: { kind: 'between', after: [9, 'b'], before: [5, 'c'], limit: 20 },
    }),
  ],
  'from a place with several keys on': [
    authorTitle,
    'text.author=? AND text.title>?|text.author=? AND text.title=? AND text.pages#<?|' +
      'text.author=? AND text.title=? AND text.pages#=?|text.author=? AND text.title=? AND text.pages#=? AND id<?',
    plan({ condition: byOne, sort: by('title', '-pages'), pageRange: place('after', 'x', 9, 'b') }),
  ],
}

/**
 * Every look into the table itself is along this index, and each range of it is one of the given.
 */
function expectRanges(
  steps: readonly string[],
  index: string,
  ranges: string,
  alias: 't' | 'f',
): void {
  const text = steps.join('\n')
  expect(text).not.toContain('TEMP B-TREE')
  const looks = steps.filter(
    (step) => step.startsWith(`SEARCH ${alias} `) || step.startsWith(`SCAN ${alias} `),
  )
  for (const look of looks) expect(look).toContain(`USING INDEX ${index}`)
  const found = looks.map((look) => / \((.*\?\)?)\)$/.exec(look)?.[1] ?? '')
  expect(found.toSorted()).toEqual(ranges.split('|').toSorted())
}

test.each(Object.keys(indexScans))(
  'an index scan uses an index over several fields: %s',
  async (name) => {
    const opened = await database()
    const { made } = prepare(opened, book)
    const [index, ranges, asked] = indexScans[name]!
    const query = made.list(book, asked)
    expect(query.strategy.name).toBe('indexScan')
    expectRanges(stepsOf(opened, query.rows('items', anyRows)), index, ranges, 't')
    expectRanges(stepsOf(opened, query.rows('itemsWithPositions', anyRows)), index, ranges, 't')
  },
)

test.each(Object.keys(indexScans))(
  'a trial scan uses it where further conditions filter the rows: %s',
  async (name) => {
    const opened = await database()
    const { made } = prepare(opened, book)
    const [index, ranges, asked] = indexScans[name]!
    const more: Condition = {
      kind: 'text',
      path: toFieldPath('title'),
      operator: 'contains',
      value: 'x',
    }
    const query = made.list(book, { ...asked, condition: andAlso(asked.condition, more) })
    expect(query.strategy.name).not.toBe('indexScan')
    expect(query.strategy.canTrialScan).toBe(true)
    expectRanges(
      stepsOf(opened, query.rows('items', { kind: 'trialScan', maxRows: 2_000 })),
      index,
      ranges,
      'f',
    )
  },
)

const others: Record<string, QueryPlan> = {
  'the other direction of one of two keys': plan({ sort: by('inStock', 'price') }),
  'only some of its keys': plan({ condition: byOne, sort: by('title') }),
  'keys that no equal value comes before': plan({ sort: by('-price') }),
  'several equal values': plan({
    condition: { kind: 'oneOf', path: toFieldPath('inStock'), values: [true, false] },
    sort: by('-price'),
  }),
  'another order of the ids': plan({ condition: is('inStock', true), sort: by('-price', 'id') }),
  'between two places of several keys': plan({
    sort: by('inStock', '-price'),
    pageRange: { kind: 'between', after: [true, 9, 'b'], before: [true, 5, 'c'], limit: 20 },
  }),
}

test.each(Object.keys(others))(
  'no index scan where the index does not have the order: %s',
  async (name) => {
    const { made } = prepare(await database(), book)
    const query = made.list(book, others[name]!)
    expect(query.strategy.name).not.toBe('indexScan')
    expect(query.strategy.canTrialScan).toBe(false)
  },
)

test('a probe uses the leading column of an index', async () => {
  const opened = await database()
  const { made } = prepare(opened, book)
  const query = made.count(
    book,
    andAlso(is('secret', 'x'), compare('pages', 'greaterThanOrEqual', 1)),
  )
  expect(query.strategy.name).toBe('indexLookup')
  expect(stepsOf(opened, query.probe(10)).join('\n')).toContain(
    `USING COVERING INDEX ${secretStock} (hidden.secret=?)`,
  )
  expect(made.count(book, is('inStock', true)).strategy.name, 'half of the table').toBe('rangeScan')
  // An index of the field alone goes before a leading column.
  const ids = made.count(book, andAlso(is('secret', 'x'), idIsAnyOf(['a', 'b'])))
  expect(stepsOf(opened, ids.probe(10)).join('\n')).toContain('USING PRIMARY KEY')
})

test('indexes are added to a table with rows, and dropped when the model no longer has them', async () => {
  const opened = await database()
  prepare(opened, described({}))
  add(opened, described({}), { id: 'b-1', title: 'M', price: 5, inStock: true, secret: 's' })
  add(opened, described({}), { id: 'b-2', title: 'N', price: 7, inStock: true, secret: 's' })
  const { made } = prepare(opened, book)
  const { sql, parameters } = made
    .list(book, plan({ condition: is('inStock', true), sort: by('-price') }))
    .ids()
  expect(opened.prepare(sql).all(parameters)).toEqual([['b-2'], ['b-1']])
  const added = indexesIn(opened)
  expect(added).toEqual(expect.arrayContaining([stockPrice, authorTitle, secretStock]))
  opened.exec('create index "by hand" on "books" ("text.title")')
  prepare(opened, described({}))
  expect(indexesIn(opened)).toEqual(['books(text.author)'])
  expect(indexesIn(opened, 'by hand')).toEqual(['by hand'])
})

test('the indexes for each direction that an earlier version kept become one', async () => {
  const opened = await database()
  const priced = describeModels([
    model('book', { title: z.string(), price: field(z.number(), { index: true }) }),
  ])[0]!
  prepare(opened, priced)
  for (const [id, price] of [
    ['b-1', 5],
    ['b-2', 7],
    ['b-3', 5],
  ] as const)
    add(opened, priced, { id, title: 'M', price })
  opened.exec('create index "books(text.price# descending)" on "books" ("text.price#" desc, "id")')
  const { made } = prepare(opened, priced)
  expect(indexesIn(opened)).toEqual(['books(text.price#)'])
  for (const [sort, ids] of [
    ['price', ['b-1', 'b-3', 'b-2']],
    ['-price', ['b-2', 'b-3', 'b-1']],
  ] as const) {
    const query = made.list(priced, plan({ sort: by(sort) }))
    expect(query.strategy.name).toBe('indexScan')
    const statement = query.ids()
    expect(stepsOf(opened, statement)).toEqual(['SCAN t USING COVERING INDEX books(text.price#)'])
    expect(opened.prepare(statement.sql).all(statement.parameters).flat()).toEqual(ids)
  }
})

test('a declared index that begins with a relation replaces its own', async () => {
  const opened = await database()
  prepare(opened, described({}))
  expect(indexesIn(opened)).toEqual(['books(text.author)'])
  const { made } = prepare(opened, described({ indexes: [['author', '-price']] }))
  const declared = 'books(text.author,text.price# descending,id descending)'
  expect(indexesIn(opened)).toEqual(expect.arrayContaining([declared]))
  expect(indexesIn(opened)).not.toContain('books(text.author)')
  const count = made.count(book, byOne)
  expect(count.strategy.name).toBe('indexLookup')
  expect(stepsOf(opened, count.probe(10)).join()).toContain(`INDEX ${declared} (text.author=?)`)
})

test('an index finds nulls that an older model left in a required field', async () => {
  const opened = await database()
  const { table } = prepare(opened, book)
  expect(table.columns.get('price')).toMatchObject({ isNullable: false })
  const layout = layoutOf(sqliteDialect, book)
  const price = layout.columns.find(({ name }) => name === 'text.price#')!
  const looked = stepsOf(opened, { sql: existsNull(layout, price), parameters: [] })
  expect(looked.join('\n')).toMatch(
    /SCAN books USING (COVERING )?INDEX books\(text\.price# nulls\)/,
  )

  const { price: _, ...older } = fields
  const before = describeModels([model('book', older)])[0]!
  add(opened, before, { id: 'b-1', title: 'M', inStock: true, secret: 's' })
  add(opened, book, { id: 'b-2', title: 'N', price: 7, inStock: true, secret: 's' })
  const again = prepare(opened, book)
  expect(again.table.columns.get('price')).toMatchObject({ isNullable: true })
  const { sql, parameters } = again.made
    .list(book, plan({ condition: cheap, sort: by('-price') }))
    .ids()
  expect(opened.prepare(sql).all(parameters), 'null is less than any value').toEqual([
    ['b-2'],
    ['b-1'],
  ])
})
