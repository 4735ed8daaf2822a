import { plainText, type ScalarType } from '../../model/value-type.ts'
import type { AggregateTerm, GroupKey, GroupPlan } from '../../query/group-plan.ts'
import type { Condition, SearchCondition } from '../../query/query-plan.ts'
import { groupedLeaf } from '../groups/grouped-leaf.ts'
import type { Compilation } from './compilation.ts'
import { countingCompilation, indexedCompilation } from './compile-condition.ts'
import type { Dialect, ExactSumSql, SummedKind, SummedValue } from './dialect.ts'
import { groupsOfDays, isOfParts } from './group-by-days.ts'
import { keyOrderSql, readsInOrder } from './group-order.ts'
import {
  compileMemberValues,
  type GroupValue,
  keyValue,
  type MadeValue,
  scalarValue,
} from './group-values.ts'
import { indexedSearchOf } from './indexed-search.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import type { JoinedHop } from './join-sort-paths.ts'
import { allOfSql, trueSql } from './logic.ts'
import { losslessSql } from './lossless-sql.ts'
import { listAlias, sourceSql, whereSql } from './row-source.ts'
import type { Table } from './table.ts'

/** The rows of a group, with the values of its keys and of what is aggregated. */
const rowAlias = 'r'

/** The same rows, with the values of the listed table. */
const baseAlias = 'b'

/** How the values of keys are read, and those of functions. */
export interface GroupTypes {
  readonly keys: readonly ScalarType[]
  readonly values: readonly ScalarType[]
}

/** How the statement of a plan sums: at once where it can, or exactly whatever the rows have. */
export type SumForm = 'quick' | 'exact'

/** Does the form sum the values of the type at once, as they are stored? */
export function isSummedAtOnce({ quickSum }: Dialect, form: SumForm, type: ScalarType): boolean {
  return form === 'quick' && quickSum !== undefined && type.kind === 'integer'
}

/** The types of what a plan reads. */
export function groupTypes(table: Table, { by, aggregates }: GroupPlan): GroupTypes {
  const typeOf = ({ path }: GroupKey | AggregateTerm) => groupedLeaf(table.model, path).type
  return {
    keys: by.map((key) => (key.part ? plainText : typeOf(key))),
    values: aggregates.map(typeOf),
  }
}

/** How the values of a type are summed. */
export function exactSumOf(
  { exactSum }: Dialect,
  type: ScalarType,
  summed: Omit<SummedValue, 'kind'> = unnamed,
): ExactSumSql {
  return exactSum({ ...summed, kind: summedKind(type) })
}

/** For who reads the columns of a sum. */
const unnamed: Omit<SummedValue, 'kind'> = Object.freeze({
  value: '',
  isNullable: true,
  units: '',
  engineSum: undefined,
})

function summedValue({ native, isNullable }: GroupValue, index: number): Omit<SummedValue, 'kind'> {
  const value = valueName(index)
  return { value, isNullable, units: unitsName(index), engineSum: native?.exactSum?.(value) }
}

function summedKind({ kind }: ScalarType): SummedKind {
  return kind === 'integer' || kind === 'number' ? kind : 'decimal'
}

/**
 * One row for each group: its keys, the number of its items, and the columns of its functions.
 * @param search a part of the condition for which an index of words finds rows
 */
