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

/** What a relation to many holds. */
export interface RelationMember {
  /** The relation's name. */
  readonly relation: string
  readonly target: string
}

/** Makes statements of conditions and plans. */
export interface Queries {
  find(model: ModelDescription, condition: Condition): Statement
  /** The hash alone of what `find` finds. */
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
   * So many of the items whose relation to many holds the target, from this id on; broken off where
   * their texts come to too many bytes.
   */
  ownersOf(
    model: ModelDescription,
    { relation, target }: RelationMember,
    from: string | undefined,
    count: number,
  ): Statement
  /** The id that is so many ids further on, if there is one. */
  idRangeEnd(model: ModelDescription, from: string | undefined, count: number): Statement
}

export function queries(tableOf: TableOf): Queries {
  const conditions = statementCache(conditionQueries, tableOf)
  const plans = statementCache(planQueries, tableOf)
  return {
    find: (model, condition) =>
      conditions(tableOf(model), condition).statement('find', (parts, question) =>
        compileFind(parts, tableOf(model), question, itemColumns(model)),
      ),

    version: (model, condition) =>
      conditions(tableOf(model), condition).statement('version', (parts, question) =>
        compileFind(parts, tableOf(model), question, ['"hash"']),
      ),

    list: (model, plan) => new PreparedListQuery(model, plans(tableOf(model), plan)),

    related: relatedQueries(tableOf, plans),

    ownersOf(model, { relation, target }, from, count) {
      const table = tableOf(model)
      const columns = itemColumns(model).map((column) => `t.${column}`)
      const further = from === undefined ? '' : ' and s.owner > ?3'
      const source = `${table.joinTables.get(relation)!.sql} s cross join ${table.sql} t on t.id = s.owner`
      const rows = `select ${columns.join(', ')} from ${source} where s.target = ?1${further} order by s.owner limit ?2`
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
