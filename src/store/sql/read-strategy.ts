import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { Row } from './rows.ts'
import type { ReadableTable, TableOf } from './table.ts'

/**
 * How a statement is to read its table. Engines that choose access paths by themselves need no more
 * than a name.
 */
export interface ReadStrategy {
  /** Statements of one query shape differ by the name of their strategy. */
  readonly name: string
  /** The part of the condition for which an index finds rows. `probe` counts them. */
  readonly lookup?: Condition | undefined
  /** So many rows of the lookup are read at once, whatever else finds fewer. */
  readonly cheapRows?: number
  /** Does no other part of the query find fewer rows, however many the lookup finds? */
  readonly looksUpMany?: boolean
  /** An index has the order of the plan: its first rows may fill the page. */
  readonly canTrialScan?: boolean
  /**
   * Is the lookup read where a trial scan does not fill the page, however many rows it finds?
   * Default: what the engine chooses.
   */
  readonly looksUpAfterTrial?: boolean
  /**
   * Says what the engine expects of the lookup, where it has statistics; 'unknown' where these say
   * nothing about it.
   */
  readonly estimate?: RowEstimate | 'unknown'
  /** An index has the rows in the order of the plan. */
  readonly isIndexScan?: boolean
  /** Find and sort the ids first, and read the rows after that. */
  readonly idsFirst?: boolean
  /** May the engine read many rows? For engines that tell long statements from others. */
  readonly isLong?: boolean
}

/** A statement about queries, which does not run them, and how its row is read. */
export interface RowEstimate {
  sql(queries: readonly string[]): string
  /** How many rows the engine expects of each. */
  rowsOf(row: Row): readonly number[]
}

/** Chooses the strategy of a query, and with it what else a store decides about the query. */
export type Planner<Q, S extends ReadStrategy> = (
  table: ReadableTable,
  query: Q,
  /** The strategy of the last query of the same shape; values such as an offset may differ. */
  cached: S | undefined,
  tableOf: TableOf,
) => S

/** How a store chooses the strategies of its reads. */
export interface Planners<S extends ReadStrategy> {
  readonly condition: Planner<Condition, S>
  readonly plan: Planner<QueryPlan, S>
}