export function compileGroups(
  compilation: Compilation,
  table: Table,
  plan: GroupPlan,
  form: SumForm,
  search?: SearchCondition,
): string {
  const { dialect } = compilation
  const rows = compileRows(compilation, table, plan, form, search)
  if (rows.haveDays)
    return groupsOfDays(dialect, plan, namedValues(rows), `(${rows.sql}) ${rowAlias}`)
  const functions = plan.aggregates.flatMap((term, index) => {
    const value = valueName(index)
    const groupValue = rows.values[index]!
    const { native, type } = groupValue
    switch (term.function) {
      case 'sum': {
        const summed = summedValue(groupValue, index)
        if (isSummedAtOnce(dialect, form, type)) return dialect.quickSum!.columns(summed)
        const { columns, rest } = exactSumOf(dialect, type, summed)
        return rest ? [...columns, rest.count] : columns
      }
      case 'countDistinct':
        return [`count(distinct ${value})`]
      default:
        return [losslessSql(dialect, native, `${term.function}(${value})`, type)]
    }
  })
  const selected = [...losslessKeys(dialect, rows), 'count(*)', ...functions]
  const keyOrder = keyOrderSql(dialect, table, plan, namedValues(rows).keys)
  const order = plan.order === 'keys' ? keyOrder : ['count(*) desc', ...keyOrder]
  const ordered =
    plan.by.length === 0
      ? ''
      : `${groupBySql(rows)}${havingSql(rows)} order by ${order.join(', ')} limit ${plan.limit}`
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
  search?: SearchCondition,
): string {
  const { dialect } = compilation
  const rows = compileRows(compilation, table, plan, 'exact', search)
  const value = rows.values[functionIndex]!
  const { rest } = exactSumOf(dialect, value.type, summedValue(value, functionIndex))
  const limbs = rest!.limbs('e')
  const selected = [...losslessKeys(dialect, rows), limbs.index, `cast(sum(${limbs.limb}) as text)`]
  const keys = [...rows.keys.map((_, index) => keyName(index)), limbs.index]
  return `select ${selected.join(', ')} from (${rows.sql}) ${rowAlias} cross join ${limbs.table} where ${rest!.isLeftOut} group by ${keys.join(', ')}`
}

interface GroupRows {
  readonly sql: string
  readonly keys: readonly GroupValue[]
  readonly values: readonly GroupValue[]
  /** Is the only key the number of a day, for most rows? */
  readonly haveDays: boolean
  /** Stops a long statement on request, once for each group: its rows have no check then. */
  readonly groupCheck: string
}

/**
 * The rows that satisfy the condition, once for each combination of their keys. What is computed is
 * computed once for each row, though the statement names it several times.
 */
function compileRows(
  compilation: Compilation,
  table: Table,
  plan: GroupPlan,
  form: SumForm,
  search: SearchCondition | undefined,
): GroupRows {
  const { condition } = plan
  const { dialect } = compilation
  const joined: JoinedHop[] = []
  const lists: ((from: string) => string)[] = []
  const keys = plan.by.map((key): MadeValue => {
    const { isMany } = groupedLeaf(table.model, key.path)
    if (!isMany) return keyValue(compilation, joined, table, key)
    const members = compileMemberValues(compilation, table, key)
    const alias = compilation.nextAlias()
    lists.push((from) => dialect.joinValues(from, members.query, alias))
    const value = { ...members, sql: `${alias}.value`, isNullable: true, isColumn: true }
    return { ...value, made: (name) => ({ ...value, sql: name }) }
  })
  const isAtOnce = ({ function: name }: AggregateTerm, { type }: MadeValue) =>
    name === 'sum' && isSummedAtOnce(dialect, form, type)
  const values = plan.aggregates.map((term) => {
    const value = scalarValue(compilation, joined, table, term.path)
    return isAtOnce(term, value) ? { ...value, made: (sql: string) => ({ ...value, sql }) } : value
  })
  const conditionSql = indexedCompilation(
    countingCompilation(compilation, condition),
    indexedSearchOf(compilation, table, search),
  ).compileCondition(table, listAlias, condition)
  const inOrder = readsInOrder(table, plan)
  const ranges = inOrder ? undefined : rangesSql(compilation, table, condition, search)
  const onlyCounts = inOrder && countsWholeTable(plan, search)
  const check =
    ranges || onlyCounts ? trueSql : interruptCheckSql(dialect, table, listAlias, condition)
  const where = whereSql(allOfSql([check, conditionSql]))
  const rows = ranges ?? sourceSql(compilation, table, search)
  const from = lists.reduce(
    (source, join) => join(source),
    joined.length === 0 ? rows : dialect.joinToEach(rows, joined),
  )
  const base = [
    ...keys.map(({ sql, isColumn }, index) => ({ sql, isColumn, name: keyColumn(index) })),
    ...values.map(({ sql, isColumn }, index) => ({ sql, isColumn, name: valueColumn(index) })),
  ]
  const isBaseOfColumns = base.every(({ isColumn }) => isColumn)
  const nameOf = (sql: string, column: string) => (isBaseOfColumns ? sql : `${baseAlias}.${column}`)
  const [{ madeByDay } = {}] = keys
  const haveDays =
    madeByDay !== undefined &&
    keys.length === 1 &&
    plan.aggregates.every((term, index) => isOfParts(term) || isAtOnce(term, values[index]!))
  const madeKeys = keys.map((key, index) =>
    (haveDays ? madeByDay : key.made)(nameOf(key.sql, keyColumn(index))),
  )
  const madeValues = values.map((value, index) => value.made(nameOf(value.sql, valueColumn(index))))
  const units = plan.aggregates.flatMap((term, index) => {
    const { sql, type } = values[index]!
    const name = nameOf(sql, valueColumn(index))
    return term.function === 'sum' && dialect.unitsOf && !isAtOnce(term, values[index]!)
      ? [`${dialect.unitsOf(name, summedKind(type))} as ${unitsColumn(index)}`]
      : []
  })
  const columns = [
    ...madeKeys.map(({ sql }, index) => `${sql} as ${keyColumn(index)}`),
    ...madeValues.map(({ sql }, index) => `${sql} as ${valueColumn(index)}`),
    ...units,
  ]
  const isComputed =
    units.length > 0 || [...madeKeys, ...madeValues].some(({ isColumn }) => !isColumn)
  const barrier = isComputed ? dialect.keepSubquery : ''
  const selected = columns.length === 0 ? '1' : columns.join(', ')
  const source = isBaseOfColumns
    ? `${from}${where}`
    : `(select ${base.map(({ sql, name }) => `${sql} as ${name}`).join(', ')} from ${from}${where}${dialect.keepSubquery}) ${baseAlias}`
  return {
    sql: `select ${selected} from ${source}${barrier}`,
    keys: madeKeys,
    values: madeValues,
    haveDays,
    groupCheck: onlyCounts
      ? dialect.interruptCheck('none', { alias: rowAlias, isOneOfFew: false })
      : trueSql,
  }
}

