import { expect, test } from 'vitest'
import { author, book, bookshelfTable as tableOf } from '../../../test/support/sqlite-bookshelf.ts'
import { always, idEquals, toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
} from '../../query/query-plan.ts'
import { accessPathPlanners } from '../sqlite/access-path.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { createCompilation } from './compile-condition.ts'
import { compileSelect } from './compile-plan.ts'
import { numberParameters } from './compiled-statement.ts'
import { conditionShape, planShape, type ValueIndexes } from './query-shape.ts'

function where(condition: Condition, model = book): string {
  const valueIndexes: ValueIndexes = new Map()
  const values: unknown[] = []
  conditionShape(condition, sqliteDialect.binder, values, valueIndexes)
  const sql = createCompilation(sqliteDialect, tableOf, valueIndexes).compileCondition(
    tableOf(model),
    't',
    condition,
  )
  return numberParameters(sqliteDialect, sql, values.length, 0).sql
}

function select(plan: Partial<QueryPlan>): string {
  const valueIndexes: ValueIndexes = new Map()
  const values: unknown[] = []
  const fullPlan = { ...allItemsPlan, ...plan }
  planShape(fullPlan, sqliteDialect.binder, values, valueIndexes)
  const table = tableOf(book)
  const isIndexScan =
    accessPathPlanners.plan(table, fullPlan, undefined, tableOf).name === 'indexScan'
  const sql = compileSelect(
    createCompilation(sqliteDialect, tableOf, valueIndexes),
    table,
    fullPlan,
    {
      columns: ['t."id"'],
      isIndexScan,
    },
  )
  return numberParameters(sqliteDialect, sql, values.length, 0).sql
}

const compare = (
  name: string,
  operator: 'equal' | 'notEqual' | 'lessThan' | 'greaterThan',
  value: unknown,
) => ({ kind: 'compare', path: toFieldPath(name), operator, value }) as Condition
const not = (condition: Condition): Condition => ({ kind: 'not', condition })

/** The interrupt check of statements that may read many rows. */
const interruptCheck = '(random() & 63 or check_interrupt())'

test('columns without nulls compare without a NULL branch, so that indexes serve them', () => {
  expect(where(compare('price', 'equal', 5))).toBe('t."text.price#" = ?1')
  expect(where(compare('price', 'lessThan', 5))).toBe('t."text.price#" < ?1')
  expect(where(not(compare('price', 'greaterThan', 5)))).toBe('t."text.price#" <= ?1')
  expect(where(idEquals('b-1'))).toBe('t."id" = ?1')
})

test('null is the smallest value', () => {
  expect(where(compare('pageCount', 'lessThan', 5))).toBe(
    '(t."text.pages#" < ?1 or t."text.pages#" is null)',
  )
  expect(where(compare('pageCount', 'greaterThan', 5))).toBe('t."text.pages#" > ?1')
  expect(where(compare('pageCount', 'notEqual', 5))).toBe(
    '(t."text.pages#" <> ?1 or t."text.pages#" is null)',
  )
  expect(where(compare('pageCount', 'equal', null))).toBe('t."text.pages#" is null')
  expect(where(compare('pageCount', 'lessThan', null))).toBe('false')
})

test('a negation moves down to the leaves', () => {
  const either: Condition = {
    kind: 'or',
    conditions: [compare('price', 'equal', 1), compare('isbn', 'equal', 'x')],
  }
  expect(where(not(either))).toBe(
    '(t."text.price#" <> ?1 and (t."text.isbn" <> ?2 or t."text.isbn" is null))',
  )
})

test('values of another type are not equal', () => {
  expect(where(compare('price', 'equal', '5'))).toBe('false')
  expect(where(compare('price', 'notEqual', '5'))).toBe('true')
  expect(where(compare('pageCount', 'lessThan', '5'))).toBe('t."text.pages#" is null')
})

test('a list of values is one parameter', () => {
  const oneOf = (name: string, values: (string | number | null)[]): Condition => ({
    kind: 'oneOf',
    path: toFieldPath(name),
    values,
  })
  expect(where(oneOf('isbn', ['a', 'b']))).toBe(
    't."text.isbn" in (select value from json_each(?1))',
  )
  expect(where(oneOf('isbn', ['a', 7, null]))).toBe(
    `(t."text.isbn" in (select value from json_each(?1) where type in ('text')) or t."text.isbn" is null)`,
  )
  expect(where(oneOf('isbn', ['a']))).toBe('t."text.isbn" = ?1')
  expect(where(oneOf('isbn', []))).toBe('false')
})

test('text search is case-sensitive', () => {
  const text = (
    operator: 'contains' | 'startsWith' | 'endsWith' | 'like',
    value: string,
  ): Condition => ({
    kind: 'text',
    path: toFieldPath('title'),
    operator,
    value,
  })
  expect(where(text('contains', 'x'))).toBe('(instr(t."text.title", ?1) > 0)')
  expect(where(text('startsWith', 'x'))).toBe('(t."text.title" >= ?1 and t."text.title" < ?2)')
  expect(where(text('like', '%x_'))).toBe('(t."text.title" glob ?1)')
  expect(sqliteDialect.binder.pattern('like', '%*_[a]%%')).toEqual(['*[*]?[[]a]*'])
  expect(sqliteDialect.binder.pattern('startsWith', 'a\u{10FFFF}')).toEqual(['a\u{10FFFF}', 'b'])
  expect(where(not(text('contains', 'x')))).toBe(
    '(not (instr(t."text.title", ?1) > 0) or t."text.title" is null)',
  )
})

