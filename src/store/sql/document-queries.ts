import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { compileFind } from './compile-condition-statements.ts'
import type { DocumentDialect } from './document-dialect.ts'
import { DocumentList } from './document-list.ts'
import { type Queries, readQueries } from './queries.ts'
import type { Planners, ReadStrategy } from './read-strategy.ts'
import { listAlias, whereSql } from './row-source.ts'
import { prepareQueries, type Statement } from './statement-cache.ts'
import type { DocumentTable, TableOf } from './table.ts'

/** A target of a to-many relation. */
export interface RelationMember {
  /** The relation's name. */
  readonly relation: string
  readonly target: string
}

/** The statements that read documents. */
export interface DocumentQueries<S extends ReadStrategy> extends Queries<S> {
  list(model: ModelDescription, plan: QueryPlan): DocumentList<S>
  /** The hash of the item that `find` finds. */
  version(model: ModelDescription, condition: Condition): Statement
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

export function documentQueries<S extends ReadStrategy>(
  dialect: DocumentDialect,
  tableOf: TableOf<DocumentTable>,
  planners: Planners<S>,
): DocumentQueries<S> {
  const prepared = prepareQueries(dialect, tableOf, planners)
  return {
    ...readQueries(dialect, tableOf, prepared),

    list: (model, plan) => new DocumentList(dialect, prepared.plans(model, plan)),

    version: (model, condition) =>
      prepared
        .conditions(model, condition)
        .statement('version', (compilation, copy) =>
          compileFind(compilation, tableOf(model), copy, [`${listAlias}."hash"`]),
        ),

    ownersOf(model, { relation, target }, from, count) {
      const table = tableOf(model)
      const [targetMark, countMark, fromMark] = [1, 2, 3].map(dialect.placeholder)
      const afterFrom = from === undefined ? '' : ` and s.owner > ${fromMark}`
      const source = dialect.joinInOrder(
        `${table.joinTables.get(relation)!.sql} s`,
        `${table.sql} t`,
        't.id = s.owner',
      )
      const rows = `select ${table.itemExpressions('t').join(', ')} from ${source} where s.target = ${targetMark}${afterFrom} order by s.owner limit ${countMark}`
      const sql = `select * from (${rows}) r${whereSql(table.rowCheck!('r'))}`
      return { sql, parameters: from === undefined ? [target, count] : [target, count, from] }
    },
  }
}
