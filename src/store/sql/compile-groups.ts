import { comparedAs, type ScalarType } from '../../model/value-type.ts'
import type { AggregateTerm, GroupKey, GroupPlan } from '../../query/group-plan.ts'
import { groupedLeaf } from '../groups/grouped-leaf.ts'
import { resolveManyPath } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { membersOf } from './compile-members.ts'
import { compileScalar, idType } from './compile-path.ts'
import { listAlias, whereSql } from './compile-plan.ts'
import type { Dialect, ExactSumSql } from './dialect.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql, trueSql } from './logic.ts'
import type { NativeForm, Table } from './table.ts'

/** The rows of a group, with the values of its keys and of what is aggregated. */
const rowAlias = 'r'

/** A value of each row, with what reads it back. */
interface GroupValue {
  /** Over the listed table. */
  readonly sql: string
  readonly type: ScalarType
  readonly native: NativeForm | undefined
  /** Is it a column, or computed each time it is named? */
  readonly isColumn: boolean
}

/** How the values of keys are read, and those of functions. */
export interface GroupTypes {
  readonly keys: readonly ScalarType[]
  readonly values: readonly ScalarType[]
}

/** The types of what a plan reads. */
export function groupTypes(table: Table, { by, aggregates }: GroupPlan): GroupTypes {
  const typeOf = ({ path }: GroupKey | AggregateTerm) => groupedLeaf(table.model, path).type
  return {
    keys: by.map((key) => (key.part ? idType : typeOf(key))),
    values: aggregates.map(typeOf),
  }
}

/** How the values of a type are summed. */
export function exactSumOf({ exactSum }: Dialect, type: ScalarType, value: string): ExactSumSql {
  return exactSum(value, type.kind === 'integer' || type.kind === 'number' ? type.kind : 'decimal')
}

/**
 * One row for each group: its keys, the number of its items, and the columns of its functions.
 */
export function compileGroups(compilation: Compilation, table: Table, plan: GroupPlan): string {
  const { dialect } = compilation
  const rows = compileRows(compilation, table, plan)
  const functions = plan.aggregates.flatMap((term, index) => {
    const value = valueName(index)
    const { native, type } = rows.values[index]!
    switch (term.function) {
      case 'sum': {
        const { columns, rest } = exactSumOf(dialect, type, value)
        return rest ? [...columns, rest.count] : columns
      }
      case 'countDistinct':
        return [`count(distinct ${value})`]
      default:
        return [losslessSql(dialect, native, `${term.function}(${value})`, type)]
    }
  })
  const selected = [...losslessKeys(dialect, rows), 'count(*)', ...functions]
  const keyOrder = rows.keys.flatMap(({ native }, index) =>
    (native?.ordered?.([keyName(index)]) ?? [keyName(index)]).map((key) =>
      dialect.order(key, 'asc', true),
    ),
  )
  const order = plan.order === 'keys' ? keyOrder : ['count(*) desc', ...keyOrder]
  const ordered =
    plan.by.length === 0
      ? ''
      : `${groupBySql(rows)} order by ${order.join(', ')} limit ${plan.limit}`
  return `select ${selected.join(', ')} from (${rows.sql}) ${rowAlias}${ordered}`
}

/**
 * The values that the sum of a function leaves out: for each group its keys, a limb, and the sum of
 * this limb.
 */
export function compileLeftOut(
  compilation: Compilation,
  table: Table,
  plan: GroupPlan,
  functionIndex: number,
): string {
  const { dialect } = compilation
  const rows = compileRows(compilation, table, plan)
  const { type } = rows.values[functionIndex]!
  const { rest } = exactSumOf(dialect, type, valueName(functionIndex))
  const limbs = rest!.limbs('e')
  const selected = [...losslessKeys(dialect, rows), limbs.index, `cast(sum(${limbs.limb}) as text)`]
  const keys = [...rows.keys.map((_, index) => keyName(index)), limbs.index]
  return `select ${selected.join(', ')} from (${rows.sql}) ${rowAlias} cross join ${limbs.table} where ${rest!.isLeftOut} group by ${keys.join(', ')}`
}

interface GroupRows {
  readonly sql: string
  readonly keys: readonly GroupValue[]
  readonly values: readonly GroupValue[]
}

