import type { Condition, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { compileCandidates, isDecidedInOrder } from './compile-candidates.ts'
import { decidingCompilation, indexedCompilation, perRowCompilation } from './compile-condition.ts'
import { orderedValues } from './compile-path.ts'
import { compileSortPosition } from './compile-sort-key.ts'
import type { Dialect } from './dialect.ts'
import { firstRowsRangeSql } from './first-rows-range.ts'
import { bestIndexScan, isComparison, isPlainPath, type OrderedIndexScan } from './index-scan.ts'
import { indexedSearchOf } from './indexed-search.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { joinSortPaths } from './join-sort-paths.ts'
import { type KeyRange, keysUpToId, type OrderKey } from './keyset.ts'
import { allOfSql, falseSql, trueSql } from './logic.ts'
import { namedIds } from './named-ids.ts'
import {
  anyRange,
  inOrderSql,
  isUnlimited,
  limitedSql,
  orderKeys,
  orderSql,
  pageRangeSql,
} from './page-range-sql.ts'
import { listAlias, rowsOfIdsSql, sourceSql, whereSql } from './row-source.ts'
import type { Table } from './table.ts'

export interface SelectOptions {
  /** Expressions over the row (`listAlias`). */
  readonly columns: readonly string[]
  /** Adds the values of the sort keys (`compileLossless`). */
  readonly includesPositions?: boolean
  /** Reads the few rows that an index finds for this part of the condition, and sorts them. */
  readonly lookup?: Condition
  /**
   * True when an index has the rows in the order of the plan: its ranges are then read one after
   * the other.
   */
  readonly isIndexScan?: boolean
  /**
   * Returns what is selected and nothing else. Otherwise the rows of several ranges end with their
   * sort keys.
   */
  readonly omitsKeys?: boolean
  /** Finds and sorts the ids first, so that the sorter does not carry long texts. */
  readonly idsFirst?: boolean
  /** Omits a LIMIT that bounds nothing: with one, SQLite sorts a million rows five times slower. */
  readonly isOutermost?: boolean
  /** Reads at most this many rows of the index that has the order of the plan. */
  readonly trialScanRows?: number
  /** Returns all rows in order: a statement around it reads as many as it needs. */
  readonly returnsAll?: boolean
  /** Reads the related items in the order of an index, and looks the rows up from there. */
  readonly isRelatedScan?: boolean
}

/**
 * The rows of a plan in its order, or in reverse order for a page before a position. The parameters
 * are not numbered yet (`numberParameters`).
 */
export function compileSelect(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  options: SelectOptions,
): string {
  const { columns } = options
  const withPositions = (positions: () => readonly string[]) =>
    options.includesPositions
      ? [...columns, ...namedPositions(compilation.dialect, positions())]
      : columns
  const ownPositions = () =>
    plan.sort.map((key) => compileSortPosition(compilation, table, listAlias, key))
  const { lookup } = options
  if (isDecidedInOrder(plan, options))
    return limitedSql(
      compilation,
      compileCandidates(
        compilation,
        table,
        plan,
        lookup as SearchCondition,
        withPositions(ownPositions),
        (found, { table: source, ...ids }) =>
          compileSelect(compilation, source, found, { ...ids, returnsAll: true }),
      ),
      plan,
    )
  if (options.idsFirst)
    return `select ${withPositions(ownPositions).join(', ')} from ${idsFirstSql(compilation, table, plan, options)}`
  const limited = (query: string) =>
    options.returnsAll
      ? inOrderSql(query)
      : options.isOutermost && isUnlimited(plan.pageRange)
        ? query
        : limitedSql(compilation, query, plan)
  if (options.trialScanRows !== undefined) {
    const scan = bestIndexScan(table, plan)!
    // The rows keep the order of the inner query, and its bounds need no second check.
    const filters = allOfSql([
      interruptCheckSql(
        compilation.dialect,
        table,
        listAlias,
        plan.condition,
        undefined,
        scan.filters.every((filter) => isComparison(filter) && isPlainPath(filter.path)),
      ),
      ...scan.filters.map((filter) =>
        decidingCompilation(compilation).compileCondition(table, listAlias, filter),
      ),
    ])
    return limited(
      `select ${withPositions(ownPositions).join(', ')} from ${trialScanSql(compilation, table, plan, scan, options.trialScanRows)}${whereSql(filters)}`,
    )
  }
  const ownSource = sourceSql(compilation, table, lookup)
  const { from, isComplete, keys, positions } = joinSortPaths(
    compilation,
    table,
    listAlias,
    plan,
    ownSource,
    options.isRelatedScan ? 'relatedScan' : lookup ? 'lookup' : 'any',
  )
  const { order, ranges, bound } = pageRangeSql(compilation, plan, keys)
  const interruptCheck = options.isIndexScan
    ? trueSql
    : interruptCheckSql(
        compilation.dialect,
        table,
        listAlias,
        plan.condition,
        from === ownSource ? undefined : table.idParts(listAlias)[0],
      )
  const rowCompilation = lookup
    ? indexedCompilation(
        decidingCompilation(perRowCompilation(compilation)),
        indexedSearchOf(compilation, table, lookup),
      )
    : compilation
  const condition = rowCompilation.compileCondition(table, listAlias, plan.condition)
  const firstRows = lookup ? undefined : firstRowsRangeSql(compilation, table, listAlias, plan)
  const source = firstRows ? `${firstRows.source} cross join ${from}` : from
  const parts = (
    options.isIndexScan ? ranges : [{ condition: anyRange(ranges), fixedKeys: [] }]
  ).map(
    (range): KeyRange => ({
      ...range,
      condition: allOfSql([
        isComplete,
        interruptCheck,
        firstRows?.condition ?? trueSql,
        bound,
        condition,
        range.condition,
      ]),
    }),
  )
  const selectParts = (selected: readonly string[]) =>
    selectInOrder(compilation, selected, source, parts, order, plan)
  if (!options.omitsKeys || parts.length <= 1) return limited(selectParts(withPositions(positions)))
  const expressions = options.includesPositions ? [...columns, ...positions()] : columns
  const names = expressions.map((_, index) => compilation.dialect.quote(`column ${index}`))
  const selected = expressions.map((expression, index) => `${expression} as ${names[index]}`)
  return limited(`select ${names.join(', ')} from (${selectParts(selected)}) r`)
}

/**
 * Without a name, a driver may make a text of the expression each time: that of a date-time has
 * some 60 000 characters.
 */
function namedPositions({ quote }: Dialect, positions: readonly string[]): readonly string[] {
  return positions.map((position, index) => `${position} as ${quote(`position ${index}`)}`)
}

/** The rows keep the order in which the inner query returns their ids. */
function idsFirstSql(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  { lookup, isRelatedScan }: SelectOptions,
): string {
  const { dialect } = compilation
  const ids = compileSelect(compilation, table, plan, {
    columns: namedIds(dialect, table, listAlias),
    ...(lookup && { lookup }),
    ...(isRelatedScan && { isRelatedScan }),
  })
  return rowsOfIdsSql(dialect, table, ids)
}

/**
 * The rows of any of the ranges, which have no row in common. A compound select merges its parts in
 * order, and each part scans one range of an index.
 *
 * @param plan whose rows these are; undefined where more of them are read than its page has
 */
function selectInOrder(
  compilation: Compilation,
  selected: readonly string[],
  from: string,
  ranges: readonly KeyRange[],
  keys: readonly OrderKey[],
  plan: QueryPlan | undefined,
): string {
  const { dialect } = compilation
  const order = keysUpToId(keys)
  const select = (columns: readonly string[], where: string) =>
    `select ${columns.join(', ')} from ${from}${whereSql(where)}`
  /** The terms after those that are the same in all rows; the id at least. */
  const restOf = ({ length }: readonly string[]) =>
    order
      .slice(Math.min(length, order.length - 1))
      .map((key) => orderSql(dialect, key))
      .join(', ')
  if (ranges.length <= 1) {
    const { condition = falseSql, fixedKeys = [] } = ranges[0] ?? {}
    return `${select(selected, condition)} order by ${restOf(fixedKeys)}`
  }
  const keyNames = order.map(({ scalar }, index) =>
    orderedValues(scalar).map((_, part) =>
      dialect.quote(part === 0 ? `key ${index}` : `key ${index} ${part}`),
    ),
  )
  const valuesOf = ({ fixedKeys }: KeyRange) =>
    order.flatMap(({ scalar }, index) => {
      const values = orderedValues(scalar)
      const fixed = values.length === 1 ? fixedKeys[index] : undefined
      return values.map((value, part) => `${fixed ?? value} as ${keyNames[index]![part]}`)
    })
  const terms = order.map((key, index) => orderSql(dialect, key, keyNames[index]))
  const parts = ranges.map((range) => {
    const rows = select([...selected, ...valuesOf(range)], range.condition)
    const { fixedKeys } = range
    if (fixedKeys.length === 0 || plan === undefined) return rows
    // The rows of the page, from an index that has them in order: SQLite sorts few rows then.
    return `select * from (${limitedSql(compilation, `${rows} order by ${restOf(fixedKeys)}`, plan)}) p`
  })
  return `${parts.join(' union all ')} order by ${terms.join(', ')}`
}

/** The first rows of the plan by its index scan, filters not applied. They keep their order. */
function trialScanSql(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  scan: OrderedIndexScan,
  maxRows: number,
): string {
  const { order, ranges, bound } = pageRangeSql(
    compilation,
    plan,
    orderKeys(compilation, table, 'f', plan),
  )
  const bounds = scan.bounds.map((bound) => compilation.compileCondition(table, 'f', bound))
  const bounded = ranges.map(
    (range): KeyRange => ({
      ...range,
      condition: allOfSql([...bounds, range.condition, bound]),
    }),
  )
  return `(${selectInOrder(compilation, ['f.*'], `${table.sql} f`, bounded, order, undefined)} limit ${maxRows}) ${listAlias}`
}

/** Counts the rows that a trial scan reads. */
export function compileTrialScanCount(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  maxRows: number,
): string {
  return `select count(*) from ${trialScanSql(compilation, table, plan, bestIndexScan(table, plan)!, maxRows)}`
}

/** Does each row have the related items in whose order a related scan reads it? */
export function compileEachHasRelated(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
): string {
  const source = sourceSql(compilation, table, undefined)
  return `select ${joinSortPaths(compilation, table, listAlias, plan, source, 'relatedScan').isComplete}`
}
