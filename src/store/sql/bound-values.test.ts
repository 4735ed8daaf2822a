import { expect, test } from 'vitest'
import { book, bookshelfTable } from '../../../test/support/sqlite-bookshelf.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import { accessPathPlanners } from '../sqlite/access-path.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { documentQueries } from './document-queries.ts'

const hostile = `zq' or "1"=1; drop table books --`
const title = toFieldPath('title')
const conditions: readonly Condition[] = [
  { kind: 'compare', path: toFieldPath('id'), operator: 'equal', value: hostile },
  { kind: 'compare', path: title, operator: 'lessThan', value: hostile },
  { kind: 'oneOf', path: title, values: [hostile, `${hostile}2`] },
  { kind: 'text', path: title, operator: 'contains', value: hostile },
  { kind: 'text', path: title, operator: 'startsWith', value: hostile },
  { kind: 'text', path: title, operator: 'endsWith', value: hostile },
  { kind: 'text', path: title, operator: 'like', value: hostile },
]

test.each(conditions)(
  '3.3: values are bound, never part of the SQL: $kind $operator',
  (condition) => {
    const made = documentQueries(sqliteDialect, bookshelfTable, accessPathPlanners)
    const list = made.list(book, {
      ...allItemsPlan,
      condition,
      pageRange: { kind: 'after', position: [hostile], limit: 5 },
    })
    for (const { sql, parameters } of [
      made.find(book, condition),
      list.rows('items', { kind: 'any' }),
      list.rows('items', { kind: 'lookup' }),
      list.ids(),
      made.count(book, condition).count(),
    ]) {
      expect(sql).not.toContain('zq')
      expect(JSON.stringify(parameters)).toContain('zq')
    }
  },
)
