import type { Condition, PageRange, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import {
  bestIndexScan,
  isColumnPath,
  isComparison,
  isIdPath,
  isPlainPath,
  isRange,
  isSingleValue,
  type OrderedIndexScan,
} from '../sql/index-scan.ts'
import { canScanRelated } from '../sql/join-sort-paths.ts'
import type { Planners, ReadStrategy } from '../sql/read-strategy.ts'
import { searchedTables } from '../sql/search-candidates.ts'
import type { Column, Table, TableOf } from '../sql/table.ts'

/** How SQLite reads a table. */
export type AccessPath = PathKind & {
  /**
   * Whether an index has the order of the plan: its first rows may fill the page, whatever the
   * other conditions are.
   */
  readonly canTrialScan: boolean
  /**
   * Does a trial scan read only rows that the lookup finds? A probe before it would read the same
   * rows, and not have the page.
   */
  readonly isTrialWithinLookup: boolean
  /** May the indexes of related items have the order of the plan? See `RowSource`. */
  readonly canScanRelated: boolean
  readonly idsFirst: boolean
  /**
   * `'any'` when the path depends on the shape alone; else it depends on the number of ids and the
   * offset too, see `sizeClassOf`.
   */
  readonly sizeClass: number | 'any'
}

type PathKind = IndexScan | IndexLookup | SearchLookup | RangeScan | FullScan

/** An index has the rows of the page in order, so the cost grows with the page only. */
interface IndexScan extends ReadStrategy {
  readonly name: 'indexScan'
  readonly isIndexScan: true
}

/**
 * An index finds the rows for one part of the condition; all of them are read and sorted. A probe
 * counts them where their number is unknown.
 */
interface IndexLookup extends ReadStrategy {
  readonly name: 'indexLookup'
  readonly lookup: Condition
  readonly rowCount: RowCount
}

type RowCount = 'few' | 'unknown'

/**
 * An index of words finds the rows for a search. Where a probe finds many, they are read only if
 * neither an index for another part of the condition nor one in the order of the plan reads fewer.
 */
interface SearchLookup extends ReadStrategy {
  readonly name: 'searchLookup'
  readonly lookup: SearchCondition
  readonly looksUpMany: boolean
  readonly rowCount: 'unknown'
}

/** The range of an index is read if a probe finds few rows in it, else the whole table. */
interface RangeScan extends ReadStrategy {
  readonly name: 'rangeScan'
  readonly lookup: Condition
  readonly rowCount: 'unknown'
}

/** The whole table may be read. */
interface FullScan extends ReadStrategy {
  readonly name: 'fullScan'
}

/** Lists of more ids, and larger offsets, are no longer cheap. */
export const maxCheapRows = 1_000

/** Chooses access paths for a database without statistics. */
export const accessPathPlanners: Planners<AccessPath> = {
  condition(table, condition, cached, tableOf) {
    if (cached?.sizeClass === 'any') return cached
    const search = indexedSearch(table, condition, tableOf)
    if (search) return { ...ofAnyOrder, ...searchLookup(table, condition, search, false) }
    const sizeClass = hasIdList(condition) ? sizeClassOf(condition, 0) : withoutSize(condition)
    if (cached?.sizeClass === sizeClass) return cached
    return { ...ofAnyOrder, ...choosePath(table, condition), sizeClass }
  },
  plan(table, plan, cached, tableOf) {
    if (cached?.sizeClass === 'any') return cached
    const search = indexedSearch(table, plan.condition, tableOf)
    if (search) {
      const canTrialScan = trialScanOf(table, plan) !== undefined
      const lookup = searchLookup(table, plan.condition, search, canTrialScan)
      return { ...ofAnyOrder, ...lookup, idsFirst: plan.sort.length > 0, canTrialScan }
    }
    const offset = plan.pageRange.kind === 'offset' ? plan.pageRange.offset : 0
    const dependsOnSize = offset > 0 || hasIdList(plan.condition)
    const sizeClass = dependsOnSize
      ? sizeClassOf(plan.condition, offset)
      : withoutSize(plan.condition)
    if (cached?.sizeClass === sizeClass) return cached
    const path = isIndexScan(table, plan) ? indexScan : choosePath(table, plan.condition)
    const trial = path.name === 'indexScan' ? undefined : trialScanOf(table, plan)
    return {
      ...path,
      idsFirst: isSorted(table, plan, path.name),
      canTrialScan: trial !== undefined,
      isTrialWithinLookup: trial !== undefined && isBoundedBy(trial, path.lookup),
      canScanRelated: path.name !== 'indexScan' && canScanRelated(tableOf, table, plan),
      sizeClass,
    }
  },
}

const ofAnyOrder = Object.freeze({
  idsFirst: false,
  canTrialScan: false,
  isTrialWithinLookup: false,
  canScanRelated: false,
  // Whether the index has all rows may change, so that such a path is chosen each time.
  sizeClass: -1,
})

/**
 * The class of a path that depends on no size: it holds for good, unless an index of words may be
 * completed later.
 */
function withoutSize(condition: Condition): AccessPath['sizeClass'] {
  return operandsOf(condition).some(({ kind }) => kind === 'search') ? unindexedSearch : 'any'
}

const unindexedSearch = -2

/** A search for which indexes have all rows now, where no index has the items themselves. */
function indexedSearch(
  table: Table,
  condition: Condition,
  tableOf: TableOf,
): SearchCondition | undefined {
  const operands = operandsOf(condition)
  const search = operands.find((operand) => operand.kind === 'search')
  if (!search || operands.some((operand) => isFoundById(table, operand))) return undefined
  const searched = searchedTables(tableOf, table, search, 'queries')
  return searched?.every(({ index }) => index.isComplete()) ? search : undefined
}

function isFoundById(table: Table, operand: Condition): boolean {
  if (operand.kind === 'never') return true
  const match = indexMatchOf(table, operand)
  return match !== undefined && rowCountByMatch[match] === 'few'
}

function searchLookup(
  table: Table,
  condition: Condition,
  search: SearchCondition,
  canTrialScan: boolean,
): SearchLookup {
  const isFoundOtherwise = operandsOf(condition).some(
    (operand) => indexMatchOf(table, operand) !== undefined && !isOfBoolean(table, operand),
  )
  const looksUpMany = !canTrialScan && !isFoundOtherwise
  return { name: 'searchLookup', lookup: search, looksUpMany, rowCount: 'unknown' }
}

/** A boolean selects half of the table as a rule. */
function isOfBoolean({ columns }: Table, condition: Condition): boolean {
  if (!isComparison(condition)) return false
  const column = columns.get(condition.path.names[0]!)
  return column !== undefined && isBoolean(column)
}

const indexScan: IndexScan = Object.freeze({ name: 'indexScan', isIndexScan: true })

/** The access path where order does not matter. */
function choosePath(table: Table, condition: Condition): PathKind {
  if (condition.kind === 'never') return indexScan
  const candidates = operandsOf(condition).flatMap((operand) => {
    const match = indexMatchOf(table, operand)
    return match ? [{ operand, match }] : []
  })
  const [best] = candidates.sort(
    (one, other) => indexMatches.indexOf(one.match) - indexMatches.indexOf(other.match),
  )
  if (best)
    return { name: 'indexLookup', lookup: best.operand, rowCount: rowCountByMatch[best.match] }
  const range = indexedRangeOf(table, operandsOf(condition))
  return range ? { name: 'rangeScan', lookup: range, rowCount: 'unknown' } : { name: 'fullScan' }
}

/** The range of one index, with both of its ends where the condition has them. */
function indexedRangeOf(table: Table, operands: readonly Condition[]): Condition | undefined {
  const ranges = table.indexOrders.flatMap(({ keys: [first] }) => {
    const conditions = operands.filter((operand) => isRange(operand, first?.column))
    return conditions.length === 0 ? [] : [conditions]
  })
  const [best] = ranges.sort((one, other) => other.length - one.length)
  return best && { kind: 'and', conditions: best }
}

function operandsOf(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions : [condition]
}

function hasIdList(condition: Condition): boolean {
  return operandsOf(condition).some(
    (operand) => operand.kind === 'oneOf' && operand.values.length > 1 && isIdPath(operand.path),
  )
}

/** One bit for a large offset, and one for each long list of ids. */
function sizeClassOf(condition: Condition, offset: number): number {
  let sizeClass = offset > maxCheapRows ? 1 : 0
  for (const [index, operand] of operandsOf(condition).entries()) {
    if (operand.kind === 'oneOf' && operand.values.length > maxCheapRows && isIdPath(operand.path))
      sizeClass += 2 ** (index + 1)
  }
  return sizeClass
}

/** The index that has the order of the plan, whose first rows may fill the page. */
function trialScanOf(table: Table, plan: QueryPlan): OrderedIndexScan | undefined {
  const scan = bestIndexScan(table, plan)
  return scan && skipsFewRows(scan, plan.pageRange) ? scan : undefined
}

function isBoundedBy({ bounds }: OrderedIndexScan, lookup: Condition | undefined): boolean {
  return lookup !== undefined && operandsOf(lookup).every((operand) => bounds.includes(operand))
}

/**
 * May the engine have to sort the rows, because the access path does not have the order of the
 * plan?
 */
function isSorted(table: Table, { condition, sort }: QueryPlan, path: AccessPath['name']): boolean {
  if (path === 'indexScan') return false
  return path === 'indexLookup' || sort.length > 0 || mayUseIndex(table, condition)
}

/** May the engine use an index on another field than the id? */
function mayUseIndex(table: Table, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some((operand) => mayUseIndex(table, operand))
    case 'not':
      return mayUseIndex(table, condition.condition)
    case 'always':
    case 'never':
    case 'search':
      return false
    default:
      return table.indexOrders.some(
        ({ keys: [first] }) => first !== undefined && isColumnPath(condition.path, first.column),
      )
  }
}

