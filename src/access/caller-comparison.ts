import { compareScalars } from '../query/compare.ts'
import type { Condition, Scalar } from '../query/query-plan.ts'
import type { AccessContext } from './access-context.ts'
import { type AccessOperand, isScalar } from './access-rules.ts'
import { operandValue, truth } from './operand-value.ts'
import type { AccessComparison } from './parts-of-expression.ts'

/**
 * A comparison of the caller with a value; `unknown` where the caller lacks what it names.
 */
export function callerComparison(
  expression: AccessComparison,
  context: AccessContext,
): Condition | 'unknown' {
  const left = operandValue(expression.left, context)
  if (expression.kind === 'isNull')
    return context.caller === undefined ? 'unknown' : truth(left === undefined || left === null)
  const right = operandValue(expression.right as AccessOperand, context)
  if (left === undefined || right === undefined) return 'unknown'
  switch (expression.kind) {
    case 'oneOf':
      return truth(listOf(right).includes(left as Scalar))
    case 'members': {
      const held = new Set(listOf(left))
      const wanted = listOf(right)
      return truth(
        expression.quantity === 'all'
          ? wanted.every((value) => held.has(value))
          : wanted.some((value) => held.has(value)),
      )
    }
    case 'text':
      return typeof left === 'string' && typeof right === 'string'
        ? truth(textOperators[expression.operator](left, right))
        : 'unknown'
    case 'compare':
      return isScalar(left) && isScalar(right)
        ? truth(comparisons[expression.operator](compareScalars(left, right)))
        : 'unknown'
  }
}

const comparisons = {
  equal: (order: number) => order === 0,
  notEqual: (order: number) => order !== 0,
  greaterThan: (order: number) => order > 0,
  greaterThanOrEqual: (order: number) => order >= 0,
  lessThan: (order: number) => order < 0,
  lessThanOrEqual: (order: number) => order <= 0,
}

const textOperators = {
  contains: (text: string, part: string) => text.includes(part),
  startsWith: (text: string, part: string) => text.startsWith(part),
  endsWith: (text: string, part: string) => text.endsWith(part),
}

function listOf(value: unknown): readonly Scalar[] {
  return [value].flat().filter(isScalar) as Scalar[]
}
