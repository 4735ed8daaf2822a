import type { Condition, PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { perRowCompilation } from './compile-condition.ts'
import { compileLossless, compileScalar, idType } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { bestIndexScan, type OrderedIndexScan } from './index-scan.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import {
  isAfterPosition,
  isFirstKeyInRange,
  type OrderKey,
  rangesAfterPosition,
  reverseKeys,
} from './keyset.ts'
import { allOfSql, anyOfSql, falseSql, trueSql } from './logic.ts'
import type { Table } from './table.ts'

/** The name of the listed table in every statement. */
export const listAlias = 't'

export interface SelectOptions {
  /** Quoted columns of the row. */
  readonly columns: readonly string[]
  /** What else is selected: expressions over the row that is `listed`. */
  readonly expressions?: readonly string[]
  /** Adds the values of the sort keys, see `compileExact`. */
  readonly includesPositions?: boolean
  /**
   * Where the few rows come from that an index finds for a part of the condition, instead of from
   * the whole table.
   */
  readonly lookup?: Condition
  /**
   * Whether an index walks the rows in the order of the sort: its ranges are then read one after
   * the other.
   */
  readonly isIndexScan?: boolean
  /**
   * Settles first which rows there are, so that sorting them carries their ids only, however long
   * their texts are.
   */
  readonly idsFirst?: boolean
  /**
   * Leaves out a LIMIT that bounds nothing: with one, SQLite puts each row in its place at once,
   * which takes five times as long for a million.
   */
  readonly isOutermost?: boolean
  /**
   * Looks only at so many rows of the index that leads through the table in the order of the plan.
   */
  readonly trialScan?: number
}

/**
 * The rows of a plan's window, in its order, or the reverse of it for a window before a position.
 * The texts are not yet numbered: see `compiled`.
 */
export function compileSelect(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  options: SelectOptions,
): string {
  const selected = [
    ...options.columns.map((column) => `${listAlias}.${column}`),
    ...(options.expressions ?? []),
  ]
  if (options.includesPositions) {
    selected.push(
      ...plan.sort.map((key) => compileLossless(compilation, table, listAlias, key.path)),
    )
  }
  if (options.idsFirst)
    return `select ${selected.join(', ')} from ${settled(compilation, table, plan, options)}`
  const end = options.isOutermost && isEndless(plan.pageRange) ? '' : limitSql(compilation, plan)
  if (options.trialScan !== undefined) {
    const way = bestIndexScan(table, plan)!
    // The rows come in the order in which the inner query finds them, and its bounds need not be
    // looked at again.
    const rest = allOfSql([
      interruptCheckSql(compilation.dialect, listAlias, plan.condition),
      ...way.filters.map((part) => compilation.compileCondition(table, listAlias, part)),
    ])
    return `select ${selected.join(', ')} from ${trialScanSql(compilation, table, plan, way, options.trialScan)}${whereSql(rest)}${end}`
  }
  const { order, ranges, bound } = pageRangeSql(
    compilation,
    plan,
    orderKeys(compilation, table, listAlias, plan),
  )
  const goesOn = options.isIndexScan
    ? trueSql
    : interruptCheckSql(compilation.dialect, listAlias, plan.condition)
  const parts = options.lookup ? perRowCompilation(compilation) : compilation
  const condition = parts.compileCondition(table, listAlias, plan.condition)
  const from = sourceSql(compilation, table, options.lookup)
  const wheres = (options.isIndexScan ? ranges : [anyOfSql(ranges)]).map((range) =>
    allOfSql([goesOn, condition, range, bound]),
  )
  return selectInOrder(compilation, selected, from, wheres, order) + end
}

/** The rows come in the order in which the inner query gives their ids. */
function settled(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  { lookup }: SelectOptions,
): string {
  const id = compilation.dialect.quote('id')
  const ids = compileSelect(compilation, table, plan, { columns: [id], ...(lookup && { lookup }) })
  return `(${ids}) s cross join ${table.sql} ${listAlias} on ${listAlias}.${id} = s.${id}`
}

/**
 * The rows that satisfy one of the conditions, of which each is satisfied by rows of its own. A
 * compound select merges its parts in the order of the whole, each walking its own range of an
 * index.
 */
function selectInOrder(
  { dialect }: Compilation,
  selected: readonly string[],
  from: string,
  wheres: readonly string[],
  order: readonly OrderKey[],
): string {
  const select = (columns: readonly string[], where: string) =>
    `select ${columns.join(', ')} from ${from}${whereSql(where)}`
  if (wheres.length <= 1) {
    const terms = order.map(({ scalar, direction }) => dialect.order(scalar.sql, direction))
    return `${select(selected, wheres[0] ?? falseSql)} order by ${terms.join(', ')}`
  }
  const names = order.map((_, index) => dialect.quote(`key ${index}`))
  const values = order.map(({ scalar }, index) => `${scalar.sql} as ${names[index]}`)
  const terms = order.map(({ direction }, index) => dialect.order(names[index]!, direction))
  const parts = wheres.map((where) => select([...selected, ...values], where))
  return `${parts.join(' union all ')} order by ${terms.join(', ')}`
}

