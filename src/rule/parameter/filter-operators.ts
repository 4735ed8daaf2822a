import { isScalar, type ScalarType, withoutValues } from '../../model/value-type.ts'
import { negated } from '../../query/conditions.ts'
import type { Condition, FieldPath, Scalar, TextOperator } from '../../query/query-plan.ts'
import type { ClientEnd } from './client-path.ts'

/** What an operator takes, and what that makes. A bound need not be a value that there is. */
export type FilterOperator =
  | { readonly takes: 'one' | 'bound'; readonly condition: (path: FieldPath, value: Scalar) => Condition }
  | { readonly takes: 'text' | 'pattern'; readonly condition: (path: FieldPath, value: string) => Condition }
  | { readonly takes: 'several'; readonly condition: (path: FieldPath, values: readonly Scalar[]) => Condition }
  | { readonly takes: 'flag'; readonly condition: (path: FieldPath) => Condition }

/** Characters of a text to search for: longer ones are of no use to find anything with. */
export const maxSearchLength = 1_000

const compare = (
  takes: 'one' | 'bound',
  operator: Extract<Condition, { kind: 'compare' }>['operator'],
): FilterOperator => ({
  takes,
  condition: (path, value) => ({ kind: 'compare', path, operator, value }),
})

const text = (takes: 'text' | 'pattern', operator: TextOperator): FilterOperator => ({
  takes,
  condition: (path: FieldPath, value: string): Condition => ({ kind: 'text', path, operator, value }),
})

const members = (quantity: 'any' | 'all'): FilterOperator => ({
  takes: 'several',
  condition: (path, values) => ({ kind: 'members', path, quantity, values }),
})

const oneOf = (path: FieldPath, values: readonly Scalar[]): Condition => ({ kind: 'oneOf', path, values })

const comparable: Readonly<Record<string, FilterOperator>> = {
  eq: compare('one', 'equal'),
  ne: compare('one', 'notEqual'),
  gt: compare('bound', 'greaterThan'),
  gte: compare('bound', 'greaterThanOrEqual'),
  lt: compare('bound', 'lessThan'),
  lte: compare('bound', 'lessThanOrEqual'),
  in: { takes: 'several', condition: oneOf },
  nin: { takes: 'several', condition: (path, values) => negated(oneOf(path, values)) },
  isNull: { takes: 'flag', condition: (path) => ({ kind: 'compare', path, operator: 'equal', value: null }) },
}

const searchable: Readonly<Record<string, FilterOperator>> = {
  contains: text('text', 'contains'),
  startsWith: text('text', 'startsWith'),
  endsWith: text('text', 'endsWith'),
  like: text('pattern', 'like'),
}

const holding: Readonly<Record<string, FilterOperator>> = { any: members('any'), all: members('all') }

/** What the values of a filter are compared with, and by which operators. */
export interface Filterable {
  readonly type: ScalarType
  readonly operators: ReadonlyMap<string, FilterOperator>
}

const anyText: ScalarType = { kind: 'text', format: undefined }
const flag: ScalarType = { kind: 'boolean' }
const ofText: ReadonlyMap<string, FilterOperator> = new Map(Object.entries({ ...comparable, ...searchable }))
const ofOthers: ReadonlyMap<string, FilterOperator> = new Map(Object.entries(comparable))
const ofIdentifiers: ReadonlyMap<string, FilterOperator> = new Map(
  Object.entries(comparable).filter(([name]) => ['eq', 'ne', 'in', 'nin', 'isNull'].includes(name)),
)
const ofMany: ReadonlyMap<string, FilterOperator> = new Map(Object.entries(holding))

/** What the operands of an operator are read as, where it compares with a field of this type. */
export function operandType(takes: FilterOperator['takes'], type: ScalarType): ScalarType {
  switch (takes) {
    case 'text':
    case 'pattern':
      return anyText
    case 'flag':
      return flag
    case 'bound':
      return withoutValues(type)
    default:
      return type
  }
}

/** Undefined for what cannot be filtered by. */
export function filterable(end: ClientEnd): Filterable | undefined {
  switch (end.kind) {
    case 'id':
      return { type: anyText, operators: ofText }
    case 'other':
      return undefined
    case 'relation':
      return { type: anyText, operators: end.field.kind === 'toOne' ? ofIdentifiers : ofMany }
    case 'value':
      if (!end.field.filter) return undefined
      if (isScalar(end.type)) return { type: end.type, operators: end.type.kind === 'text' ? ofText : ofOthers }
      if (end.type.kind === 'array' && isScalar(end.type.items)) return { type: end.type.items, operators: ofMany }
      return undefined
  }
}
