import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import {
  bestIndexScan,
  isColumnPath,
  isComparison,
  isIdPath,
  isSingleValue,
} from '../sql/index-scan.ts'
import type { Planners, ReadStrategy } from '../sql/read-strategy.ts'
import {
  hasBeginning,
  hasRelatedTexts,
  type SearchedTable,
  searchedTables,
} from '../sql/search-candidates.ts'
import type { ReadableTable, Table, TableOf } from '../sql/table.ts'
import { postgresRowEstimate } from './row-estimate.ts'

/**
 * PostgreSQL chooses by its statistics how it reads. Its statements are told apart by what they
 * find: items by their ids or by a unique value, any number of items, or pages of a search.
 */
export const postgresStrategies: Planners<ReadStrategy> = Object.freeze({
  condition: (table, condition, cached) => cached ?? strategyOf(table, condition),
  plan: (table, plan, cached, tableOf) =>
    cached ?? searchStrategy(table, plan, tableOf) ?? strategyOf(table, plan.condition),
} satisfies Planners<ReadStrategy>)

const quick: ReadStrategy = Object.freeze({ name: 'any', isLong: false })
const long: ReadStrategy = Object.freeze({ name: 'any', isLong: true })

function strategyOf(table: Table, condition: Condition): ReadStrategy {
  return findsFew(table, condition) ? quick : long
}

/**
 * How pages of a search are read that an index of words serves. The planner does not know rare
 * words, and how many rows a related item has: it could read the table in the order of the list for
 * a word of no row. So the store looks at the index before it chooses.
 */
function searchStrategy(
  table: ReadableTable,
  plan: QueryPlan,
  tableOf: TableOf,
): ReadStrategy | undefined {
  const { condition, pageRange } = plan
  const operands = conjunctsOf(condition)
  const search = operands.find((operand) => operand.kind === 'search')
  if (!search || !table.hasUniqueIds || findsFew(table, condition)) return undefined
  const tables = searchedTables(tableOf, table, search, 'conditions')
  if (!tables) return undefined
  const scan = pageRange.kind === 'between' ? undefined : bestIndexScan(table, plan)
  const isFoundOtherwise = operands.some(
    (operand) => !scan?.bounds.includes(operand) && isIndexed(table, operand),
  )
  const canTrialScan = scan !== undefined && !isFoundOtherwise
  return {
    name: 'search',
    isLong: true,
    lookup: search,
    looksUpMany: !canTrialScan && !isFoundOtherwise,
    canTrialScan,
    looksUpAfterTrial: true,
    estimate: isEstimated(search, tables) ? postgresRowEstimate : 'unknown',
  }
}

/**
 * Do statistics say anything about a search? They know words, and how many rows lead to a related
 * item. Of a beginning that they leave out, the planner expects 2 % of the rows for each text.
 */
function isEstimated(
  search: SearchCondition,
  tables: readonly SearchedTable<'conditions'>[],
): boolean {
  return !hasBeginning(search) || tables.some(hasRelatedTexts)
}

/** Can an index find the rows of a condition other than a search? */
function isIndexed(table: Table, condition: Condition): boolean {
  const { leadingFields, joinTables } = table
  switch (condition.kind) {
    case 'compare':
    case 'oneOf':
    case 'text':
    case 'members': {
      const [name] = condition.path.names
      return name === 'id' || leadingFields.has(name!) || joinTables.has(name!)
    }
    case 'and':
    case 'or':
      return condition.conditions.some((operand) => isIndexed(table, operand))
    default:
      return false
  }
}

function findsFew(table: Table, condition: Condition): boolean {
  if (condition.kind === 'and')
    return condition.conditions.some((operand) => findsFew(table, operand))
  if (condition.kind === 'never') return true
  if (!isComparison(condition)) return false
  if (isIdPath(condition.path)) return condition.kind === 'oneOf' || isSingleValue(condition)
  return isSingleValue(condition) && !isNull(condition) && isUnique(table, condition)
}

type Comparison = Extract<Condition, { kind: 'compare' | 'oneOf' }>

function isNull(condition: Comparison): boolean {
  return (condition.kind === 'oneOf' ? condition.values[0] : condition.value) === null
}

function isUnique({ columns }: Table, { path }: Comparison): boolean {
  const column = columns.get(path.names[0]!)
  return column?.field.kind === 'value' && column.field.isUnique && isColumnPath(path, column)
}
