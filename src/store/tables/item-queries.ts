import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { compileCount, compileFind } from '../sql/compile-condition-statements.ts'
import { valueMark } from '../sql/compiled-statement.ts'
import { type Queries, readQueries } from '../sql/queries.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import { listAlias } from '../sql/row-source.ts'
import type { PreparedQueries, Statement } from '../sql/statement-cache.ts'
import type { TableOf } from '../sql/table.ts'
import type { ExpectedCount } from '../store-transaction.ts'
import {
  type ComparableCodecs,
  comparableCondition,
  comparableGroups,
  comparablePlan,
} from './comparable-condition.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'

/** The statements that read items from ordinary tables, and lock and check them. */
export interface ItemQueries extends Queries<ReadStrategy> {
  /** Locks the rows that satisfy the condition until the end of the transaction. */
  lock(model: ModelDescription, condition: Condition): Statement
  /** The same in the order of their ids, which it reads. */
  lockInOrder(model: ModelDescription, condition: Condition): Statement
  /** Fails if there is no such item, so that nothing after it runs. */
  findOrFail(model: ModelDescription, condition: Condition): Statement
  /** Fails unless the row of the item has its `writtenForm`. */
  failUnlessWritten(model: ModelDescription, item: StoredItem, version: string): Statement
  /** Statements that fail if a count is lower, so that nothing after them runs. */
  assertCounts(counts: readonly ExpectedCount[]): readonly Statement[]
}

/** SQL has no assertions; a division by zero ends the statement. */
function failUnless(condition: string): string {
  return `1 / (case when ${condition} then 1 else 0 end)`
}

/** A statement with more counts is long, and others hardly have the same one. */
const maxCountsPerStatement = 4

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
  const conditions: PreparedQueries<ReadStrategy>['conditions'] = (model, condition) =>
    prepared.conditions(model, comparableCondition(codecs, model, condition))
  const plans: PreparedQueries<ReadStrategy>['plans'] = (model, plan) =>
    prepared.plans(model, comparablePlan(codecs, model, plan))
  const groups: PreparedQueries<ReadStrategy>['groups'] = (model, plan) =>
    prepared.groups(model, comparableGroups(codecs, model, plan))
  const items = (model: ModelDescription) => tableOf(model).itemExpressions(listAlias)
  const assertion = (counts: readonly ExpectedCount[]): Statement => {
    const parameters: unknown[] = []
    const comparisons = counts.map(({ model, condition, atLeast }) => {
      const prepared = conditions(model, condition)
      const leastMark = valueMark(prepared.nextValueIndex)
      const comparison = prepared.statement(
        `count is met after ${parameters.length}`,
        (compilation, copy) => {
          const count = compileCount(compilation, tableOf(model), copy)
          return `(${count}) >= cast(${leastMark} as bigint)`
        },
        [atLeast],
        parameters.length,
      )
      parameters.push(...comparison.parameters)
      return comparison.sql
    })
    return { sql: `select ${failUnless(comparisons.join(' and '))}`, parameters }
  }
  return {
    ...readQueries(dialect, tableOf, { conditions, plans, groups }),

    lock: (model, condition) =>
      conditions(model, condition).statement(
        'lock',
        (compilation, copy) =>
          compileFind(compilation, tableOf(model), copy, ['1']) + engine.lockRows,
      ),

    lockInOrder: (model, condition) =>
      conditions(model, condition).statement('lock in order', (compilation, copy) => {
        const table = tableOf(model)
        const { key } = table
        const rows = compileFind(compilation, table, copy, [key.select(listAlias)])
        return `${rows} order by ${key.of(listAlias).join(', ')}${engine.lockRows}`
      }),

    findOrFail: (model, condition) =>
      conditions(model, condition).statement('find or fail', (compilation, copy) => {
        const table = tableOf(model)
        const check = failUnless(`${table.id(listAlias)} is not null`)
        const holds = compilation.compileCondition(table, listAlias, copy)
        return `select ${[...items(model), check].join(', ')} from (select 1) s left join ${table.sql} ${listAlias} on ${holds}`
      }),

    failUnlessWritten(model, item, version) {
      const form = tableOf(model).writtenForm!
      const prepared = conditions(model, idEquals(item.id))
      return prepared.statement(
        'fail unless written',
        (compilation, copy) => {
          const table = tableOf(model)
          const isWritten = form
            .cells(listAlias)
            .map((cell, index) =>
              engine.isExactly(cell, valueMark(prepared.nextValueIndex + index)),
            )
          const holds = compilation.compileCondition(table, listAlias, copy)
          return `select ${failUnless(isWritten.join(' and '))} from (select 1) s left join ${table.sql} ${listAlias} on ${holds}`
        },
        form.textsOf(item, version),
      )
    },

    assertCounts: (counts) =>
      Array.from({ length: Math.ceil(counts.length / maxCountsPerStatement) }, (_, index) =>
        assertion(counts.slice(index * maxCountsPerStatement, (index + 1) * maxCountsPerStatement)),
      ),
  }
}
