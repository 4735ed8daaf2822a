import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { valueMark } from './compiled-statement.ts'
import { isColumnPath } from './index-scan.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql, anyOfSql } from './logic.ts'
import { isNullSql } from './null-sql.ts'
import { anyRange, orderKeys, pageRangeSql } from './page-range-sql.ts'
import type { Column, Table } from './table.ts'

/** The alias of the rows that an index of the column has first. */
const firstAlias = 'u'

/** The alias of the row with the last of their values. */
const lastAlias = 'w'

/** A row to read first, and a condition on the rows of the list and this one. */
export interface FirstRowsRange {
  readonly source: string
  readonly condition: string
}

/**
 * The range of a column that holds the first rows of a list, which is sorted by values computed
 * from the column. An index of the column has about their order: no value of the page is beyond the
 * last value of as many rows as it has, whichever these are. Undefined where no
 * index says so.
 */
export function firstRowsRangeSql(
  compilation: Compilation,
  table: Table,
  alias: string,
  plan: QueryPlan,
): FirstRowsRange | undefined {
  const { sort, pageRange } = plan
  if (sort.length === 0 || pageRange.limit === Number.POSITIVE_INFINITY) return undefined
  const { order: [first] = [] } = pageRangeSql(
    compilation,
    plan,
    orderKeys(compilation, table, alias, plan),
  )
  const { column, stored, native } = first!.scalar
  if (!column || !native?.columnRange || !table.leadingFields.has(column.field.name))
    return undefined
  if (!isOfColumn(plan.condition, column)) return undefined
  const isAscending = first!.direction === 'asc'
  const end = native.columnRange[isAscending ? 'until' : 'from']
  const bounds = end.bounds(`${isAscending ? 'max' : 'min'}(v.value)`)
  const selected = bounds.map((bound, index) => `${bound} as bound${index}`)
  const range = end.holds(
    stored!,
    bounds.map((_, index) => `${lastAlias}.bound${index}`),
  )
  return {
    source: `(select ${selected.join(', ')} from (${firstRowsSql(compilation, table, plan)}) v) ${lastAlias}`,
    condition: anyOfSql([range, isNullSql(first!.scalar)]),
  }
}

/** The values of the rows up to the end of the page, in the order of the column. */
function firstRowsSql(compilation: Compilation, table: Table, plan: QueryPlan): string {
  const { dialect } = compilation
  const keys = orderKeys(compilation, table, firstAlias, plan)
  const { order, ranges, bound } = pageRangeSql(compilation, plan, keys)
  const { scalar, direction } = order[0]!
  const where = allOfSql([
    interruptCheckSql(dialect, table, firstAlias, plan.condition),
    compilation.compileCondition(table, firstAlias, plan.condition),
    anyRange(ranges),
    bound,
  ])
  const valueIndex = valueIndexOf(compilation, plan.pageRange)
  const count = `${valueMark(valueIndex)} + ${valueMark(valueIndex + 1)}`
  const terms = dialect.order(scalar.stored!, direction, scalar.isNullable)
  return `select ${scalar.sql} as value from ${table.sql} ${firstAlias} where ${where} order by ${terms} limit ${count}`
}

/** Does the condition bound a range of the column, and nothing else? */
function isOfColumn(condition: Condition, column: Column): boolean {
  if (condition.kind === 'always') return true
  if (condition.kind === 'and')
    return condition.conditions.every((operand) => isOfColumn(operand, column))
  return condition.kind === 'compare' && isColumnPath(condition.path, column)
}
