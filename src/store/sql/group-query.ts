import { addDecimals, type DecimalNumber, decimalToText } from '../../query/decimal-number.ts'
import type { AggregateResult, GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { canonicalValue } from '../groups/canonical-value.ts'
import { fromLimb } from '../groups/decimal-limbs.ts'
import {
  compileGroups,
  compileLeftOut,
  exactSumOf,
  type GroupTypes,
  groupTypes,
} from './compile-groups.ts'
import type { Dialect } from './dialect.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { type Row, scalarOfColumn } from './rows.ts'
import { type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

/** A sum of a group that lacks the values that SQL left out. */
interface OpenSum {
  readonly function: 'sum'
  readonly count: number
  sum: DecimalNumber
}

type OpenResult = OpenSum | Exclude<AggregateResult, { function: 'sum' }>

/** A group as its row has it. */
export interface OpenGroup {
  readonly keys: readonly unknown[]
  readonly count: number
  readonly results: readonly OpenResult[]
}

/** The statements of a plan of groups, and how their rows are read. */
export class GroupQuery<S extends ReadStrategy> implements SqlQuery<S> {
  readonly strategy: S
  readonly probe: SqlQuery<S>['probe']
  readonly #dialect: Dialect
  readonly #prepared: PreparedQuery<GroupPlan, S>
  readonly #plan: GroupPlan
  readonly #types: GroupTypes
  /** The functions of which SQL leaves values out. */
  readonly #incomplete = new Set<number>()

  constructor(dialect: Dialect, prepared: PreparedQuery<GroupPlan, S>, plan: GroupPlan) {
    const { strategy, probe } = sqlQuery(prepared)
    this.strategy = strategy
    this.probe = probe
    this.#dialect = dialect
    this.#prepared = prepared
    this.#plan = plan
    this.#types = groupTypes(prepared.table, plan)
  }

  read(): Statement {
    const { table } = this.#prepared
    return this.#prepared.statement('groups', (compilation, plan) =>
      compileGroups(compilation, table, plan),
    )
  }

  openGroups(rows: readonly Row[]): readonly OpenGroup[] {
    return rows.map((row) => this.#openGroup(row))
  }

  /** Statements for the values that are left out, each with its function. */
  leftOut(): readonly (readonly [functionIndex: number, statement: Statement])[] {
    const { table } = this.#prepared
    return Array.from(this.#incomplete, (index) => [
      index,
      this.#prepared.statement(`left out of ${index}`, (compilation, plan) =>
        compileLeftOut(compilation, table, plan, index),
      ),
    ])
  }

  /** Adds the rows of such a statement to the groups. */
  addLeftOut(groups: readonly OpenGroup[], functionIndex: number, rows: readonly Row[]): void {
    const byKeys = new Map(groups.map((group) => [JSON.stringify(group.keys), group]))
    const keyCount = this.#plan.by.length
    for (const row of rows) {
      const group = byKeys.get(JSON.stringify(row.slice(0, keyCount)))
      const result = group?.results[functionIndex]
      if (result?.function !== 'sum') continue
      const limb = fromLimb(Number(row[keyCount]), BigInt(String(row[keyCount + 1])))
      result.sum = addDecimals(result.sum, limb)
    }
  }

  groupsOf(groups: readonly OpenGroup[]): readonly ItemGroup[] {
    return groups.map(({ keys, count, results }) => ({
      keys: keys.map((key, index) => canonicalValue(this.#types.keys[index]!, scalarOfColumn(key))),
      count,
      results: results.map((result) =>
        result.function === 'sum' ? { ...result, sum: decimalToText(result.sum) } : result,
      ),
    }))
  }

  #openGroup(row: Row): OpenGroup {
    const keyCount = this.#plan.by.length
    let column = keyCount + 1
    const results = this.#plan.aggregates.map(({ function: name }, index): OpenResult => {
      const type = this.#types.values[index]!
      if (name === 'countDistinct') return { function: name, count: Number(row[column++]) }
      if (name !== 'sum') {
        const value: Scalar = scalarOfColumn(row[column++])
        return { function: name, value: canonicalValue(type, value) }
      }
      const { columns, read, rest } = exactSumOf(this.#dialect, type, '', '')
      const [count, ...sums] = row.slice(column, column + columns.length)
      column += columns.length
      if (rest && Number(row[column++]) > 0) this.#incomplete.add(index)
      return { function: name, count: Number(count), sum: read(sums) }
    })
    return { keys: row.slice(0, keyCount), count: Number(row[keyCount]), results }
  }
}
