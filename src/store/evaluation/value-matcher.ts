import { areComparable, compareScalars } from '../../query/compare.ts'
import { foldText } from '../../query/fold-text.ts'
import type { CompareOperator, Condition, Scalar, TextOperator } from '../../query/query-plan.ts'
import { isLike } from './like.ts'

/** A condition on one value. */
export type ValueCondition = Extract<Condition, { kind: 'compare' | 'oneOf' | 'text' }>

/**
 * Compiles a condition on one value. The value is in the form in which it compares; for a search in
 * texts it is as it is written.
 */
export function valueMatcher(
  condition: ValueCondition,
  comparable: (value: Scalar) => Scalar,
): (value: Scalar) => boolean {
  switch (condition.kind) {
    case 'compare': {
      const { operator } = condition
      const expected = comparable(condition.value)
      return (value) => matchesComparison(value, operator, expected)
    }
    case 'oneOf': {
      const expected = new Set(condition.values.map(comparable))
      return (value) => expected.has(value)
    }
    case 'text': {
      const matches = textMatcher(condition.operator, condition.value)
      return (value) => typeof value === 'string' && matches(value)
    }
  }
}

function matchesComparison(actual: Scalar, operator: CompareOperator, value: Scalar): boolean {
  if (operator === 'equal') return actual === value
  if (operator === 'notEqual') return actual !== value
  if (!areComparable(actual, value)) return false
  const order = compareScalars(actual, value)
  switch (operator) {
    case 'greaterThan':
      return order > 0
    case 'greaterThanOrEqual':
      return order >= 0
    case 'lessThan':
      return order < 0
    case 'lessThanOrEqual':
      return order <= 0
  }
}

function textMatcher(operator: TextOperator, text: string): (value: string) => boolean {
  const folded = foldText(text)
  switch (operator) {
    case 'contains':
      return (value) => value.includes(text)
    case 'startsWith':
      return (value) => value.startsWith(text)
    case 'endsWith':
      return (value) => value.endsWith(text)
    case 'like':
      return (value) => isLike(value, text)
    case 'equalIgnoringCase':
      return (value) => foldText(value) === folded
    case 'containsIgnoringCase':
      return (value) => foldText(value).includes(folded)
    case 'startsWithIgnoringCase':
      return (value) => foldText(value).startsWith(folded)
  }
}
