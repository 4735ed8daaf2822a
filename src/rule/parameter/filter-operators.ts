import { isScalar, type ScalarType, withoutAllowedValues } from '../../model/value-type.ts'
import { negate } from '../../query/conditions.ts'
import type { Condition, FieldPath, Scalar, TextOperator } from '../../query/query-plan.ts'
import type { FieldReference } from './resolve-wire-path.ts'

/** What an operator takes, and what that makes. A bound need not be a value that there is. */
export type FilterOperator =
  | {
      readonly operandKind: 'one' | 'bound'
      readonly condition: (path: FieldPath, value: Scalar) => Condition
    }
  | {
      readonly operandKind: 'text' | 'pattern'
      readonly condition: (path: FieldPath, value: string) => Condition
    }
  | {
      readonly operandKind: 'several'
      readonly condition: (path: FieldPath, values: readonly Scalar[]) => Condition
    }
  | { readonly operandKind: 'flag'; readonly condition: (path: FieldPath) => Condition }

/** Characters of a text to search for: longer ones are of no use to find anything with. */
export const maxSearchLength = 1_000

const comparisonOperator = (
  takes: 'one' | 'bound',
  operator: Extract<Condition, { kind: 'compare' }>['operator'],
): FilterOperator => ({
  operandKind: takes,
  condition: (path, value) => ({ kind: 'compare', path, operator, value }),
})

const textOperator = (takes: 'text' | 'pattern', operator: TextOperator): FilterOperator => ({
  operandKind: takes,
  condition: (path: FieldPath, value: string): Condition => ({
    kind: 'text',
    path,
    operator,
    value,
  }),
})

const memberOperator = (quantity: 'any' | 'all'): FilterOperator => ({
  operandKind: 'several',
  condition: (path, values) => ({ kind: 'members', path, quantity, values }),
})

const oneOfCondition = (path: FieldPath, values: readonly Scalar[]): Condition => ({
  kind: 'oneOf',
  path,
  values,
})

const comparisonOperators: Readonly<Record<string, FilterOperator>> = {
  eq: comparisonOperator('one', 'equal'),
  ne: comparisonOperator('one', 'notEqual'),
  gt: comparisonOperator('bound', 'greaterThan'),
  gte: comparisonOperator('bound', 'greaterThanOrEqual'),
  lt: comparisonOperator('bound', 'lessThan'),
  lte: comparisonOperator('bound', 'lessThanOrEqual'),
  in: { operandKind: 'several', condition: oneOfCondition },
  nin: {
    operandKind: 'several',
    condition: (path, values) => negate(oneOfCondition(path, values)),
  },
  isNull: {
    operandKind: 'flag',
    condition: (path) => ({ kind: 'compare', path, operator: 'equal', value: null }),
  },
}

const searchOperators: Readonly<Record<string, FilterOperator>> = {
  contains: textOperator('text', 'contains'),
  startsWith: textOperator('text', 'startsWith'),
  endsWith: textOperator('text', 'endsWith'),
  like: textOperator('pattern', 'like'),
}

const memberOperators: Readonly<Record<string, FilterOperator>> = {
  any: memberOperator('any'),
  all: memberOperator('all'),
}

/** What the values of a filter are compared with, and by which operators. */
export interface FilterableField {
  readonly type: ScalarType
  readonly operators: ReadonlyMap<string, FilterOperator>
}

const anyText: ScalarType = { kind: 'text', format: undefined }
const booleanType: ScalarType = { kind: 'boolean' }
const textOperators: ReadonlyMap<string, FilterOperator> = new Map(
  Object.entries({ ...comparisonOperators, ...searchOperators }),
)
const scalarOperators: ReadonlyMap<string, FilterOperator> = new Map(
  Object.entries(comparisonOperators),
)
const identifierOperators: ReadonlyMap<string, FilterOperator> = new Map(
  Object.entries(comparisonOperators).filter(([name]) =>
    ['eq', 'ne', 'in', 'nin', 'isNull'].includes(name),
  ),
)
const listOperators: ReadonlyMap<string, FilterOperator> = new Map(Object.entries(memberOperators))

/** What the operands of an operator are read as, where it compares with a field of this type. */
export function operandType(takes: FilterOperator['operandKind'], type: ScalarType): ScalarType {
  switch (takes) {
    case 'text':
    case 'pattern':
      return anyText
    case 'flag':
      return booleanType
    case 'bound':
      return withoutAllowedValues(type)
    default:
      return type
  }
}

/** Undefined for what cannot be filtered by. */
export function toFilterableField(end: FieldReference): FilterableField | undefined {
  switch (end.kind) {
    case 'id':
      return { type: anyText, operators: textOperators }
    case 'other':
      return undefined
    case 'relation':
      return {
        type: anyText,
        operators: end.field.kind === 'toOne' ? identifierOperators : listOperators,
      }
    case 'value':
      if (!end.field.isFilterable) return undefined
      if (isScalar(end.type))
        return {
          type: end.type,
          operators: end.type.kind === 'text' ? textOperators : scalarOperators,
        }
      if (end.type.kind === 'array' && isScalar(end.type.items))
        return { type: end.type.items, operators: listOperators }
      return undefined
  }
}
