import type { ScalarType } from '../../model/value-type.ts'
import type { Scalar } from '../../query/query-plan.ts'

/** The type of a value as one letter of a query shape: string, number, boolean or null. */
export type ScalarKind = 's' | 'n' | 'b' | '0'

export function kindOf(value: Scalar): ScalarKind {
  if (value === null) return '0'
  return typeof value === 'string' ? 's' : typeof value === 'number' ? 'n' : 'b'
}

/** The kinds that occur in a list, each once. */
export function kindsIn(values: readonly Scalar[]): string {
  let kinds = ''
  for (const value of values) {
    const kind = kindOf(value)
    if (!kinds.includes(kind)) kinds += kind
  }
  return kinds
}

/** The kind of the values of a field. */
export function kindOfType(type: ScalarType): ScalarKind {
  return type.kind === 'text' ? 's' : type.kind === 'boolean' ? 'b' : 'n'
}

/**
 * The kind of the only value of a list. Such a list is compared as a single value, which indexes
 * serve in more orders.
 */
export function kindOfSingleValue(values: readonly Scalar[]): ScalarKind | undefined {
  return values.length === 1 ? kindOf(values[0]!) : undefined
}
