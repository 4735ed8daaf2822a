import { isDay, isDecimal, isInstant, type ScalarType } from '../../model/value-type.ts'
import type { RequestedAggregate } from '../selection.ts'
import type { AggregatedPath } from './aggregated-path.ts'

export type ValueFunction = Exclude<RequestedAggregate['function'], 'count'>

interface FunctionDescription {
  takes(path: AggregatedPath): boolean
  /** What it takes, as a message says it. */
  readonly expected: string
}

/** What each function over the values of a member takes. */
export const valueFunctions: Readonly<Record<ValueFunction, FunctionDescription>> = {
  sum: { takes: isNumeric, expected: 'a number' },
  avg: { takes: isNumeric, expected: 'a number' },
  min: { takes: isOrdered, expected: 'a number or a date' },
  max: { takes: isOrdered, expected: 'a number or a date' },
  countDistinct: { takes: ({ isMany }) => !isMany, expected: 'a single value' },
}

/** The type of what a function results in, where that is not null. */
export function resultType(aggregate: RequestedAggregate): ScalarType {
  switch (aggregate.function) {
    case 'count':
    case 'countDistinct':
      return { kind: 'integer' }
    case 'sum':
    case 'avg':
      return isDecimal(aggregate.type) ? aggregate.type : { kind: 'number' }
    default:
      return aggregate.type
  }
}

function isNumeric({ type, isMany, isRelation }: AggregatedPath): boolean {
  return !isMany && !isRelation && isNumberType(type)
}

function isOrdered({ type, isMany, isRelation }: AggregatedPath): boolean {
  return !isMany && !isRelation && (isNumberType(type) || isDay(type) || isInstant(type))
}

function isNumberType(type: ScalarType): boolean {
  return type.kind === 'number' || type.kind === 'integer' || isDecimal(type)
}
