import type { AccessContext } from './access-context.ts'
import { type AccessExpression, isStoredOperand, type StoredOperand } from './access-rules.ts'
import { callerComparison } from './caller-comparison.ts'
import type { AccessComparison, SomeExpression } from './parts-of-expression.ts'

/** What a rule comes to for one caller: a condition of queries, or whether it may hold at all. */
export interface Evaluation<Result> {
  truth(holds: boolean): Result
  all<Part>(parts: readonly Part[], evaluatePart: (part: Part) => Result): Result
  any<Part>(parts: readonly Part[], evaluatePart: (part: Part) => Result): Result
  someRelated(expression: SomeExpression, holds: boolean): Result
  comparison(expression: AccessComparison, left: StoredOperand, holds: boolean): Result
  /** Of a comparison with a value that the caller does not have. */
  unknown(): Result
}

/**
 * Evaluates a rule for one caller: every answer about rules comes from here.
 *
 * @param holds false for what is negated. Negations are pushed down to the comparisons, because one
 * with a value that the caller does not have holds neither way.
 */
export function evaluate<Result>(
  expression: AccessExpression,
  context: AccessContext,
  evaluation: Evaluation<Result>,
  holds: boolean,
): Result {
  switch (expression.kind) {
    case 'anyone':
      return evaluation.truth(holds)
    case 'nobody':
      return evaluation.truth(!holds)
    case 'signedIn':
      return evaluation.truth((context.caller !== undefined) === holds)
    case 'not':
      return evaluate(expression.expression, context, evaluation, !holds)
    case 'and':
    case 'or': {
      const { kind, expressions } = expression
      const evaluatePart = (part: AccessExpression) => evaluate(part, context, evaluation, holds)
      return (kind === 'and') === holds
        ? evaluation.all(expressions, evaluatePart)
        : evaluation.any(expressions, evaluatePart)
    }
    case 'some':
      return evaluation.someRelated(expression, holds)
    default: {
      if (isStoredOperand(expression.left))
        return evaluation.comparison(expression, expression.left, holds)
      const condition = callerComparison(expression, context)
      return condition === 'unknown'
        ? evaluation.unknown()
        : evaluation.truth((condition.kind === 'always') === holds)
    }
  }
}
