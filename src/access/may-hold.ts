import type { AccessContext } from './access-context.ts'
import { type AccessExpression, isStoredOperand } from './access-rules.ts'
import { callerComparison } from './caller-comparison.ts'
import { operandValue } from './operand-value.ts'
import type { AccessComparison } from './parts-of-expression.ts'

/**
 * Is there an item in which the rule may hold for the caller? Of what is stored nothing is known:
 * a comparison with it may hold if the caller has the value that it names. So this costs a request
 * less than the condition of the rule, which is `never` wherever this is false.
 *
 * ```ts
 * mayHold(expressionOf(item.owner.equal(caller.id)), { caller: undefined, now }) // false
 * ```
 * @param holds false for what is negated
 */
export function mayHold(
  expression: AccessExpression,
  context: AccessContext,
  holds = true,
): boolean {
  switch (expression.kind) {
    case 'anyone':
      return holds
    case 'nobody':
      return !holds
    case 'signedIn':
      return (context.caller !== undefined) === holds
    case 'not':
      return mayHold(expression.expression, context, !holds)
    case 'and':
    case 'or': {
      const { expressions } = expression
      return (expression.kind === 'and') === holds
        ? expressions.every((inner) => mayHold(inner, context, holds))
        : expressions.some((inner) => mayHold(inner, context, holds))
    }
    case 'some':
      // Whether it holds for no related item depends on all that its condition names.
      return !holds || mayHold(expression.expression, context)
    default:
      return comparisonMayHold(expression, context, holds)
  }
}

function comparisonMayHold(
  comparison: AccessComparison,
  context: AccessContext,
  holds: boolean,
): boolean {
  if (isStoredOperand(comparison.left))
    return comparison.kind === 'isNull' || operandValue(comparison.right, context) !== undefined
  const condition = callerComparison(comparison, context)
  return condition !== 'unknown' && (condition.kind === 'always') === holds
}