/**
 * Does an index have all that a plan reads, if it has the rows of each group one after the other?
 * To count a row takes less time than a check of it.
 */
function countsWholeTable(
  { by, aggregates, condition }: GroupPlan,
  search: SearchCondition | undefined,
): boolean {
  return by.length === 1 && aggregates.length === 0 && condition.kind === 'always' && !search
}

/** The whole table in ranges, where nothing narrows it that an index could find rows for. */
function rangesSql(
  { dialect }: Compilation,
  table: Table,
  condition: Condition,
  search: SearchCondition | undefined,
): string | undefined {
  const { scanOrder } = table
  if (search || condition.kind !== 'always' || !scanOrder) return undefined
  return dialect.scanInRanges?.(table.sql, listAlias, scanOrder)
}

/** The values of the rows, each by its name. */
function namedValues({ keys, values }: GroupRows): Pick<GroupRows, 'keys' | 'values'> {
  return {
    keys: keys.map((key, index) => ({ ...key, sql: keyName(index) })),
    values: values.map((value, index) => ({ ...value, sql: valueName(index) })),
  }
}

function losslessKeys(dialect: Dialect, { keys }: GroupRows): readonly string[] {
  return keys.map(({ native, type, written }, index) => {
    const name = keyName(index)
    return written ? dialect.textAsJson(written(name)) : losslessSql(dialect, native, name, type)
  })
}

function havingSql({ groupCheck }: GroupRows): string {
  return groupCheck === trueSql ? '' : ` having ${groupCheck}`
}

function groupBySql({ keys }: GroupRows): string {
  return ` group by ${keys.map((_, index) => keyName(index)).join(', ')}`
}

const keyColumn = (index: number) => `k${index}`
const valueColumn = (index: number) => `v${index}`
const keyName = (index: number) => `${rowAlias}.${keyColumn(index)}`
const valueName = (index: number) => `${rowAlias}.${valueColumn(index)}`
const unitsColumn = (index: number) => `u${index}`
const unitsName = (index: number) => `${rowAlias}.${unitsColumn(index)}`
