import type { RowEstimate } from '../sql/read-strategy.ts'

interface PlanNode {
  readonly 'Plan Rows': number
  readonly 'Parent Relationship'?: string
  readonly Plans?: readonly PlanNode[]
}

/** More rows than any query has. With a limit, the workers of a query do not share its rows. */
const limit = 'limit 9223372036854775807'

/**
 * What the planner expects of queries, as the parts of one. It plans them with the values of their
 * parameters, and runs none.
 */
export const postgresRowEstimate: RowEstimate = Object.freeze({
  sql: (queries) =>
    `explain (format json) ${queries.map((query) => `(${query} ${limit})`).join(' union all ')}`,
  rowsOf([json]) {
    const [{ Plan: union }] = JSON.parse(String(json)) as [{ Plan: PlanNode }]
    return (union.Plans ?? [])
      .filter((part) => part['Parent Relationship'] === 'Member')
      .map((part) => part['Plan Rows'])
  },
} satisfies RowEstimate)
