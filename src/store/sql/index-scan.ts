import type { Condition, FieldPath, QueryPlan, SortKey } from '../../query/query-plan.ts'
import type { Column, IndexOrder, Table } from './table.ts'

type Comparison = Extract<Condition, { kind: 'compare' | 'oneOf' }>

/** How an index leads through a table in the order of a plan, past each row once. */
export interface OrderedIndexScan {
  /**
   * The parts of the condition that bound the range of the index: equal values of its first keys,
   * then one range of the next.
   */
  readonly bounds: readonly Condition[]
  /** What else the rows on the way have to satisfy. */
  readonly filters: readonly Condition[]
  /** What the list is sorted by there, between the equal values and the id. */
  readonly sortColumns: readonly Column[]
}

/**
 * The way with the fewest conditions left to look at; undefined where no index has the order of the
 * plan. Depends on the plan's shape and the table only.
 */
export function bestIndexScan(table: Table, plan: QueryPlan): OrderedIndexScan | undefined {
  const parts = plan.condition.kind === 'and' ? plan.condition.conditions : [plan.condition]
  const sort = withoutId(plan.sort)
  const ways = sort
    ? table.indexOrders.flatMap((order) => indexScanAlong(order, parts, sort) ?? [])
    : []
  return ways.toSorted((one, other) => one.filters.length - other.filters.length)[0]
}

/**
 * Equal values have to fix the first keys of the index, and what is left of its keys has to be the
 * sort.
 */
function indexScanAlong(
  { keys }: IndexOrder,
  parts: readonly Condition[],
  sort: readonly SortKey[],
): OrderedIndexScan | undefined {
  const fixed = keys.length - sort.length
  if (fixed < 0) return undefined
  const last = keys.slice(fixed)
  const isSorted = last.every(
    ({ column, direction }, index) =>
      isColumnPath(sort[index]!.path, column) && sort[index]!.direction === direction,
  )
  const equals = keys
    .slice(0, fixed)
    .map(({ column }) => parts.find((part) => isEqual(part, column)))
  if (!isSorted || equals.includes(undefined)) return undefined
  const sorted = last.map(({ column }) => column)
  const bounds = parts.filter((part) => equals.includes(part) || isRange(part, sorted[0]))
  return {
    bounds,
    filters: parts.filter((part) => part.kind !== 'always' && !bounds.includes(part)),
    sortColumns: sorted,
  }
}

/** Undefined for orders by the id that no index has. */
function withoutId(sort: readonly SortKey[]): readonly SortKey[] | undefined {
  if (!sort.some(({ path }) => isIdPath(path))) return sort
  return sort.length === 1 && sort[0]!.direction === 'asc' ? [] : undefined
}

/** Does the part fix the column to one value, which may be null? */
function isEqual(part: Condition, column: Column): boolean {
  return isComparison(part) && isSingleValue(part) && isColumnPath(part.path, column)
}

/**
 * Is what satisfies the part one range of the column, or of the ids where there is no column left?
 */
function isRange(part: Condition, column: Column | undefined): boolean {
  if (!isComparison(part) || !(isSingleValue(part) || isOneSided(part))) return false
  if (!column) return isIdPath(part.path)
  // Less than a value means null or less: two ranges.
  return isColumnPath(part.path, column) && !(column.isNullable && isUpperBound(part))
}

export function isComparison(part: Condition): part is Comparison {
  return part.kind === 'compare' || part.kind === 'oneOf'
}

/** Does it compare for being equal to one value? */
export function isSingleValue(part: Comparison): boolean {
  return part.kind === 'oneOf' ? part.values.length === 1 : part.operator === 'equal'
}

function isOneSided(part: Comparison): boolean {
  return part.kind === 'compare' && part.operator !== 'notEqual'
}

function isUpperBound(part: Comparison): boolean {
  return (
    part.kind === 'compare' && (part.operator === 'lessThan' || part.operator === 'lessThanOrEqual')
  )
}

export function isIdPath(path: FieldPath): boolean {
  return path.names.length === 1 && path.names[0] === 'id'
}

export function isColumnPath(path: FieldPath, { field }: Column): boolean {
  return isPlainPath(path) && path.names[0] === field.name
}

/** Without a guard that would have to look at another table. */
export function isPlainPath(path: FieldPath): boolean {
  return path.names.length === 1 && !path.guards?.length
}