function isIndexScan(table: Table, plan: QueryPlan): boolean {
  const { condition, sort, pageRange } = plan
  if (condition.kind === 'never') return true
  // The engine looks up one id after the other.
  if (condition.kind === 'oneOf' && condition.values.length > 1) {
    const isShort =
      condition.values.length <= maxCheapRows &&
      pageRange.kind === 'offset' &&
      pageRange.offset <= maxCheapRows
    return isIdPath(condition.path) && sort.length === 0 && isShort
  }
  const scan = bestIndexScan(table, plan)
  return scan !== undefined && scan.filters.length === 0 && skipsFewRows(scan, pageRange)
}

/** Does the index scan skip few rows before the page, and end with it? */
function skipsFewRows({ sortColumns }: OrderedIndexScan, pageRange: PageRange): boolean {
  if (pageRange.kind === 'offset') return pageRange.offset <= maxCheapRows
  // The end of a page between positions bounds the scan only where it is one range of the index.
  return pageRange.kind !== 'between' || (sortColumns.length <= 1 && !sortColumns[0]?.isNullable)
}

/**
 * How well an index matches a condition, most selective first: one id, a list of ids, an index of
 * that field alone, the leading column of an index over several fields.
 */
const indexMatches = ['id', 'ids', 'ownIndex', 'leadingColumn'] as const
type IndexMatch = (typeof indexMatches)[number]

const rowCountByMatch: Readonly<Record<IndexMatch, RowCount>> = {
  id: 'few',
  ids: 'few',
  ownIndex: 'unknown',
  leadingColumn: 'unknown',
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
