import type { ScalarType } from '../../model/value-type.ts'
import type { Scalar } from '../../query/query-plan.ts'

/** The type of a value in one letter: what a shape keeps of it. */
export type ScalarKind = 's' | 'n' | 'b' | '0'

export function kindOf(value: Scalar): ScalarKind {
  if (value === null) return '0'
  return typeof value === 'string' ? 's' : typeof value === 'number' ? 'n' : 'b'
}

/** Which types occur in a list. */
export function kindsIn(values: readonly Scalar[]): string {
  let kinds = ''
  for (const value of values) {
    const kind = kindOf(value)
    if (!kinds.includes(kind)) kinds += kind
  }
  return kinds
}

/** The kind that values of a field have. */
export function kindOfType(type: ScalarType): ScalarKind {
  return type.kind === 'text' ? 's' : type.kind === 'boolean' ? 'b' : 'n'
}

/**
 * The kind of a list's only value: such a list is compared as a single value, which indexes serve
 * in more orders.
 */
export function kindOfSingleValue(values: readonly Scalar[]): ScalarKind | undefined {
  return values.length === 1 ? kindOf(values[0]!) : undefined
}
