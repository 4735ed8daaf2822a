import type { Condition } from '../../query/query-plan.ts'
import { isColumnPath, isComparison, isIdPath, isSingleValue } from '../sql/index-scan.ts'
import type { Planners, ReadStrategy } from '../sql/read-strategy.ts'
import type { Table } from '../sql/table.ts'

/**
 * PostgreSQL chooses by its statistics how it reads. Its statements are told apart by what they
 * find: items by their ids or by a unique value, or any number of items.
 */
export const postgresStrategies: Planners<ReadStrategy> = Object.freeze({
  condition: (table, condition, cached) => cached ?? strategyOf(table, condition),
  plan: (table, { condition }, cached) => cached ?? strategyOf(table, condition),
} satisfies Planners<ReadStrategy>)

const quick: ReadStrategy = Object.freeze({ name: 'any', isLong: false })
const long: ReadStrategy = Object.freeze({ name: 'any', isLong: true })

function strategyOf(table: Table, condition: Condition): ReadStrategy {
  return findsFew(table, condition) ? quick : long
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
