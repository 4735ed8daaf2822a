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
import { conditionAccessPath, planAccessPath } from './access-path.ts'

const table = bookshelfTable(book)
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
const access = (plan: Partial<QueryPlan>) =>
  planAccessPath(table, { ...allItemsPlan, ...plan }).kind
const slice = (skip: number): PageRange => ({ kind: 'slice', offset: skip, limit: 20 })

test('walks by the id, and by one indexed field in both directions', () => {
  expect(access({})).toBe('walk')
  expect(access({ sort: by('id') })).toBe('walk')
  expect(access({ sort: by('price') })).toBe('walk')
  expect(access({ sort: by('pageCount', 'desc') })).toBe('walk')
  expect(access({ sort: by('author') })).toBe('walk')
  expect(access({ sort: by('isbn') })).toBe('walk')
})

test('scans where no index has the order', () => {
  expect(access({ sort: by('title') })).toBe('scan')
  expect(access({ sort: [...by('price'), ...by('pageCount')] })).toBe('scan')
  expect(access({ sort: by('author.name') })).toBe('scan')
  expect(access({ sort: by('author', 'desc') })).toBe('scan')
  expect(access({ sort: by('isbn', 'desc') })).toBe('scan')
  expect(access({ sort: by('price'), pageRange: slice(5_000) })).toBe('scan')
})

test('walks an indexed field that is compared, where its order is the one that is asked for', () => {
  expect(access({ condition: compare('price', 'equal', 1) })).toBe('walk')
  expect(access({ condition: compare('price', 'greaterThan', 1), sort: by('price', 'desc') })).toBe(
    'walk',
  )
  expect(access({ condition: compare('price', 'lessThan', 1), sort: by('price') })).toBe('walk')
  expect(access({ condition: compare('price', 'greaterThan', 1) })).toBe('scan')
  expect(access({ condition: compare('pageCount', 'lessThan', 1), sort: by('pageCount') })).toBe(
    'scan',
  )
  expect(access({ condition: compare('price', 'greaterThan', 1), sort: by('pageCount') })).toBe(
    'scan',
  )
  expect(access({ condition: { kind: 'not', condition: compare('price', 'equal', 1) } })).toBe(
    'scan',
  )
})

test('gathers what an index finds for a part, least first', () => {
  const inAuthors = relatesToAny('author', 'toOne', ['a-1', 'a-2'])
  expect(planAccessPath(table, { ...allItemsPlan, condition: inAuthors })).toMatchObject({
    kind: 'gather',
    maxRows: Infinity,
  })
  expect(access({ condition: relatesToAny('genres', 'toMany', ['g-1']), sort: by('title') })).toBe(
    'gather',
  )
  const pinned = conditionAccessPath(table, andAlso(inAuthors, idEquals('b-1')))
  expect(pinned).toMatchObject({ kind: 'gather', maxRows: 1, lookupCondition: idEquals('b-1') })
  expect(
    conditionAccessPath(table, andAlso(compare('size.width', 'equal', 1), inAuthors)),
  ).toMatchObject({ lookupCondition: inAuthors })
})

test('walks a short list of ids', () => {
  expect(access({ condition: idIsAnyOf(['b-1', 'b-2']) })).toBe('walk')
  expect(access({ condition: idIsAnyOf(['b-1', 'b-2']), sort: by('title') })).toBe('gather')
  const many = idIsAnyOf(Array.from({ length: 2_000 }, (_, index) => `b-${index}`))
  expect(conditionAccessPath(table, many)).toMatchObject({ maxRows: Infinity })
})

test('looks into other tables only by scanning', () => {
  const guarded = { names: ['author'], guards: [{ depth: 1, condition: idEquals('a-1') }] }
  expect(
    access({ condition: { kind: 'compare', path: guarded, operator: 'equal', value: 'a-1' } }),
  ).toBe('scan')
})
