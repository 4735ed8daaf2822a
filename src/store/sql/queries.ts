import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { GroupPlan } from '../../query/group-plan.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { ItemCount } from '../store-transaction.ts'
import { compileFind } from './compile-condition-statements.ts'
import { type CountQuery, countQuery } from './count-query.ts'
import type { Dialect } from './dialect.ts'
import { GroupQuery } from './group-query.ts'
import { ListQuery } from './list-query.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { RelatedQuery } from './related-query.ts'
import { listAlias } from './row-source.ts'
import type { PreparedQueries, Statement } from './statement-cache.ts'
import type { ReadableTable, TableOf } from './table.ts'

/** The statements that read items, compiled once for all conditions and plans of one shape. */
export interface Queries<S extends ReadStrategy> {
  readonly tableOf: TableOf<ReadableTable>
  find(model: ModelDescription, condition: Condition): Statement
  list(model: ModelDescription, plan: QueryPlan): ListQuery<S>
  count(model: ModelDescription, condition: Condition): CountQuery<S>
  /** One row with all of the counts. */
  countEach(counts: readonly ItemCount[]): Statement
  groups(model: ModelDescription, plan: GroupPlan): GroupQuery<S>
  related(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): RelatedQuery<S>
}

export function readQueries<S extends ReadStrategy>(
  dialect: Dialect,
  tableOf: TableOf<ReadableTable>,
  { conditions, plans, groups }: PreparedQueries<S>,
): Queries<S> {
  return {
    tableOf,

    find: (model, condition) =>
      conditions(model, condition).statement('find', (compilation, copy) => {
        const table = tableOf(model)
        return compileFind(compilation, table, copy, table.itemExpressions(listAlias))
      }),

    list: (model, plan) => new ListQuery(dialect, plans(model, plan)),

    related: (model, relation, owners, plan) =>
      new RelatedQuery({ dialect, tableOf, plans }, { model, relation, owners, plan }),

    count: (model, condition) => countQuery(conditions(model, condition)),

    groups: (model, plan) => new GroupQuery(dialect, groups(model, plan), plan),

    countEach(counts) {
      const parameters: unknown[] = []
      const parts = counts.map(({ model, condition }) => {
        const part = countQuery(conditions(model, condition)).count(parameters.length)
        parameters.push(...part.parameters)
        return `(${part.sql})`
      })
      return { sql: `select ${parts.join(', ')}`, parameters }
    },
  }
}
