import type { AccessContext } from './access-context.ts'
import type { AccessExpression } from './access-rules.ts'
import { type Evaluation, evaluate } from './evaluate-parts.ts'
import { operandValue } from './operand-value.ts'
import type { AccessComparison, SomeExpression } from './parts-of-expression.ts'

/**
 * Is there an item in which the rule may hold for the caller? Of what is stored nothing is known:
 * a comparison with it may hold if the caller has the value that it names. So this costs a request
 * less than the condition of the rule, which is `never` wherever this is false.
 *
 * ```ts
 * mayHold(expressionOf(item.owner.equal(caller.id)), { caller: undefined, now }) // false
 * ```
 */
export function mayHold(expression: AccessExpression, context: AccessContext): boolean {
  return evaluate(expression, context, new Possibility(context), true)
}

class Possibility implements Evaluation<boolean> {
  readonly #context: AccessContext

  constructor(context: AccessContext) {
    this.#context = context
  }

  truth(holds: boolean): boolean {
    return holds
  }

  all<Part>(parts: readonly Part[], evaluatePart: (part: Part) => boolean): boolean {
    return parts.every(evaluatePart)
  }

  any<Part>(parts: readonly Part[], evaluatePart: (part: Part) => boolean): boolean {
    return parts.some(evaluatePart)
  }

  /** Whether it holds for no related item depends on all that its condition names. */
  someRelated({ expression }: SomeExpression, holds: boolean): boolean {
    return !holds || evaluate(expression, this.#context, this, true)
  }

  comparison(expression: AccessComparison): boolean {
    return (
      expression.kind === 'isNull' || operandValue(expression.right, this.#context) !== undefined
    )
  }

  unknown(): boolean {
    return false
  }
}
