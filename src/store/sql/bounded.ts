import type { Condition, FieldPath, QueryPlan, SortKey } from '../../query/query-plan.ts'
import type { Column, Table } from './table.ts'

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
    const most = mostRows(table, part)
    return most === undefined ? [] : [{ part, most }]
  })
  const [best] = candidates.sort((one, other) => one.most - other.most)
  return best ? { kind: 'gather', ...best } : scan
}

/**
 * Does an index lead through the table in the order of the plan? Then the first so many rows on the way may fill the window, whatever
 * else they must satisfy.
 */
export function strollsOf(table: Table, { sort, window }: QueryPlan): boolean {
  const [key] = sort
  if (sort.length > 1 || (window.kind === 'slice' && window.skip > small)) return false
  if (!key || isId(key.path)) return key?.direction !== 'desc'
  // Behind a place among nulls there are two ranges of the index.
  return walks(table, key) && (window.kind === 'slice' || columnAt(table, key.path)?.nullable === false)
}

/** The parts of the condition that bound the range of the index that the plan strolls along. */
export function strollBounds({ condition, sort }: QueryPlan): readonly Condition[] {
  const parts = condition.kind === 'and' ? condition.conditions : [condition]
  const [key] = sort
  return parts.filter((part) => part.kind === 'compare' && (key ? sameName(part.path, key.path) : isId(part.path)))
}

function isWalk(table: Table, { condition, sort, window }: QueryPlan): boolean {
  if (sort.length > 1 || (window.kind === 'slice' && window.skip > small)) return false
  const [key] = sort
  if (key && !walks(table, key)) return false
  // The far end of a window between positions bounds the walk only where it is one range of the index.
  if (window.kind === 'between' && key && columnAt(table, key.path)?.nullable) return false
  switch (condition.kind) {
    case 'always':
      return true
    case 'oneOf':
      if (condition.values.length > 1) {
        return isId(condition.path) && !key && condition.values.length <= small && window.kind === 'slice'
      }
      return isPoint(table, condition.path) && isSorted(condition.path, key)
    case 'compare':
      if (condition.operator === 'equal') return isPoint(table, condition.path) && isSorted(condition.path, key)
      return condition.operator !== 'notEqual' && isRange(table, condition, key)
    default:
      return false
  }
}

/** Equal values come in the order of their ids. */
function isSorted(path: FieldPath, key: SortKey | undefined): boolean {
  return key === undefined || isId(key.path) || sameName(path, key.path)
}

function isPoint(table: Table, path: FieldPath): boolean {
  return isId(path) || columnAt(table, path)?.ascending === true
}

function isRange(
  table: Table,
  { path, operator }: Extract<Condition, { kind: 'compare' }>,
  key: SortKey | undefined,
): boolean {
  if (isId(path)) return key === undefined || isId(key.path)
  if (!key || !sameName(path, key.path)) return false
  // Less than a value means null or less: two ranges, of which an index walks only one.
  return operator.startsWith('greater') || columnAt(table, path)?.nullable === false
}

function walks(table: Table, { path, direction }: SortKey): boolean {
  if (isId(path)) return direction === 'asc'
  const column = columnAt(table, path)
  return column !== undefined && (direction === 'asc' ? column.ascending : column.descending)
}

/** At most how many rows an index finds for the part, if it does: Infinity where only looking tells. */
function mostRows(table: Table, part: Condition): number | undefined {
  switch (part.kind) {
    case 'compare':
      if (part.operator !== 'equal') return undefined
      if (isId(part.path)) return 1
      return isPoint(table, part.path) ? Number.POSITIVE_INFINITY : undefined
    case 'oneOf':
      if (isId(part.path)) return part.values.length > small ? Number.POSITIVE_INFINITY : small
      return isPoint(table, part.path) ? Number.POSITIVE_INFINITY : undefined
    case 'members':
      return isOwned(table, part) ? Number.POSITIVE_INFINITY : undefined
    default:
      return undefined
  }
}

function isOwned(table: Table, { path, quantity, values }: Extract<Condition, { kind: 'members' }>): boolean {
  return isPlain(path) && table.sides.has(path.names[0]!) && quantity === 'any' && values.length > 0
}

function columnAt(table: Table, path: FieldPath): Column | undefined {
  return isPlain(path) ? table.columns.get(path.names[0]!) : undefined
}

function isId(path: FieldPath): boolean {
  return path.names.length === 1 && path.names[0] === 'id'
}

/** Without a guard that would have to look at another table. */
function isPlain(path: FieldPath): boolean {
  return path.names.length === 1 && !path.guards?.length
}

function sameName(one: FieldPath, other: FieldPath): boolean {
  return isPlain(one) && isPlain(other) && one.names[0] === other.names[0]
}
