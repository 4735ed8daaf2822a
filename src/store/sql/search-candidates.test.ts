import { expect, test } from 'vitest'
import { author, book, bookshelfTable } from '../../../test/support/sqlite-bookshelf.ts'
import { toFieldPath } from '../../query/conditions.ts'
import type { SearchCondition } from '../../query/query-plan.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { createCompilation } from './compile-condition.ts'
import { numberParameters } from './compiled-statement.ts'
import { conditionShape, type ValueIndexes } from './query-shape.ts'
import { mayFitSearch } from './search-candidates.ts'
import type { SearchIndex } from './search-index.ts'
import type { TableOf } from './table.ts'

const index = (...paths: string[]): SearchIndex => ({
  kind: 'conditions',
  paths: new Set(paths),
  mayOccur: (alias, names, needle) => `${alias}.words_of_${names.join('_')} has ${needle}`,
  fence: 'offset 0',
  forbidsParallelism: 'true',
})

const tableOf: TableOf = (model) => ({
  ...bookshelfTable(model),
  searchIndex: model === author ? index('name') : index('title'),
})

function candidates(fields: readonly string[], isExcluded: readonly boolean[]): string {
  const condition: SearchCondition = {
    kind: 'search',
    fields: fields.map((name) => ({ path: toFieldPath(name), weight: 1 })),
    terms: isExcluded.map((each) => ({ words: 'sea', ending: 'word', isExcluded: each })),
  }
  const valueIndexes: ValueIndexes = new Map()
  const values: unknown[] = []
  conditionShape(condition, sqliteDialect.binder, values, valueIndexes)
  const compilation = createCompilation(sqliteDialect, tableOf, valueIndexes)
  const sql = mayFitSearch(compilation, tableOf(book), 't', condition)
  return numberParameters(sqliteDialect, sql, values.length, 0).sql
}

test('each included term may occur in the own texts of a row or in those of its relations', () => {
  expect(candidates(['title', 'author.name'], [false, false, true])).toBe(
    '((t.words_of_title has ?1 or t."text.author" = any (array(select r1."id" from "authors" r1 where r1.words_of_name has ?1))) and (t.words_of_title has ?2 or t."text.author" = any (array(select r2."id" from "authors" r2 where r2.words_of_name has ?2))))',
  )
})

test('an index is asked for so many terms only, and the condition decides about the others', () => {
  const queries = (termCount: number, fields: readonly string[]) =>
    candidates(fields, new Array(termCount).fill(false)).split(' has ').length - 1
  expect(queries(40, ['title'])).toBe(32)
  expect(queries(40, ['title', 'author.name'])).toBe(32)
  expect(queries(15, ['title', 'author.name'])).toBe(30)
})

test('all rows may fit a search of texts that an index lacks, or of excluded terms only', () => {
  expect(candidates(['title', 'language'], [false])).toBe('true')
  expect(candidates(['title'], [true])).toBe('true')
})
