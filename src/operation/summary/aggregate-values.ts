import { isDecimal, type ScalarType } from '../../model/value-type.ts'
import { decimalToText, divideDecimal, toDecimalNumber, zero } from '../../query/decimal-number.ts'
import type { AggregateTerm, GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type { Condition, FieldPath, Scalar } from '../../query/query-plan.ts'
import type { RequestedAggregate } from '../../rule/selection.ts'

type OverValues = Exclude<RequestedAggregate, { function: 'count' }>

/** One group of all items that satisfy the condition. */
export function aggregatePlan(
  condition: Condition,
  aggregates: readonly RequestedAggregate[],
  guarded: (path: FieldPath) => FieldPath,
): GroupPlan {
  return {
    condition,
    by: [],
    aggregates: aggregateTerms(aggregates, guarded),
    order: 'keys',
    limit: 1,
  }
}

/** The values that a client asked for, by the names that it wrote. */
export function aggregateValues(
  aggregates: readonly RequestedAggregate[],
  { count, results }: ItemGroup,
): Readonly<Record<string, Scalar>> {
  let index = 0
  return Object.fromEntries(
    aggregates.map((aggregate) => {
      if (aggregate.function === 'count') return [aggregate.name, count]
      return [aggregate.name, resultOf(aggregate, results[index++]!)]
    }),
  )
}

/** An average is a sum and the number of its values. */
export function aggregateTerms(
  aggregates: readonly RequestedAggregate[],
  guarded: (path: FieldPath) => FieldPath,
): readonly AggregateTerm[] {
  return aggregates
    .filter((aggregate): aggregate is OverValues => aggregate.function !== 'count')
    .map(({ function: name, path }) => ({
      function: name === 'avg' ? 'sum' : name,
      path: guarded(path),
    }))
}

function resultOf(
  { function: name, type }: OverValues,
  result: ItemGroup['results'][number],
): Scalar {
  if (result.function !== 'sum') return 'value' in result ? result.value : result.count
  if (name === 'sum') return sumOf(type, result.sum)
  if (result.count === 0) return null
  const average = divideDecimal(toDecimalNumber(result.sum) ?? zero, result.count)
  return isDecimal(type) ? decimalToText(average) : Number(decimalToText(average))
}

/** JSON numbers lose the digits of larger integers, and do not reach sums beyond all doubles. */
function sumOf(type: ScalarType, sum: string): Scalar {
  if (isDecimal(type)) return sum
  const value = Number(sum)
  const isExact = type.kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  return isExact ? value : sum
}
