import type { Condition } from '../../query/query-plan.ts'
import type { Dialect } from './dialect.ts'
import type { ValueIndexes } from './query-shape.ts'
import type { Table, TableOf } from './table.ts'

/** What the parts of a compiler share while they make one statement. */
export interface Compilation {
  readonly dialect: Dialect
  readonly tableOf: TableOf
  readonly valueIndexes: ValueIndexes
  /**
   * Are the rows found already, one by one, so that nothing is to be looked up but what concerns
   * each of them?
   */
  readonly isPerRow: boolean
  /** A name for one more table of the statement. */
  nextAlias(): string
  /**
   * A condition about the row of the table known by the alias, true or not true: where it is NULL,
   * it counts as false.
   */
  compileCondition(table: Table, alias: string, condition: Condition): string
}

/** The slot where the values of a part begin. */
export function valueIndexOf(compilation: Compilation, part: object): number {
  const slot = compilation.valueIndexes.get(part)
  if (slot === undefined)
    throw new Error('A part of the query was compiled without its shape having been read.')
  return slot
}
