import type { SortKey } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { Compilation } from './compilation.ts'
import { compileLossless, compileScalar, type ScalarSql } from './compile-path.ts'
import { compileRelevance } from './compile-search.ts'
import type { Table } from './table.ts'

/** What a sort key compares, of a row. */
export function compileSortKey(
  compilation: Compilation,
  table: Table,
  alias: string,
  key: SortKey,
): ScalarSql {
  if (!isRelevance(key)) return compileScalar(compilation, table, alias, key.path)
  return {
    sql: compileRelevance(compilation, table, alias, key.search),
    type: { kind: 'number' },
    isNullable: false,
    column: undefined,
    native: undefined,
  }
}

/** The same in a form that is read back exactly (`compileLossless`). */
export function compileSortPosition(
  compilation: Compilation,
  table: Table,
  alias: string,
  key: SortKey,
): string {
  return isRelevance(key)
    ? compileRelevance(compilation, table, alias, key.search)
    : compileLossless(compilation, table, alias, key.path)
}
