import type { Condition } from '../../query/query-plan.ts'
import {
  isColumnPath,
  isComparison,
  isIdPath,
  isPlainPath,
  isSingleValue,
} from '../sql/index-scan.ts'
import type { Column, Table } from '../sql/table.ts'
import { maxCheapRows } from './size-class.ts'

/**
 * How well an index matches a condition, most selective first: one id, a list of ids, an index of
 * that field alone, the leading column of an index over several fields.
 */
const indexMatches = ['id', 'ids', 'ownIndex', 'leadingColumn'] as const
type IndexMatch = (typeof indexMatches)[number]

/** How many rows an index finds by a match, as far as that is known without a probe. */
export type RowCount = 'few' | 'unknown'

const rowCountByMatch: Readonly<Record<IndexMatch, RowCount>> = {
  id: 'few',
  ids: 'few',
  ownIndex: 'unknown',
  leadingColumn: 'unknown',
}

/** The part of the condition that an index matches best; undefined if none has a match. */
export function bestIndexMatch(
  table: Table,
  operands: readonly Condition[],
): { readonly lookup: Condition; readonly rowCount: RowCount } | undefined {
  const candidates = operands.flatMap((operand) => {
    const match = indexMatchOf(table, operand)
    return match ? [{ operand, match }] : []
  })
  const [best] = candidates.sort(
    (one, other) => indexMatches.indexOf(one.match) - indexMatches.indexOf(other.match),
  )
  return best && { lookup: best.operand, rowCount: rowCountByMatch[best.match] }
}

/** Does the condition find at most one item, or those of a short list of ids? */
export function isFoundById(table: Table, operand: Condition): boolean {
  if (operand.kind === 'never') return true
  const match = indexMatchOf(table, operand)
  return match !== undefined && rowCountByMatch[match] === 'few'
}

/** Does an index find the items of the condition, which are likely to be few of the table? */
export function isFoundByIndex(table: Table, operand: Condition): boolean {
  return indexMatchOf(table, operand) !== undefined && !isOfBoolean(table, operand)
}

function indexMatchOf(table: Table, condition: Condition): IndexMatch | undefined {
  if (condition.kind === 'members')
    return isJoinTableLookup(table, condition) ? 'ownIndex' : undefined
  if (!isComparison(condition) || (condition.kind === 'compare' && !isSingleValue(condition)))
    return undefined
  if (isIdPath(condition.path))
    return isSingleValue(condition)
      ? 'id'
      : condition.kind === 'oneOf' && condition.values.length > maxCheapRows
        ? 'ownIndex'
        : 'ids'
  const leading = table.indexOrders.filter(
    ({ keys: [first] }) => first !== undefined && isColumnPath(condition.path, first.column),
  )
  if (leading.some(({ keys }) => keys.length === 1)) return 'ownIndex'
  // A boolean selects half of the table as a rule; a full scan in order costs less than to look up
  // and sort these rows.
  return leading.some(({ keys: [first] }) => !isBoolean(first!.column))
    ? 'leadingColumn'
    : undefined
}

/** A boolean selects half of the table as a rule. */
function isOfBoolean({ columns }: Table, condition: Condition): boolean {
  if (!isComparison(condition)) return false
  const column = columns.get(condition.path.names[0]!)
  return column !== undefined && isBoolean(column)
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
