import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { Table, TableOf } from './table.ts'

/**
 * How a statement is to read its table. Engines that choose access paths by themselves need no more
 * than a name.
 */
export interface ReadStrategy {
  /** Statements of one query shape differ by the name of their strategy. */
  readonly name: string
  /** The part of the condition for which an index finds rows. `probe` counts them. */
  readonly lookup?: Condition | undefined
  /** Does no other part of the query find fewer rows, however many the lookup finds? */
  readonly looksUpMany?: boolean
  /** An index has the rows in the order of the plan. */
  readonly isIndexScan?: boolean
  /** Find and sort the ids first, and read the rows after that. */
  readonly idsFirst?: boolean
  /** May the engine read many rows? For engines that tell long statements from others. */
  readonly isLong?: boolean
}

/** Chooses the strategy of a query, and with it what else a store decides about the query. */
export type Planner<Q, S extends ReadStrategy> = (
  table: Table,
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
