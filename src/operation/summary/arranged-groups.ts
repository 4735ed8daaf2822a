import type { ScalarType } from '../../model/value-type.ts'
import { compareScalars } from '../../query/compare.ts'
import { toDecimalKey } from '../../query/decimal.ts'
import { decimalToText, toDecimalNumber } from '../../query/decimal-number.ts'
import type { ItemGroup } from '../../query/group-plan.ts'
import type { Condition, Scalar } from '../../query/query-plan.ts'
import { resultType } from '../../rule/parameter/aggregate-functions.ts'
import type { GroupsSelection } from '../../rule/selection.ts'
import { comparisonKey } from '../../store/evaluation/evaluate.ts'
import { type ValueCondition, valueMatcher } from '../../store/evaluation/value-matcher.ts'
import type { GroupValues } from '../operation-result.ts'
import { aggregateValues } from './aggregate-values.ts'

/** A key or a result, by its name. */
interface Column {
  valueIn(group: GroupValues): Scalar
  /** The form in which its values compare. */
  comparable(value: Scalar): Scalar
}

/** The groups that the selection keeps, in its order; without one in that of the keys. */
export function arrangedGroups(
  selection: GroupsSelection,
  groups: readonly ItemGroup[],
): readonly GroupValues[] {
  const { keys, aggregates, condition, sort } = selection
  const columns = columnsOf(selection)
  const matches = groupMatcher(columns, condition)
  const shown = groups
    .map((group) => ({
      by: Object.fromEntries(keys.map(({ name }, index) => [name, group.keys[index] ?? null])),
      aggregates: aggregateValues(aggregates, group),
    }))
    .filter(matches)
  if (sort.length === 0) return shown
  const order = sort.map(({ path, direction }) => ({
    column: columns.get(path.names[0]!)!,
    sign: direction === 'asc' ? 1 : -1,
  }))
  const rows = shown.map((group) => ({
    group,
    values: order.map(({ column }) => column.comparable(column.valueIn(group))),
  }))
  // A sort is stable, so ties stay in the order of their keys.
  rows.sort((one, other) => {
    for (const [index, { sign }] of order.entries()) {
      const compared = compareScalars(one.values[index]!, other.values[index]!)
      if (compared !== 0) return sign * compared
    }
    return 0
  })
  return rows.map(({ group }) => group)
}

function columnsOf({ keys, aggregates }: GroupsSelection): ReadonlyMap<string, Column> {
  return new Map([
    ...keys.map(({ name, type }): [string, Column] => [
      name,
      { valueIn: ({ by }) => by[name] ?? null, comparable: comparableOf(type) },
    ]),
    ...aggregates.map((aggregate): [string, Column] => [
      aggregate.name,
      {
        valueIn: (group) => group.aggregates[aggregate.name] ?? null,
        comparable: comparableOf(resultType(aggregate)),
      },
    ]),
  ])
}

/** A number that JSON does not hold exactly is a text, and compares as a number. */
function comparableOf(type: ScalarType): Column['comparable'] {
  if (type.kind !== 'integer' && type.kind !== 'number')
    return (value) => comparisonKey(type, value)
  return (value) => {
    const number =
      typeof value === 'number' || typeof value === 'string' ? toDecimalNumber(value) : undefined
    return number ? toDecimalKey(decimalToText(number)) : value
  }
}

function groupMatcher(
  columns: ReadonlyMap<string, Column>,
  condition: Condition,
): (group: GroupValues) => boolean {
  switch (condition.kind) {
    case 'always':
      return () => true
    case 'and': {
      const matchers = condition.conditions.map((inner) => groupMatcher(columns, inner))
      return (group) => matchers.every((matches) => matches(group))
    }
    case 'not': {
      const matches = groupMatcher(columns, condition.condition)
      return (group) => !matches(group)
    }
    case 'compare':
    case 'oneOf':
    case 'text':
      return columnMatcher(columns.get(condition.path.names[0]!)!, condition)
    default:
      throw new Error(`Groups have no conditions of the kind '${condition.kind}'.`)
  }
}

function columnMatcher(
  { valueIn, comparable }: Column,
  condition: ValueCondition,
): (group: GroupValues) => boolean {
  const matches = valueMatcher(condition, comparable)
  return condition.kind === 'text'
    ? (group) => matches(valueIn(group))
    : (group) => matches(comparable(valueIn(group)))
}
