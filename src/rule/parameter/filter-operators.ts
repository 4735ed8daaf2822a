import {
  isDecimal,
  isScalar,
  plainText,
  type ScalarType,
  withoutAllowedValues,
} from '../../model/value-type.ts'
import { negate } from '../../query/conditions.ts'
import type { Condition, FieldPath, Scalar, TextOperator } from '../../query/query-plan.ts'
import type { FieldReference } from './resolve-wire-path.ts'

/** A filter operator: its operands and its condition. A bound need not be a value of an enum. */
export type FilterOperator =
  | {
      readonly operandKind: 'value' | 'bound'
      readonly condition: (path: FieldPath, value: Scalar) => Condition
    }
  | {
      readonly operandKind: 'text' | 'pattern'
      readonly condition: (path: FieldPath, value: string) => Condition
    }
  | {
      readonly operandKind: 'values'
      readonly condition: (path: FieldPath, values: readonly Scalar[]) => Condition
    }
  | { readonly operandKind: 'flag'; readonly condition: (path: FieldPath) => Condition }

/** Characters of the text that is searched for, except patterns. */
export const maxSearchLength = 1_000

const comparisonOperator = (
  operandKind: 'value' | 'bound',
  operator: Extract<Condition, { kind: 'compare' }>['operator'],
): FilterOperator => ({
  operandKind,
  condition: (path, value) => ({ kind: 'compare', path, operator, value }),
})

const textOperator = (operandKind: 'text' | 'pattern', operator: TextOperator): FilterOperator => ({
  operandKind,
  condition: (path: FieldPath, value: string): Condition => ({
    kind: 'text',
    path,
    operator,
    value,
  }),
})

const memberOperator = (quantity: 'any' | 'all'): FilterOperator => ({
  operandKind: 'values',
  condition: (path, values) => ({ kind: 'members', path, quantity, values }),
})

const oneOfCondition = (path: FieldPath, values: readonly Scalar[]): Condition => ({
  kind: 'oneOf',
  path,
  values,
})

const comparisonOperators: Readonly<Record<string, FilterOperator>> = {
  eq: comparisonOperator('value', 'equal'),
  ne: comparisonOperator('value', 'notEqual'),
  gt: comparisonOperator('bound', 'greaterThan'),
  gte: comparisonOperator('bound', 'greaterThanOrEqual'),
  lt: comparisonOperator('bound', 'lessThan'),
  lte: comparisonOperator('bound', 'lessThanOrEqual'),
  in: { operandKind: 'values', condition: oneOfCondition },
  nin: {
    operandKind: 'values',
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
  iequals: textOperator('text', 'equalIgnoringCase'),
  icontains: textOperator('text', 'containsIgnoringCase'),
  istartsWith: textOperator('text', 'startsWithIgnoringCase'),
}

const memberOperators: Readonly<Record<string, FilterOperator>> = {
  any: memberOperator('any'),
  all: memberOperator('all'),
}

/** A field that can be filtered by: the type of its operands, and its operators. */
export interface FilterableField {
  readonly type: ScalarType
  readonly operators: ReadonlyMap<string, FilterOperator>
}

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

/** The type of the operands of an operator on a field of this type. */
export function operandType(kind: FilterOperator['operandKind'], type: ScalarType): ScalarType {
  switch (kind) {
    case 'text':
    case 'pattern':
      return plainText
    case 'flag':
      return booleanType
    case 'bound':
      return withoutAllowedValues(type)
    default:
      return type
  }
}

/** Decimal numbers are texts in JSON only. */
function isSearchable(type: ScalarType): boolean {
  return type.kind === 'text' && !isDecimal(type)
}

export function filterableValue(type: ScalarType): FilterableField {
  return { type, operators: isSearchable(type) ? textOperators : scalarOperators }
}

/** Undefined if the field cannot be filtered by. */
export function toFilterableField(reference: FieldReference): FilterableField | undefined {
  switch (reference.kind) {
    case 'id':
      return { type: plainText, operators: textOperators }
    case 'other':
      return undefined
    case 'relation':
      return {
        type: plainText,
        operators: reference.field.kind === 'toOne' ? identifierOperators : listOperators,
      }
    case 'value':
      if (!reference.field.isFilterable) return undefined
      if (isScalar(reference.type)) return filterableValue(reference.type)
      if (reference.type.kind === 'array' && isScalar(reference.type.items))
        return { type: reference.type.items, operators: listOperators }
      return undefined
  }
}
