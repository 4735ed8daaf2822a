import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, PageRange, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import {
  bestIndexScan,
  isColumnPath,
  isIdPath,
  isRange,
  type OrderedIndexScan,
} from '../sql/index-scan.ts'
import { isOrderedByIndexes } from '../sql/indexed-search.ts'
import { canScanRelated } from '../sql/join-sort-paths.ts'
import type { Planners, ReadStrategy } from '../sql/read-strategy.ts'
import { searchedTables } from '../sql/search-candidates.ts'
import { isDecidedByIndexes } from '../sql/search-lookup.ts'
import type { Table, TableOf } from '../sql/table.ts'
import { bestIndexMatch, isFoundById, isFoundByIndex, type RowCount } from './index-match.ts'
import {
  maxCheapIds,
  maxCheapRows,
  type SizeClass,
  sizeClassOf,
  unknownSize,
} from './size-class.ts'

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
  readonly sizeClass: SizeClass
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

/**
 * An index of words finds the rows for a search. Where a probe finds many, they are read only if
 * neither an index for another part of the condition nor one in the order of the plan reads fewer.
 */
interface SearchLookup extends ReadStrategy {
  readonly name: 'searchLookup'
  readonly lookup: SearchCondition
  readonly looksUpMany: boolean
  readonly looksUpAfterTrial: boolean
  readonly rowCount: 'unknown'
  readonly cheapRows: number
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

/** Chooses access paths for a database without statistics. */
export const accessPathPlanners: Planners<AccessPath> = {
  condition(table, condition, cached, tableOf) {
    if (cached?.sizeClass === 'any') return cached
    const search = indexedSearch(table, condition, tableOf)
    if (search) return { ...ofAnyOrder, ...searchLookup(table, condition, search, false) }
    const sizeClass = sizeClassOf(condition, 0)
    if (cached?.sizeClass === sizeClass) return cached
    return { ...ofAnyOrder, ...choosePath(table, condition), sizeClass }
  },
  plan(table, plan, cached, tableOf) {
    if (cached?.sizeClass === 'any') return cached
    const search = indexedSearch(table, plan.condition, tableOf)
    if (search) {
      const canTrialScan = trialScanOf(table, plan) !== undefined
      const lookup = searchLookup(table, plan.condition, search, canTrialScan)
      const cheapRows = cached?.cheapRows ?? cheapRowsOf(table, plan, search, tableOf)
      return { ...ofAnyOrder, ...lookup, idsFirst: plan.sort.length > 0, canTrialScan, cheapRows }
    }
    const offset = plan.pageRange.kind === 'offset' ? plan.pageRange.offset : 0
    const sizeClass = sizeClassOf(plan.condition, offset)
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
  sizeClass: unknownSize,
})

/** A search for which indexes have all rows now, where no index has the items themselves. */
function indexedSearch(
  table: Table,
  condition: Condition,
  tableOf: TableOf,
): SearchCondition | undefined {
  const operands = conjunctsOf(condition)
  const search = operands.find((operand) => operand.kind === 'search')
  if (!search || operands.some((operand) => isFoundById(table, operand))) return undefined
  const searched = searchedTables(tableOf, table, search, 'queries')
  return searched?.every(({ index }) => index.isComplete()) ? search : undefined
}

/** To find an id and its place in the order takes a fraction of the time of a row. */
function cheapRowsOf(
  table: Table,
  plan: QueryPlan,
  search: SearchCondition,
  tableOf: TableOf,
): number {
  return isOrderedByIndexes(tableOf, table, plan, search) &&
    isDecidedByIndexes(tableOf, table, search)
    ? maxCheapIds
    : maxCheapRows
}

function searchLookup(
  table: Table,
  condition: Condition,
  search: SearchCondition,
  canTrialScan: boolean,
): SearchLookup {
  const isFoundOtherwise = conjunctsOf(condition).some((operand) => isFoundByIndex(table, operand))
  return {
    name: 'searchLookup',
    lookup: search,
    looksUpMany: !canTrialScan && !isFoundOtherwise,
    looksUpAfterTrial: !isFoundOtherwise,
    rowCount: 'unknown',
    cheapRows: maxCheapRows,
  }
}

const indexScan: IndexScan = Object.freeze({ name: 'indexScan', isIndexScan: true })

/** The access path where order does not matter. */
function choosePath(table: Table, condition: Condition): PathKind {
  if (condition.kind === 'never') return indexScan
  const match = bestIndexMatch(table, conjunctsOf(condition))
  if (match) return { name: 'indexLookup', ...match }
  const range = indexedRangeOf(table, conjunctsOf(condition))
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

/** The index that has the order of the plan, whose first rows may fill the page. */
function trialScanOf(table: Table, plan: QueryPlan): OrderedIndexScan | undefined {
  const scan = bestIndexScan(table, plan)
  return scan && skipsFewRows(scan, plan.pageRange) ? scan : undefined
}

function isBoundedBy({ bounds }: OrderedIndexScan, lookup: Condition | undefined): boolean {
  return lookup !== undefined && conjunctsOf(lookup).every((operand) => bounds.includes(operand))
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
