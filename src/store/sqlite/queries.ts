import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import { compileFind } from '../sql/compile-plan.ts'
import type { TableOf } from '../sql/table.ts'
import { type CountQuery, countQuery } from './count-query.ts'
import { byteLimitCheck } from './dialect.ts'
import { type ListQuery, PreparedListQuery } from './list-query.ts'
import { type RelatedQuery, relatedQueries } from './related-query.ts'
import { itemColumns } from './rows.ts'
import { conditionQueries, planQueries, type Statement, statementCache } from './statement-cache.ts'

/** A target of a to-many relation. */
export interface RelationMember {
  /** The relation's name. */
  readonly relation: string
  readonly target: string
}

/** Prepares the statements of conditions and plans. */
export interface Queries {
  find(model: ModelDescription, condition: Condition): Statement
  /** The hash of the item that `find` finds. */
  version(model: ModelDescription, condition: Condition): Statement
  list(model: ModelDescription, plan: QueryPlan): ListQuery
  count(model: ModelDescription, condition: Condition): CountQuery
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
  /** The id `count` ids after this one, if there is one. */
  idRangeEnd(model: ModelDescription, from: string | undefined, count: number): Statement
}

export function queries(tableOf: TableOf): Queries {
  const conditions = statementCache(conditionQueries, tableOf)
  const plans = statementCache(planQueries, tableOf)
  return {
    find: (model, condition) =>
      conditions(tableOf(model), condition).statement('find', (compilation, copy) =>
        compileFind(compilation, tableOf(model), copy, itemColumns(model)),
      ),

    version: (model, condition) =>
      conditions(tableOf(model), condition).statement('version', (compilation, copy) =>
        compileFind(compilation, tableOf(model), copy, ['"hash"']),
      ),

    list: (model, plan) => new PreparedListQuery(model, plans(tableOf(model), plan)),

    related: relatedQueries(tableOf, plans),

    ownersOf(model, { relation, target }, from, count) {
      const table = tableOf(model)
      const columns = itemColumns(model).map((column) => `t.${column}`)
      const afterFrom = from === undefined ? '' : ' and s.owner > ?3'
      const source = `${table.joinTables.get(relation)!.sql} s cross join ${table.sql} t on t.id = s.owner`
      const rows = `select ${columns.join(', ')} from ${source} where s.target = ?1${afterFrom} order by s.owner limit ?2`
      const sql = `select * from (${rows}) where ${byteLimitCheck('octet_length("text")')}`
      return { sql, parameters: from === undefined ? [target, count] : [target, count, from] }
    },

    idRangeEnd(model, from, count) {
      const where = from === undefined ? '' : ' where id > ?1'
      const sql = `select id from ${tableOf(model).sql}${where} order by id limit 1 offset ${count - 1}`
      return { sql, parameters: from === undefined ? [] : [from] }
    },

    count: (model, condition) => countQuery(conditions(tableOf(model), condition)),
  }
}
