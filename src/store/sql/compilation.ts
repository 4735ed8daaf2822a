import type { Condition, SearchCondition } from '../../query/query-plan.ts'
import type { Dialect } from './dialect.ts'
import type { ValueIndexes } from './query-shape.ts'
import type { Table, TableOf } from './table.ts'

/** A search, and SQL that is true for rows that fit it for certain. */
export interface IndexedSearch {
  readonly search: SearchCondition
  readonly fits: string
}

/** The state that the compilers of one statement share. */
export interface Compilation {
  readonly dialect: Dialect
  readonly tableOf: TableOf
  readonly valueIndexes: ValueIndexes
  /**
   * True when the statement reads known rows one by one: a lookup over a whole join table would
   * then run again for each row.
   */
  readonly isPerRow: boolean
  /**
   * True when the statement counts the rows that satisfy one condition, so that an index of a
   * relation can have them.
   */
  readonly countsRelated: boolean
  /**
   * May a search be a condition on indexes too? False when the statement has the rows that they
   * find, or is to read all of them in an order.
   */
  readonly asksWordIndexes: boolean
  /** The search whose rows the statement has, if indexes say of some of these that they fit. */
  readonly indexedSearch: IndexedSearch | undefined
  /** A new table alias. */
  nextAlias(): string
  /** SQL that is true exactly where the condition holds for the row; NULL counts as false. */
  compileCondition(table: Table, alias: string, condition: Condition): string
}

/** The index of the first value that belongs to this part of the query. */
export function valueIndexOf(compilation: Compilation, part: object): number {
  const valueIndex = compilation.valueIndexes.get(part)
  if (valueIndex === undefined)
    throw new Error('The shape of the query must be read before the query is compiled.')
  return valueIndex
}
