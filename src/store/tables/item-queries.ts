import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { Compilation } from '../sql/compilation.ts'
import { perRowCompilation } from '../sql/compile-condition.ts'
import { compileCount } from '../sql/compile-condition-statements.ts'
import { compileSelect, listAlias, whereSql } from '../sql/compile-plan.ts'
import { compileRelatedPages, relationSourceOf } from '../sql/compile-related.ts'
import { valueMark } from '../sql/compiled-statement.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { TableOf } from '../sql/table.ts'
import type { ExpectedCount } from '../store-transaction.ts'
import {
  type ComparableCodecs,
  comparableCondition,
  comparablePlan,
} from './comparable-condition.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'

/** The statements that read items from ordinary tables. */
export interface ItemQueries {
  find(model: ModelDescription, condition: Condition): Statement
  /** Locks the rows that satisfy the condition until the end of the transaction. */
  lock(model: ModelDescription, condition: Condition): Statement
  /** The same in the order of their ids, which it reads. */
  lockInOrder(model: ModelDescription, condition: Condition): Statement
  /** Fails if there is no such item, so that nothing after it runs. */
  findOrFail(model: ModelDescription, condition: Condition): Statement
  count(model: ModelDescription, condition: Condition): Statement
  /** Fails if the count is not as expected, so that nothing after it runs. */
  assertCount(count: ExpectedCount): Statement
  /** The items of a plan, each followed by the values of its sort keys. */
  rows(model: ModelDescription, plan: QueryPlan): Statement
  /** The ids of a plan in order. */
  ids(model: ModelDescription, plan: QueryPlan): Statement
  /** The items with these ids that satisfy the condition, in the order of the ids. */
  byIds(model: ModelDescription, condition: Condition, ids: readonly string[]): Statement
  /** The items of each page, the values of their sort keys, and the owner. */
  relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): Statement
}

/** SQL has no assertions; a division by zero ends the statement. */
function failUnless(condition: string): string {
  return `1 / (case when ${condition} then 1 else 0 end)`
}

function comparableCodecs({ codecs }: Engine, tableOf: TableOf<ItemTable>): ComparableCodecs {
  return {
    values: codecs,
    ofId: (model) => tableOf(model).idCodec,
    ofField: (model, field) => tableOf(model).codecOf(field),
  }
}

export function itemQueries(engine: Engine, tableOf: TableOf<ItemTable>): ItemQueries {
  const { dialect } = engine
  const codecs = comparableCodecs(engine, tableOf)
  const prepared = engine.prepareQueries(tableOf)
  const conditions = (model: ModelDescription, condition: Condition) =>
    prepared.conditions(tableOf(model), comparableCondition(codecs, model, condition))
  const plans = (model: ModelDescription, plan: QueryPlan) =>
    prepared.plans(tableOf(model), comparablePlan(codecs, model, plan))
  const items = (model: ModelDescription) => tableOf(model).itemExpressions(listAlias)
  const where = (
    compilation: Compilation,
    model: ModelDescription,
    selected: readonly string[],
    condition: Condition,
  ) => {
    const table = tableOf(model)
    const sql = whereSql(compilation.compileCondition(table, listAlias, condition))
    return `select ${selected.join(', ')} from ${table.sql} ${listAlias}${sql}`
  }
  return {
    find: (model, condition) =>
      conditions(model, condition).statement('find', (compilation, copy) =>
        where(compilation, model, items(model), copy),
      ),

    lock: (model, condition) =>
      conditions(model, condition).statement(
        'lock',
        (compilation, copy) => where(compilation, model, ['1'], copy) + engine.lockRows,
      ),

    lockInOrder: (model, condition) =>
      conditions(model, condition).statement('lock in order', (compilation, copy) => {
        const { key } = tableOf(model)
        const rows = where(compilation, model, [key.select(listAlias)], copy)
        return `${rows} order by ${key.of(listAlias).join(', ')}${engine.lockRows}`
      }),

    findOrFail: (model, condition) =>
      conditions(model, condition).statement('find or fail', (compilation, copy) => {
        const table = tableOf(model)
        const check = failUnless(`${table.id(listAlias)} is not null`)
        const holds = compilation.compileCondition(table, listAlias, copy)
        return `select ${[...items(model), check].join(', ')} from (select 1) s left join ${table.sql} ${listAlias} on ${holds}`
      }),

    assertCount({ model, condition, expected }) {
      const prepared = conditions(model, condition)
      const expectedMark = valueMark(prepared.nextValueIndex)
      return prepared.statement(
        'assert count',
        (compilation, copy) => {
          const count = compileCount(compilation, tableOf(model), copy)
          return `select ${failUnless(`(${count}) = cast(${expectedMark} as bigint)`)}`
        },
        [expected],
      )
    },

    count: (model, condition) =>
      conditions(model, condition).statement('count', (compilation, copy) =>
        compileCount(compilation, tableOf(model), copy),
      ),

    rows: (model, plan) =>
      plans(model, plan).statement('rows', (compilation, copy, { isIndexScan, idsFirst }) =>
        compileSelect(compilation, tableOf(model), copy, {
          columns: [],
          expressions: items(model),
          includesPositions: true,
          isOutermost: true,
          isIndexScan: isIndexScan === true,
          omitsKeys: true,
          // Each row would be joined with all rows of its id.
          idsFirst: idsFirst === true && tableOf(model).hasUniqueIds,
        }),
      ),

    ids: (model, plan) =>
      plans(model, plan).statement('ids', (compilation, copy, { isIndexScan }) =>
        compileSelect(compilation, tableOf(model), copy, {
          columns: [],
          expressions: [tableOf(model).key.select(listAlias)],
          isOutermost: true,
          isIndexScan: isIndexScan === true,
          omitsKeys: true,
        }),
      ),

    byIds(model, condition, ids) {
      const prepared = conditions(model, condition)
      const source = dialect.listWithPositions(valueMark(prepared.nextValueIndex))
      return prepared.statement(
        'by ids',
        (compilation, copy) => {
          const table = tableOf(model)
          const rows = perRowCompilation(compilation)
          const holds = rows.compileCondition(table, listAlias, copy)
          const from = dialect.joinByIndex(
            `(${source}) s`,
            table.sql,
            listAlias,
            `${table.id(listAlias)} = ${table.idCodec.form.operand('s.id')}`,
          )
          return `select ${items(model).join(', ')} from ${from}${whereSql(holds)} order by s.position`
        },
        [dialect.binder.list(ids)],
      )
    },

    relatedPages(model, relation, owners, plan) {
      const { relatedModel } = relation
      const prepared = plans(relatedModel, plan)
      return prepared.statement(
        `pages ${model.name}.${relation.name}`,
        (compilation, copy) =>
          compileRelatedPages(compilation, tableOf(relatedModel), copy, {
            columns: [],
            expressions: items(relatedModel),
            source: relationSourceOf(tableOf, model, relation),
            ownersIndex: prepared.nextValueIndex,
          }),
        [dialect.binder.list(owners)],
      )
    },
  }
}
