import type { ManyRelation, ModelDescription } from '../../model/description.ts'
import type { Condition, QueryPlan, SlicePlan } from '../../query/query-plan.ts'
import { compileFind } from '../sql/compile-plan.ts'
import type { TableOf } from '../sql/table.ts'
import { asking, ofConditions, ofPlans, type Statement } from './asking.ts'
import { type CountQuestion, countQuestion } from './count-question.ts'
import { fits } from './dialect.ts'
import { AskedList, type ListQuestion } from './list-question.ts'
import { type RelatedQuestion, relatedQuestions } from './related-question.ts'
import { columnsOf } from './rows.ts'

/** What a relation to many holds. */
export interface HeldTarget {
  /** The relation's name. */
  readonly relation: string
  readonly target: string
}

/** Makes statements of conditions and plans. */
export interface Queries {
  find(model: ModelDescription, condition: Condition): Statement
  /** The hash alone of what `find` finds. */
  version(model: ModelDescription, condition: Condition): Statement
  list(model: ModelDescription, plan: QueryPlan): ListQuestion
  count(model: ModelDescription, condition: Condition): CountQuestion
  related(model: ModelDescription, relation: ManyRelation, owners: readonly string[], plan: SlicePlan): RelatedQuestion
  /** So many of the items whose relation to many holds the target, from this id on; broken off where their texts come to too many bytes. */
  holders(model: ModelDescription, { relation, target }: HeldTarget, from: string | undefined, count: number): Statement
  /** The id that is so many ids further on, if there is one. */
  boundary(model: ModelDescription, from: string | undefined, count: number): Statement
}

export function queries(tableOf: TableOf): Queries {
  const conditions = asking(ofConditions, tableOf)
  const plans = asking(ofPlans, tableOf)
  return {
    find: (model, condition) =>
      conditions(tableOf(model), condition).statement('find', (parts, question) =>
        compileFind(parts, tableOf(model), question, columnsOf(model)),
      ),

    version: (model, condition) =>
      conditions(tableOf(model), condition).statement('version', (parts, question) =>
        compileFind(parts, tableOf(model), question, ['"hash"']),
      ),

    list: (model, plan) => new AskedList(model, plans(tableOf(model), plan)),

    related: relatedQuestions(tableOf, plans),

    holders(model, { relation, target }, from, count) {
      const table = tableOf(model)
      const columns = columnsOf(model).map((column) => `t.${column}`)
      const further = from === undefined ? '' : ' and s.owner > ?3'
      const source = `${table.sides.get(relation)!.sql} s cross join ${table.sql} t on t.id = s.owner`
      const rows = `select ${columns.join(', ')} from ${source} where s.target = ?1${further} order by s.owner limit ?2`
      const sql = `select * from (${rows}) where ${fits('octet_length("text")')}`
      return { sql, parameters: from === undefined ? [target, count] : [target, count, from] }
    },

    boundary(model, from, count) {
      const where = from === undefined ? '' : ' where id > ?1'
      const sql = `select id from ${tableOf(model).sql}${where} order by id limit 1 offset ${count - 1}`
      return { sql, parameters: from === undefined ? [] : [from] }
    },

    count: (model, condition) => countQuestion(conditions(tableOf(model), condition)),
  }
}