/** The rows that satisfy the condition, once for each combination of their keys. */
function compileRows(compilation: Compilation, table: Table, plan: GroupPlan): GroupRows {
  const { condition } = plan
  let from = `${table.sql} ${listAlias}`
  const keys = plan.by.map((key): GroupValue => {
    const { isMany } = groupedLeaf(table.model, key.path)
    if (!isMany) return keyValue(compilation, table, key)
    const members = compileMemberValues(compilation, table, key)
    const alias = compilation.nextAlias()
    from = compilation.dialect.joinValues(from, members.query, alias)
    return { ...members, sql: `${alias}.value`, isColumn: true }
  })
  const values = plan.aggregates.map(({ path }) => scalarValue(compilation, table, path))
  const conditionSql = compilation.compileCondition(table, listAlias, condition)
  const where = allOfSql([
    interruptCheckSql(compilation.dialect, table, listAlias, condition),
    conditionSql,
  ])
  const columns = [
    ...keys.map(({ sql }, index) => `${sql} as ${keyColumn(index)}`),
    ...values.map(({ sql }, index) => `${sql} as ${valueColumn(index)}`),
  ]
  // A subquery with a limit is not merged into the statement, which names each value several times.
  const isComputed = [...keys, ...values].some(({ isColumn }) => !isColumn)
  const barrier = isComputed ? compilation.dialect.keepSubquery : ''
  return {
    sql: `select ${columns.length === 0 ? '1' : columns.join(', ')} from ${from}${whereSql(where)}${barrier}`,
    keys,
    values,
  }
}

function keyValue(compilation: Compilation, table: Table, key: GroupKey): GroupValue {
  const value = scalarValue(compilation, table, key.path)
  const { part, timeZone } = key
  if (!part) return value
  const sql = compilation.dialect.datePart(value.sql, value.type, part, timeZone)
  return { sql, type: idType, native: undefined, isColumn: false }
}

function scalarValue(compilation: Compilation, table: Table, path: GroupKey['path']): GroupValue {
  const { sql, type, native, stored } = compileScalar(compilation, table, listAlias, path)
  return {
    sql: shownSql(native, sql),
    type,
    native,
    isColumn: stored !== undefined && sql === stored,
  }
}

/** A query for the distinct members of a list, as `value`. */
function compileMemberValues(
  compilation: Compilation,
  table: Table,
  { path }: GroupKey,
): Pick<GroupValue, 'type' | 'native'> & { readonly query: string } {
  const { guard, hops, leaf } = resolveManyPath(table.model, path)
  if (hops.length > 0)
    throw new TypeError(
      `'${path.names.join('.')}' leads through a relation to a list, by which items cannot be grouped.`,
    )
  const members = membersOf(compilation, table, listAlias, leaf)
  const where = allOfSql([members.where, compilation.compileCondition(table, listAlias, guard)])
  return {
    type: members.type,
    native: members.native,
    query: `select distinct ${members.value} as value from ${members.from}${where === trueSql ? '' : ` where ${where}`}`,
  }
}

/** NULL where clients see none. */
function shownSql(native: NativeForm | undefined, sql: string): string {
  return native?.isUnshown ? `case when not ${native.isUnshown(sql)} then ${sql} end` : sql
}

function losslessKeys(dialect: Dialect, { keys }: GroupRows): readonly string[] {
  return keys.map(({ native, type }, index) => losslessSql(dialect, native, keyName(index), type))
}

function losslessSql(
  dialect: Dialect,
  native: NativeForm | undefined,
  value: string,
  type: ScalarType,
): string {
  // Positions have instants in the form of the engine, which clients do not get.
  if (native && comparedAs(type) === 'instant') return dialect.textAsJson(native.text(value))
  if (native) return native.lossless(value)
  return type.kind === 'number' || type.kind === 'integer' ? value : dialect.textAsJson(value)
}

function groupBySql({ keys }: GroupRows): string {
  return ` group by ${keys.map((_, index) => keyName(index)).join(', ')}`
}

const keyColumn = (index: number) => `k${index}`
const valueColumn = (index: number) => `v${index}`
const keyName = (index: number) => `${rowAlias}.${keyColumn(index)}`
const valueName = (index: number) => `${rowAlias}.${valueColumn(index)}`