test('a condition on a related item is an EXISTS that includes the guards', () => {
  const path = { names: ['author', 'name'], guards: [{ depth: 1, condition: idEquals('a-1') }] }
  const name = (operator: 'equal' | 'notEqual') =>
    where({ kind: 'compare', path, operator, value: 'Ann' })
  expect(name('equal')).toBe(
    'exists (select 1 from "authors" r1 where ((r1."id" = t."text.author" and r1."id" = ?1) and r1."text.name" = ?2))',
  )
  // Null is another value: of a book without an author, and of an author whom the guard hides.
  expect(name('notEqual')).toBe(
    'not exists (select 1 from "authors" r1 where ((r1."id" = t."text.author" and r1."id" = ?1) and r1."text.name" = ?2))',
  )
})

test('a value with a guard on the row is a subquery, and members with one need both', () => {
  const guards = [{ depth: 0, condition: idEquals('b-1') }]
  const path = { names: ['title'], guards }
  expect(where({ kind: 'compare', path, operator: 'equal', value: 'Dune' })).toBe(
    '(select t."text.title" where t."id" = ?1) = ?2',
  )
  expect(where({ kind: 'compare', path, operator: 'equal', value: null })).toBe(
    '(select t."text.title" where t."id" = ?1) is null',
  )
  const holds: Condition = {
    kind: 'members',
    path: { names: ['genres'], guards },
    quantity: 'any',
    values: ['g'],
  }
  expect(where(holds)).toContain('((t."id" = ?1) is true and t."id" in (select ')
})

test('members are looked up in join tables, in JSON arrays, and for inverse relations by column', () => {
  const members = (name: string, values: string[], quantity: 'any' | 'all' = 'any'): Condition => ({
    kind: 'members',
    path: toFieldPath(name),
    quantity,
    values,
  })
  expect(where(members('genres', ['g']))).toBe(
    `t."id" in (select r2."owner" from "books.genres" r2 where (${interruptCheck} and r2."target" in (select value from json_each(?1))))`,
  )
  expect(where(members('tags', ['x', 'y'], 'all'))).toContain(
    `json_each(t."text", '$."tags"') where typeof(key) = 'integer') r1 where r1.value in (select value from json_each(?1))) = ?2`,
  )
  expect(where(members('books', ['b']), author)).toBe(
    'exists (select 1 from "books" r1 where (r1."text.author" = t."id" and r1."id" in (select value from json_each(?1))) limit 1)',
  )
})

test('fields without a column are read from the document', () => {
  expect(where(compare('size.width', 'greaterThan', 5))).toBe(
    `cast(t."text" ->> '$."size"."width"' as real) > ?1`,
  )
})

test('a long OR becomes a shallow expression', () => {
  const conditions = Array.from({ length: 3_000 }, (_, index) => compare('price', 'equal', index))
  const depth = where({ kind: 'or', conditions }).match(/^\(+/)![0].length
  expect(depth).toBeLessThan(15)
})

test('pages are ranges of the index', () => {
  const after: PageRange = { kind: 'after', position: [5, 'b-1'], limit: 20 }
  const by = (direction: 'asc' | 'desc', name = 'price') => [{ path: toFieldPath(name), direction }]
  expect(select({ sort: by('asc'), pageRange: after })).toBe(
    'select t."id" from "books" t where (t."text.price#", t."id") > (?1, ?2) order by t."text.price#" asc, t."id" asc limit ?3 + 0',
  )
  expect(select({ sort: by('desc'), pageRange: after })).toBe(
    'select t."id" from "books" t where (t."text.price#", t."id") < (?1, ?2) order by t."text.price#" desc, t."id" desc limit ?3 + 0',
  )
  const idForwards = { path: toFieldPath('id'), direction: 'asc' } as const
  expect(
    select({
      sort: [...by('desc'), idForwards],
      pageRange: { ...after, position: [5, 'b-1', 'b-1'] },
    }),
  ).toMatch(/ order by t\."text\.price#" desc, t\."id" asc limit/)
  expect(
    select({ sort: by('asc', 'pageCount'), pageRange: { ...after, position: [null, 'b-1'] } }),
  ).toContain('where (t."text.pages#" is null and t."id" > ?1) union all')
  expect(
    select({
      sort: by('asc', 'title'),
      pageRange: { kind: 'before', position: [null, 'b-1'], limit: 5 },
    }),
  ).toBe(
    `select t."id" from "books" t where (${interruptCheck} and (t."text.title" is null and t."id" < ?1)) order by t."text.title" desc, t."id" desc limit ?2 + 0`,
  )
})

test('conditions of one structure have one shape, whatever their values', () => {
  const shape = (condition: Condition) => conditionShape(condition, sqliteDialect.binder, [])
  expect(shape(compare('price', 'equal', 1))).toBe(shape(compare('price', 'equal', 2)))
  expect(shape(compare('price', 'equal', 1))).not.toBe(shape(compare('price', 'equal', '1')))
  expect(shape(compare('price', 'equal', 1))).not.toBe(shape(compare('price', 'equal', null)))
  expect(shape(not(always))).not.toBe(shape(always))
})
