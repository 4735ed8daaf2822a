import type { Condition, PageRange, QueryPlan } from '../../query/query-plan.ts'
import {
  bestIndexScan,
  isColumnPath,
  isComparison,
  isIdPath,
  isPlainPath,
  isSingleValue,
  type OrderedIndexScan,
} from './index-scan.ts'
import type { Column, Table } from './table.ts'

/**
 * How much of a table a question makes the engine look at:
 *
 * - `walk`: an index leads from one wanted row to the next, so the cost grows with the window only.
 * - `gather`: an index finds the rows for one part of the condition; all of them are looked at, and
 *   sorted.
 * - `scan`: it may be the whole table.
 */
export type AccessPath =
  | { readonly kind: 'walk' }
  | { readonly kind: 'gather'; readonly lookupCondition: Condition; readonly maxRows: number }
  | { readonly kind: 'scan' }

const indexScan: AccessPath = Object.freeze({ kind: 'walk' })
const fullScan: AccessPath = Object.freeze({ kind: 'scan' })

/**
 * Lists of identifiers longer than this, and places further into a list, are no longer small work.
 */
export const maxCheapRows = 1_000

/**
 * Depends on the plan's shape and its tables only, so that it is worked out once for plans of one
 * shape.
 */
export function planAccessPath(table: Table, plan: QueryPlan): AccessPath {
  if (plan.condition.kind === 'never') return indexScan
  if (isIndexScan(table, plan)) return indexScan
  return conditionAccessPath(table, plan.condition)
}

/** The same where order does not matter. */
export function conditionAccessPath(table: Table, condition: Condition): AccessPath {
  if (condition.kind === 'never') return indexScan
  const parts = condition.kind === 'and' ? condition.conditions : [condition]
  const candidates = parts.flatMap((part) => {
    const finding = indexMatchOf(table, part)
    return finding ? [{ part, finding }] : []
  })
  const [best] = candidates.sort(
    (one, other) => indexMatches.indexOf(one.finding) - indexMatches.indexOf(other.finding),
  )
  return best
    ? { kind: 'gather', lookupCondition: best.part, maxRows: maxRowsByMatch[best.finding] }
    : fullScan
}

/**
 * Does an index lead through the table in the order of the plan? Then the first so many rows on the
 * way may fill the window, whatever else they must satisfy.
 */
export function canTrialScan(table: Table, plan: QueryPlan): boolean {
  const way = bestIndexScan(table, plan)
  return way !== undefined && skipsFewRows(way, plan.pageRange)
}

/**
 * May the engine have to sort what it finds, because it finds it in another order than the plan's?
 */
export function isSorted(
  table: Table,
  { condition, sort }: QueryPlan,
  access: AccessPath,
): boolean {
  if (access.kind === 'walk') return false
  return access.kind === 'gather' || sort.length > 0 || isLed(table, condition)
}

/** May an index on another field than the id be taken for any part of the condition? */
function isLed(table: Table, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some((one) => isLed(table, one))
    case 'not':
      return isLed(table, condition.condition)
    case 'always':
    case 'never':
      return false
    default:
      return table.indexOrders.some(
        ({ keys: [first] }) => first !== undefined && isColumnPath(condition.path, first.column),
      )
  }
}

function isIndexScan(table: Table, plan: QueryPlan): boolean {
  const { condition, sort, pageRange } = plan
  // The ids themselves are walked, each of which leads to its row.
  if (condition.kind === 'oneOf' && condition.values.length > 1) {
    const isShort =
      condition.values.length <= maxCheapRows &&
      pageRange.kind === 'slice' &&
      pageRange.offset <= maxCheapRows
    return isIdPath(condition.path) && sort.length === 0 && isShort
  }
  const way = bestIndexScan(table, plan)
  return way !== undefined && way.filters.length === 0 && skipsFewRows(way, pageRange)
}

/** Does the window begin and end on the way without much to be passed over? */
function skipsFewRows({ sortColumns }: OrderedIndexScan, window: PageRange): boolean {
  if (window.kind === 'slice') return window.offset <= maxCheapRows
  // The far end of a window between positions bounds the way only where it is one range of the
  // index.
  return window.kind !== 'between' || (sortColumns.length <= 1 && !sortColumns[0]?.isNullable)
}

/**
 * What an index finds for a part of a condition, the least first: an item by its id, a short list
 * of them, what an index is there for, and what begins an index over several fields, which is more
 * often there for an order.
 */
const indexMatches = ['item', 'items', 'own', 'first'] as const
type IndexMatch = (typeof indexMatches)[number]

/** At most how many rows that are: Infinity where only looking tells. */
const maxRowsByMatch: Readonly<Record<IndexMatch, number>> = {
  item: 1,
  items: maxCheapRows,
  own: Infinity,
  first: Infinity,
}

function indexMatchOf(table: Table, part: Condition): IndexMatch | undefined {
  if (part.kind === 'members') return isJoinTableLookup(table, part) ? 'own' : undefined
  if (!isComparison(part) || (part.kind === 'compare' && !isSingleValue(part))) return undefined
  if (isIdPath(part.path))
    return isSingleValue(part)
      ? 'item'
      : part.kind === 'oneOf' && part.values.length > maxCheapRows
        ? 'own'
        : 'items'
  const led = table.indexOrders.filter(
    ({ keys: [first] }) => first !== undefined && isColumnPath(part.path, first.column),
  )
  if (led.some(({ keys }) => keys.length === 1)) return 'own'
  // One of two values is half of the table as a rule: to look at all of it in its own order costs
  // less than to gather and sort that.
  return led.some(({ keys: [first] }) => !isBoolean(first!.column)) ? 'first' : undefined
}

function isBoolean({ field }: Column): boolean {
  return field.kind === 'value' && field.type.kind === 'boolean'
}

function isJoinTableLookup(
  table: Table,
  { path, quantity, values }: Extract<Condition, { kind: 'members' }>,
): boolean {
  return (
    isPlainPath(path) &&
    table.joinTables.has(path.names[0]!) &&
    quantity === 'any' &&
    values.length > 0
  )
}
