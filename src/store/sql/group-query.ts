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
  isSummedAtOnce,
  type SumForm,
} from './compile-groups.ts'
import type { Dialect } from './dialect.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { type Row, scalarOfColumn } from './rows.ts'
import { searchToLookUp } from './search-lookup.ts'
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

  /** Undefined where no sum has a quick form. */
  readQuickly(): Statement | undefined {
    const isQuick = this.#plan.aggregates.some(
      ({ function: name }, index) =>
        name === 'sum' && isSummedAtOnce(this.#dialect, 'quick', this.#types.values[index]!),
    )
    return isQuick ? this.#read('quick') : undefined
  }

  /** Has the quick statement failed because a sum is too large for it? */
  isOverflow(error: unknown): boolean {
    return this.#dialect.quickSum?.isOverflow(error) === true
  }

  read(): Statement {
    return this.#read('exact')
  }

  /** Undefined where the rows of the quick form are not exact. */
  openGroups(rows: readonly Row[], form: SumForm): readonly OpenGroup[] | undefined {
    const groups: OpenGroup[] = []
    for (const row of rows) {
      const group = this.#openGroup(row, form)
      if (!group) return undefined
      groups.push(group)
    }
    return groups
  }

  /** Statements for the values that are left out, each with its function. */
  leftOut(): readonly (readonly [functionIndex: number, statement: Statement])[] {
    const { table } = this.#prepared
    return Array.from(this.#incomplete, (index) => [
      index,
      this.#prepared.statement(`left out of ${index}`, (compilation, plan, strategy) =>
        compileLeftOut(compilation, table, plan, index, searchToLookUp(strategy)),
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

  #read(form: SumForm): Statement {
    const { table } = this.#prepared
    return this.#prepared.statement(`groups, ${form}`, (compilation, plan, strategy) =>
      compileGroups(compilation, table, plan, form, searchToLookUp(strategy)),
    )
  }

  #openGroup(row: Row, form: SumForm): OpenGroup | undefined {
    const keyCount = this.#plan.by.length
    let column = keyCount + 1
    let isExact = true
    const results = this.#plan.aggregates.map(({ function: name }, index): OpenResult => {
      const type = this.#types.values[index]!
      if (name === 'countDistinct') return { function: name, count: Number(row[column++]) }
      if (name !== 'sum') {
        const value: Scalar = scalarOfColumn(row[column++])
        return { function: name, value: canonicalValue(type, value) }
      }
      if (isSummedAtOnce(this.#dialect, form, type)) {
        const [count, sum] = row.slice(column)
        column += 2
        if (sum === null) isExact = false
        return {
          function: name,
          count: Number(count),
          sum: { digits: BigInt(String(sum ?? 0)), scale: 0 },
        }
      }
      const { columns, read, rest } = exactSumOf(this.#dialect, type)
      const [count, ...sums] = row.slice(column, column + columns.length)
      column += columns.length
      if (rest && Number(row[column++]) > 0) this.#incomplete.add(index)
      return { function: name, count: Number(count), sum: read(sums) }
    })
    return isExact
      ? { keys: row.slice(0, keyCount), count: Number(row[keyCount]), results }
      : undefined
  }
}
