import { type AccessExpression, type AccessOperand, isItemOperand } from './access-rules.ts'

/** A part of a rule that compares values. */
export type AccessComparison = Extract<AccessExpression, { readonly left: AccessOperand }>

/** The parts that a rule joins or negates; the rule itself if it is one. */
function partsOf(
  expression: AccessExpression,
): readonly Exclude<AccessExpression, { readonly kind: 'and' | 'or' | 'not' }>[] {
  switch (expression.kind) {
    case 'not':
      return partsOf(expression.expression)
    case 'and':
    case 'or':
      return expression.expressions.flatMap(partsOf)
    default:
      return [expression]
  }
}

/** The parts that compare values. */
export function comparisonsIn(expression: AccessExpression): readonly AccessComparison[] {
  return partsOf(expression).filter((part): part is AccessComparison => 'left' in part)
}

/** Does a rule depend on the item? */
export function isAboutItem(expression: AccessExpression): boolean {
  return comparisonsIn(expression).some(({ left }) => isItemOperand(left))
}

/** Does a rule depend on the item as it was before a change? */
export function isAboutBefore(expression: AccessExpression): boolean {
  return comparisonsIn(expression).some(({ left }) => left.kind === 'before')
}

/** Does a rule depend on the caller? */
export function isAboutCaller(expression: AccessExpression): boolean {
  return partsOf(expression).some((part) => {
    if (!('left' in part)) return part.kind === 'signedIn'
    return part.left.kind === 'caller' || ('right' in part && part.right.kind === 'caller')
  })
}
