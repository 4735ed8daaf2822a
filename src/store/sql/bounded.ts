import type { Condition, QueryPlan, Window } from '../../query/query-plan.ts'
import type { Column, Table } from './table.ts'
import { isColumn, isComparison, isId, isPlain, isPoint, type Way, wayThrough } from './way.ts'

/**
 * How much of a table a question makes the engine look at:
 *
 * - `walk`: an index leads from one wanted row to the next, so the cost grows with the window only.
 * - `gather`: an index finds the rows for one part of the condition; all of them are looked at, and sorted.
 * - `scan`: it may be the whole table.
 */
export type Access =
  | { readonly kind: 'walk' }
  | { readonly kind: 'gather'; readonly part: Condition; readonly most: number }
  | { readonly kind: 'scan' }

const walk: Access = Object.freeze({ kind: 'walk' })
const scan: Access = Object.freeze({ kind: 'scan' })

/** Lists of identifiers longer than this, and places further into a list, are no longer small work. */
export const small = 1_000

/** Depends on the plan's shape and its tables only, so that it is worked out once for plans of one shape. */
export function accessOf(table: Table, plan: QueryPlan): Access {
  if (plan.condition.kind === 'never') return walk
  if (isWalk(table, plan)) return walk
  return gatherOf(table, plan.condition)
}

/** The same where order does not matter. */
export function gatherOf(table: Table, condition: Condition): Access {
  if (condition.kind === 'never') return walk
  const parts = condition.kind === 'and' ? condition.conditions : [condition]
  const candidates = parts.flatMap((part) => {
    const finding = findingOf(table, part)
    return finding ? [{ part, finding }] : []
  })
  const [best] = candidates.sort((one, other) => findings.indexOf(one.finding) - findings.indexOf(other.finding))
  return best ? { kind: 'gather', part: best.part, most: mostRows[best.finding] } : scan
}

/**
 * Does an index lead through the table in the order of the plan? Then the first so many rows on the way may fill the window, whatever
 * else they must satisfy.
 */
export function strollsOf(table: Table, plan: QueryPlan): boolean {
  const way = wayThrough(table, plan)
  return way !== undefined && isBounded(way, plan.window)
}

/** May the engine have to sort what it finds, because it finds it in another order than the plan's? */
export function isSorted(table: Table, { condition, sort }: QueryPlan, access: Access): boolean {
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
      return table.orders.some(({ keys: [first] }) => first !== undefined && isColumn(condition.path, first.column))
  }
}

function isWalk(table: Table, plan: QueryPlan): boolean {
  const { condition, sort, window } = plan
  // The ids themselves are walked, each of which leads to its row.
  if (condition.kind === 'oneOf' && condition.values.length > 1) {
    const isShort = condition.values.length <= small && window.kind === 'slice' && window.skip <= small
    return isId(condition.path) && sort.length === 0 && isShort
  }
  const way = wayThrough(table, plan)
  return way !== undefined && way.rest.length === 0 && isBounded(way, window)
}

/** Does the window begin and end on the way without much to be passed over? */
function isBounded({ sorted }: Way, window: Window): boolean {
  if (window.kind === 'slice') return window.skip <= small
  // The far end of a window between positions bounds the way only where it is one range of the index.
  return window.kind !== 'between' || (sorted.length <= 1 && !sorted[0]?.nullable)
}

/**
 * What an index finds for a part of a condition, the least first: an item by its id, a short list of them, what an index is there for, and
 * what begins an index over several fields, which is more often there for an order.
 */
const findings = ['item', 'items', 'own', 'first'] as const
type Finding = (typeof findings)[number]

/** At most how many rows that are: Infinity where only looking tells. */
const mostRows: Readonly<Record<Finding, number>> = { item: 1, items: small, own: Infinity, first: Infinity }

function findingOf(table: Table, part: Condition): Finding | undefined {
  if (part.kind === 'members') return isOwned(table, part) ? 'own' : undefined
  if (!isComparison(part) || (part.kind === 'compare' && !isPoint(part))) return undefined
  if (isId(part.path))
    return isPoint(part) ? 'item' : part.kind === 'oneOf' && part.values.length > small ? 'own' : 'items'
  const led = table.orders.filter(({ keys: [first] }) => first !== undefined && isColumn(part.path, first.column))
  if (led.some(({ keys }) => keys.length === 1)) return 'own'
  // One of two values is half of the table as a rule: to look at all of it in its own order costs less than to gather and sort that.
  return led.some(({ keys: [first] }) => !isBoolean(first!.column)) ? 'first' : undefined
}

function isBoolean({ field }: Column): boolean {
  return field.kind === 'value' && field.type.kind === 'boolean'
}

function isOwned(table: Table, { path, quantity, values }: Extract<Condition, { kind: 'members' }>): boolean {
  return isPlain(path) && table.sides.has(path.names[0]!) && quantity === 'any' && values.length > 0
}
