import { idDirection } from '../../query/compare.ts'
import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, FieldPath, QueryPlan, SortKey } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { Column, IndexOrder, Table } from './table.ts'

type Comparison = Extract<Condition, { kind: 'compare' | 'oneOf' }>

/** An index that has the rows in the order of a plan. */
export interface OrderedIndexScan {
  /**
   * The conditions that bound the range of the index: equal values of its first keys, then one
   * range of the next key.
   */
  readonly bounds: readonly Condition[]
  /** The conditions that remain to be checked for each row. */
  readonly filters: readonly Condition[]
  /** The columns that sort the rows, between the equal values and the id. */
  readonly sortColumns: readonly Column[]
}

/**
 * The index scan with the fewest filters; undefined where no index has the order of the plan. The
 * result depends only on the shape of the plan and the table.
 */
export function bestIndexScan(table: Table, plan: QueryPlan): OrderedIndexScan | undefined {
  const conditions = conjunctsOf(plan.condition)
  const scans = table.indexOrders.flatMap(
    (order) => indexScanAlong(order, conditions, plan.sort) ?? [],
  )
  return scans.toSorted((one, other) => one.filters.length - other.filters.length)[0]
}

/**
 * Equal values must fix the first keys of the index, and its other keys must be the sort keys, all
 * in their directions or all reversed.
 */
function indexScanAlong(
  { keys }: IndexOrder,
  conditions: readonly Condition[],
  sort: readonly SortKey[],
): OrderedIndexScan | undefined {
  const sortKeys = keysBeforeId(sort)
  const equalCount = keys.length - sortKeys.length
  if (equalCount < 0) return undefined
  const sortedKeys = keys.slice(equalCount)
  const idOrder = idDirection(sort.slice(0, sortKeys.length + 1))
  const isReversed = idOrder !== (keys.at(-1)?.direction ?? 'asc')
  const isSorted = sortedKeys.every(
    ({ column, direction }, index) =>
      isKeyOf(sortKeys[index]!, column) &&
      (sortKeys[index]!.direction === direction) !== isReversed,
  )
  const equals = keys
    .slice(0, equalCount)
    .map(({ column }) => conditions.find((condition) => isEqual(condition, column)))
  if (!isSorted || equals.includes(undefined)) return undefined
  const sortColumns = sortedKeys.map(({ column }) => column)
  const bounds = conditions.filter(
    (condition) => equals.includes(condition) || isRange(condition, sortColumns[0]),
  )
  return {
    bounds,
    filters: conditions.filter(
      (condition) => condition.kind !== 'always' && !bounds.includes(condition),
    ),
    sortColumns,
  }
}

function isKeyOf(key: SortKey, column: Column): boolean {
  return !isRelevance(key) && isColumnPath(key.path, column)
}

/** Keys after the id order nothing, since no two items have the same id. */
function keysBeforeId(sort: readonly SortKey[]): readonly SortKey[] {
  const idIndex = sort.findIndex((key) => !isRelevance(key) && isIdPath(key.path))
  return idIndex === -1 ? sort : sort.slice(0, idIndex)
}

/** Does the condition fix the column to one value, which may be null? */
function isEqual(condition: Condition, column: Column): boolean {
  return isComparison(condition) && isSingleValue(condition) && isColumnPath(condition.path, column)
}

/** Does the condition select one range of the column, or of the ids where no column is left? */
export function isRange(condition: Condition, column: Column | undefined): boolean {
  if (!isComparison(condition) || !(isSingleValue(condition) || isOneSided(condition))) return false
  if (!column) return isIdPath(condition.path)
  // Null is less than any value, so these are two ranges.
  return isColumnPath(condition.path, column) && !(column.isNullable && isUpperBound(condition))
}

export function isComparison(condition: Condition): condition is Comparison {
  return condition.kind === 'compare' || condition.kind === 'oneOf'
}

/** Does it compare with one value for equality? */
export function isSingleValue(condition: Comparison): boolean {
  return condition.kind === 'oneOf' ? condition.values.length === 1 : condition.operator === 'equal'
}

function isOneSided(condition: Comparison): boolean {
  return condition.kind === 'compare' && condition.operator !== 'notEqual'
}

function isUpperBound(condition: Comparison): boolean {
  return (
    condition.kind === 'compare' &&
    (condition.operator === 'lessThan' || condition.operator === 'lessThanOrEqual')
  )
}

export function isIdPath(path: FieldPath): boolean {
  return isPlainPath(path) && path.names[0] === 'id'
}

export function isColumnPath(path: FieldPath, { field }: Column): boolean {
  return isPlainPath(path) && path.names[0] === field.name
}

/** Is it one member of the item, without a guard that may make it null? */
export function isPlainPath(path: FieldPath): boolean {
  return path.names.length === 1 && !path.guards?.length
}