/** The terms of the order, the id last. */
export function orderKeys(
  compilation: Compilation,
  table: Table,
  alias: string,
  plan: QueryPlan,
): readonly OrderKey[] {
  const id = `${alias}.${compilation.dialect.quote('id')}`
  return [
    ...plan.sort.map((key) => ({
      scalar: compileScalar(compilation, table, alias, key.path),
      direction: key.direction,
    })),
    { scalar: { sql: id, type: idType, isNullable: false, column: undefined }, direction: 'asc' },
  ]
}

/**
 * The first rows of the plan's window as far as the index tells. They keep their order, and only
 * what is selected of them is read.
 */
function trialScanSql(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  way: OrderedIndexScan,
  most: number,
): string {
  const { order, ranges, bound } = pageRangeSql(
    compilation,
    plan,
    orderKeys(compilation, table, 'f', plan),
  )
  const bounds = way.bounds.map((part) => compilation.compileCondition(table, 'f', part))
  const wheres = ranges.map((range) => allOfSql([...bounds, range, bound]))
  return `(${selectInOrder(compilation, ['f.*'], `${table.sql} f`, wheres, order)} limit ${most}) ${listAlias}`
}

/** How many rows a stroll takes. */
export function compileTrialScanCount(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  most: number,
): string {
  return `select count(*) from ${trialScanSql(compilation, table, plan, bestIndexScan(table, plan)!, most)}`
}

/** How many rows satisfy the condition. */
export function compileCount(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  gather?: Condition,
): string {
  const satisfies = compilation.compileCondition(table, listAlias, condition)
  // To count all rows takes no look at any of them.
  const where =
    satisfies === trueSql
      ? ''
      : whereSql(
          allOfSql([interruptCheckSql(compilation.dialect, listAlias, condition), satisfies]),
        )
  return `select count(*) from ${sourceSql(compilation, table, gather)}${where}`
}

/** Any one row that satisfies the condition. */
export function compileFind(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  columns: readonly string[],
): string {
  const selected = columns.map((column) => `${listAlias}.${column}`).join(', ')
  return `select ${selected} from ${table.sql} ${listAlias}${whereSql(compilation.compileCondition(table, listAlias, condition))} limit 1`
}

/** Counts what an index finds for a part of the condition, but not beyond `most`. */
export function compileProbe(
  compilation: Compilation,
  table: Table,
  part: Condition,
  most: number,
): string {
  const where = whereSql(compilation.compileCondition(table, listAlias, part))
  return `select count(*) from (select 1 from ${table.sql} ${listAlias}${where} limit ${most})`
}

export function whereSql(condition: string): string {
  return condition === trueSql ? '' : ` where ${condition}`
}

function sourceSql(compilation: Compilation, table: Table, gather: Condition | undefined): string {
  if (!gather) return `${table.sql} ${listAlias}`
  const id = compilation.dialect.quote('id')
  const found = compilation.compileCondition(table, 'f', gather)
  return `(select f.${id} from ${table.sql} f${whereSql(found)}) g cross join ${table.sql} ${listAlias} on ${listAlias}.${id} = g.${id}`
}

/** The window's rows: any of the ranges, within the bound, in the order in which they are read. */
function pageRangeSql(
  compilation: Compilation,
  { pageRange }: QueryPlan,
  keys: readonly OrderKey[],
) {
  const back = reverseKeys(keys)
  const from = (order: readonly OrderKey[], position: Position) => ({
    order,
    ranges: rangesAfterPosition(compilation, order, position, valueIndexOf(compilation, position)),
  })
  switch (pageRange.kind) {
    case 'slice':
      return { order: keys, ranges: [trueSql], bound: trueSql }
    case 'after':
      return { ...from(keys, pageRange.position), bound: trueSql }
    case 'before':
      return { ...from(back, pageRange.position), bound: trueSql }
    case 'between': {
      const slot = valueIndexOf(compilation, pageRange.before)
      const isBefore = isAfterPosition(compilation, back, pageRange.before, slot)
      // What ends the range of an index, whatever the other keys are.
      const bound = allOfSql([
        isFirstKeyInRange(compilation, back, pageRange.before, slot),
        isBefore,
      ])
      return { ...from(keys, pageRange.after), bound }
    }
  }
}

function isEndless(window: PageRange): boolean {
  return (
    window.limit === Number.POSITIVE_INFINITY && !(window.kind === 'slice' && window.offset > 0)
  )
}

export function limitSql(compilation: Compilation, { pageRange }: QueryPlan): string {
  const slot = valueIndexOf(compilation, pageRange)
  const skip =
    pageRange.kind === 'slice' && pageRange.offset > 0 ? ` offset ${valueMark(slot + 1)}` : ''
  return ` limit ${compilation.dialect.limit(valueMark(slot))}${skip}`
}
