import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { ItemCount } from '../store-transaction.ts'
import { compileFind } from './compile-condition-statements.ts'
import { whereSql } from './compile-plan.ts'
import { type CountQuery, countQuery } from './count-query.ts'
import type { DocumentDialect } from './document-dialect.ts'
import { ListQuery } from './list-query.ts'
import type { Planners, ReadStrategy } from './read-strategy.ts'
import { type RelatedQuery, relatedQueries } from './related-query.ts'
import { itemColumns } from './rows.ts'
import { prepareQueries, type Statement } from './statement-cache.ts'
import type { TableOf } from './table.ts'

/** A target of a to-many relation. */
export interface RelationMember {
  /** The relation's name. */
  readonly relation: string
  readonly target: string
}

/** Prepares the statements of conditions and plans. */
export interface Queries<S extends ReadStrategy> {
  find(model: ModelDescription, condition: Condition): Statement
  /** The hash of the item that `find` finds. */
  version(model: ModelDescription, condition: Condition): Statement
  list(model: ModelDescription, plan: QueryPlan): ListQuery<S>
  count(model: ModelDescription, condition: Condition): CountQuery<S>
  /** One row with all of the counts. */
  countEach(counts: readonly ItemCount[]): Statement
  related(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): RelatedQuery
  /**
   * The items whose to-many relation holds the target, `count` of them after this id. Aborts above
   * the byte limit.
   */
  ownersOf(
    model: ModelDescription,
    { relation, target }: RelationMember,
    from: string | undefined,
    count: number,
  ): Statement
}

export function queries<S extends ReadStrategy>(
  dialect: DocumentDialect,
  tableOf: TableOf,
  planners: Planners<S>,
): Queries<S> {
  const { conditions, plans } = prepareQueries(dialect, tableOf, planners)
  return {
    find: (model, condition) =>
      conditions(tableOf(model), condition).statement('find', (compilation, copy) =>
        compileFind(compilation, tableOf(model), copy, itemColumns(model)),
      ),

    version: (model, condition) =>
      conditions(tableOf(model), condition).statement('version', (compilation, copy) =>
        compileFind(compilation, tableOf(model), copy, ['"hash"']),
      ),

    list: (model, plan) => new ListQuery(dialect, model, plans(tableOf(model), plan)),

    related: relatedQueries(dialect, tableOf, plans),

    ownersOf(model, { relation, target }, from, count) {
      const table = tableOf(model)
      const columns = itemColumns(model).map((column) => `t.${column}`)
      const [targetMark, countMark, fromMark] = [1, 2, 3].map(dialect.placeholder)
      const afterFrom = from === undefined ? '' : ` and s.owner > ${fromMark}`
      const source = dialect.joinInOrder(
        `${table.joinTables.get(relation)!.sql} s`,
        `${table.sql} t`,
        't.id = s.owner',
      )
      const rows = `select ${columns.join(', ')} from ${source} where s.target = ${targetMark}${afterFrom} order by s.owner limit ${countMark}`
      const sql = `select * from (${rows}) r${whereSql(dialect.byteLimitCheck('octet_length("text")'))}`
      return { sql, parameters: from === undefined ? [target, count] : [target, count, from] }
    },

    count: (model, condition) => countQuery(conditions(tableOf(model), condition)),

    countEach(counts) {
      const parameters: unknown[] = []
      const parts = counts.map(({ model, condition }) => {
        const part = countQuery(conditions(tableOf(model), condition)).count(parameters.length)
        parameters.push(...part.parameters)
        return `(${part.sql})`
      })
      return { sql: `select ${parts.join(', ')}`, parameters }
    },
  }
}
