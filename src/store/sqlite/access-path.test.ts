import { expect, test } from 'vitest'
import { book, bookshelfTable } from '../../../test/support/sqlite-bookshelf.ts'
import { andAlso, idEquals, idIsAnyOf, relatesToAny, toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
  type SortKey,
} from '../../query/query-plan.ts'
import { accessPathPlanners } from './access-path.ts'

const table = bookshelfTable(book)
const planAccessPath = (plan: QueryPlan) =>
  accessPathPlanners.plan(table, plan, undefined, bookshelfTable)
const conditionAccessPath = (condition: Condition) =>
  accessPathPlanners.condition(table, condition, undefined, bookshelfTable)
const compare = (
  name: string,
  operator: 'equal' | 'lessThan' | 'greaterThan',
  value: number,
): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator,
  value,
})
const by = (name: string, direction: 'asc' | 'desc' = 'asc'): SortKey[] => [
  { path: toFieldPath(name), direction },
]
const access = (plan: Partial<QueryPlan>) => planAccessPath({ ...allItemsPlan, ...plan }).name
const slice = (offset: number): PageRange => ({ kind: 'offset', offset, limit: 20 })

test('an index scan serves the order of ids, and of one indexed field in both directions', () => {
  expect(access({})).toBe('indexScan')
  expect(access({ sort: by('id') })).toBe('indexScan')
  expect(access({ sort: by('price') })).toBe('indexScan')
  expect(access({ sort: by('pageCount', 'desc') })).toBe('indexScan')
  for (const direction of ['asc', 'desc'] as const) {
    for (const name of ['author', 'isbn', 'id'])
      expect(access({ sort: by(name, direction) }), name).toBe('indexScan')
    expect(access({ sort: [...by('price', direction), ...by('id', direction)] })).toBe('indexScan')
  }
})

test('a full scan serves orders that no index has', () => {
  expect(access({ sort: by('title') })).toBe('fullScan')
  expect(access({ sort: [...by('price'), ...by('pageCount')] })).toBe('fullScan')
  expect(access({ sort: by('author.name') })).toBe('fullScan')
  expect(access({ sort: [...by('price'), ...by('id', 'desc')] })).toBe('fullScan')
  expect(access({ sort: by('price'), pageRange: slice(5_000) })).toBe('fullScan')
})

test('an index scan serves a comparison in the order of the compared field', () => {
  expect(access({ condition: compare('price', 'equal', 1) })).toBe('indexScan')
  expect(access({ condition: compare('price', 'greaterThan', 1), sort: by('price', 'desc') })).toBe(
    'indexScan',
  )
  expect(access({ condition: compare('price', 'lessThan', 1), sort: by('price') })).toBe(
    'indexScan',
  )
  // Null is less than any value, so these are two ranges.
  expect(access({ condition: compare('pageCount', 'lessThan', 1), sort: by('pageCount') })).toBe(
    'fullScan',
  )
  expect(access({ condition: { kind: 'not', condition: compare('price', 'equal', 1) } })).toBe(
    'fullScan',
  )
})

test('a range scan serves a range of an indexed field in another order', () => {
  expect(access({ condition: compare('price', 'greaterThan', 1) })).toBe('rangeScan')
  expect(access({ condition: compare('price', 'greaterThan', 1), sort: by('pageCount') })).toBe(
    'rangeScan',
  )
})

test('an index lookup takes the most selective condition', () => {
  const inAuthors = relatesToAny('author', 'toOne', ['a-1', 'a-2'])
  expect(planAccessPath({ ...allItemsPlan, condition: inAuthors })).toMatchObject({
    name: 'indexLookup',
    rowCount: 'unknown',
  })
  expect(access({ condition: relatesToAny('genres', 'toMany', ['g-1']), sort: by('title') })).toBe(
    'indexLookup',
  )
  const byId = conditionAccessPath(andAlso(inAuthors, idEquals('b-1')))
  expect(byId).toMatchObject({ name: 'indexLookup', rowCount: 'few', lookup: idEquals('b-1') })
  expect(conditionAccessPath(andAlso(compare('size.width', 'equal', 1), inAuthors))).toMatchObject({
    lookup: inAuthors,
  })
})

test('an index scan serves a short list of ids', () => {
  expect(access({ condition: idIsAnyOf(['b-1', 'b-2']) })).toBe('indexScan')
  expect(access({ condition: idIsAnyOf(['b-1', 'b-2']), sort: by('title') })).toBe('indexLookup')
  const many = idIsAnyOf(Array.from({ length: 2_000 }, (_, index) => `b-${index}`))
  expect(conditionAccessPath(many)).toMatchObject({ rowCount: 'unknown' })
})

test('conditions on other tables need a full scan', () => {
  const guarded = { names: ['author'], guards: [{ depth: 1, condition: idEquals('a-1') }] }
  expect(
    access({ condition: { kind: 'compare', path: guarded, operator: 'equal', value: 'a-1' } }),
  ).toBe('fullScan')
})

test('a guard on the item leaves the indexes of its fields unused', () => {
  const guards = [{ depth: 0, condition: compare('price', 'equal', 1) }]
  const guarded = (name: string) => ({ names: [name], guards })
  for (const name of ['id', 'price', 'author']) {
    const path = guarded(name)
    for (const value of ['x', null])
      expect(access({ condition: { kind: 'compare', path, operator: 'equal', value } })).toBe(
        'fullScan',
      )
    expect(access({ condition: { kind: 'oneOf', path, values: ['x', 'y'] } })).toBe('fullScan')
    expect(access({ sort: [{ path, direction: 'asc' }] })).toBe('fullScan')
  }
  const path = guarded('genres')
  expect(access({ condition: { kind: 'members', path, quantity: 'any', values: ['g-1'] } })).toBe(
    'fullScan',
  )
})

test('the access path of a shape follows the number of ids and the offset', () => {
  const ids = (count: number) => idIsAnyOf(Array.from({ length: count }, (_, n) => `b-${n}`))
  const planOf = (count: number, offset = 0): QueryPlan => ({
    ...allItemsPlan,
    condition: ids(count),
    pageRange: slice(offset),
  })
  const few = planAccessPath(planOf(2))
  const many = accessPathPlanners.plan(table, planOf(2_000), few, bookshelfTable)
  expect([few.name, many.name]).toEqual(['indexScan', 'indexLookup'])
  expect(accessPathPlanners.plan(table, planOf(3), many, bookshelfTable).name).toBe('indexScan')
  const byPrice = { ...allItemsPlan, sort: by('price') }
  const near = planAccessPath({ ...byPrice, pageRange: slice(20) })
  const far = accessPathPlanners.plan(
    table,
    { ...byPrice, pageRange: slice(5_000) },
    near,
    bookshelfTable,
  )
  expect([near.name, far.name]).toEqual(['indexScan', 'fullScan'])
})

test('the access path of a shape is chosen once where sizes do not matter', () => {
  const plan: QueryPlan = { ...allItemsPlan, condition: compare('price', 'equal', 1) }
  const cached = planAccessPath(plan)
  expect(accessPathPlanners.plan(table, plan, cached, bookshelfTable)).toBe(cached)
})
