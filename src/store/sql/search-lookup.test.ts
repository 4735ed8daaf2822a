import { model, toOne } from 'resourcery'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeModels } from '../../model/describe/describe-models.ts'
import { toFieldPath } from '../../query/conditions.ts'
import type { SearchCondition } from '../../query/query-plan.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { createCompilation } from './compile-condition.ts'
import { layoutOf, newTableFacts, tableOf as tableOfLayout } from './layout.ts'
import { conditionShape, type ValueIndexes } from './query-shape.ts'
import type { SearchIndex } from './search-index.ts'
import { searchedIdsSql, searchProbeSql } from './search-lookup.ts'
import type { TableOf } from './table.ts'

const maxRelations = 6
const relationNames = Array.from({ length: maxRelations }, (_, index) => `author${index}`)
const [, book] = describeModels([
  model('author', { name: z.string() }),
  model('book', {
    title: z.string(),
    ...Object.fromEntries(relationNames.map((name) => [name, toOne('author')])),
  }),
])

const searchIndex: SearchIndex = {
  kind: 'queries',
  paths: new Set(['title', 'name']),
  isComplete: () => true,
  keepsIdOrder: true,
  ids: (paths, needles) => `select id, 1 as fits from words_of_${paths.join('_')}((${needles}))`,
  numbers: (paths, needles) => `select 1 from words_of_${paths.join('_')}((${needles}))`,
}

const tableOf: TableOf = (described) => {
  const layout = layoutOf(sqliteDialect, described)
  return { ...tableOfLayout(sqliteDialect, layout, newTableFacts(layout)), searchIndex }
}

/** The lengths of the statements that look rows up and count them. */
function lengths(termCount: number, relationCount: number): readonly number[] {
  const names = ['title', ...relationNames.slice(0, relationCount).map((name) => `${name}.name`)]
  const search: SearchCondition = {
    kind: 'search',
    fields: names.map((name) => ({ path: toFieldPath(name), weight: 1 })),
    terms: Array.from({ length: termCount }, () => ({
      words: 'sea',
      ending: 'word',
      isExcluded: false,
    })),
  }
  const valueIndexes: ValueIndexes = new Map()
  conditionShape(search, sqliteDialect.binder, [], valueIndexes)
  const compilation = () => createCompilation(sqliteDialect, tableOf, valueIndexes)
  return [
    searchedIdsSql(compilation(), tableOf(book!), search).length,
    searchProbeSql(compilation(), tableOf(book!), search, 10).length,
  ]
}

test.each([0, 1, maxRelations])(
  'a statement that looks up the rarest of many terms is hardly longer than that of two, with %d relations',
  (relationCount) => {
    const ofTwo = lengths(2, relationCount)
    for (const [index, length] of lengths(16, relationCount).entries())
      expect(length).toBeLessThan(ofTwo[index]! + 14 * 10)
  },
)

test('the length of the statement grows with the number of tables, not with its square', () => {
  const one = lengths(16, 1)
  for (const [index, length] of lengths(16, maxRelations).entries())
    expect(length).toBeLessThan(one[index]! * maxRelations)
})
