import { type AccessExpression, type AccessOperand, isStoredOperand } from './access-rules.ts'

/** A part of a rule that compares values. */
export type AccessComparison = Exclude<AccessPart, SomeExpression>

/** A part of a rule that is about a value of the item, of the caller or of a related item. */
type AccessPart = Extract<AccessExpression, { readonly left: AccessOperand }>

/** A part of a rule about the items of a to-many relation. */
export type SomeExpression = Extract<AccessExpression, { readonly kind: 'some' }>

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

/** The parts that compare values or are about related items. Those in `some` are not among them. */
export function comparisonsIn(
  expression: AccessExpression,
): readonly (AccessComparison | SomeExpression)[] {
  return partsOf(expression).filter((part): part is AccessPart => 'left' in part)
}

/** Does a rule depend on the item? */
export function isAboutItem(expression: AccessExpression): boolean {
  return comparisonsIn(expression).some(({ left }) => isStoredOperand(left))
}

/** Does a rule depend on the item as it was before a change? */
export function isAboutBefore(expression: AccessExpression): boolean {
  return comparisonsIn(expression).some(({ left }) => left.kind === 'before')
}

/** Does a rule depend on the caller? */
export function isAboutCaller(expression: AccessExpression): boolean {
  return partsOf(expression).some((part) => {
    if (!('left' in part)) return part.kind === 'signedIn'
    if (part.kind === 'some') return isAboutCaller(part.expression)
    return part.left.kind === 'caller' || ('right' in part && part.right.kind === 'caller')
  })
}

/** The expression and all expressions in it, also those in `some`. */
export function expressionsIn(expression: AccessExpression): readonly AccessExpression[] {
  switch (expression.kind) {
    case 'not':
    case 'some':
      return [expression, ...expressionsIn(expression.expression)]
    case 'and':
    case 'or':
      return [expression, ...expression.expressions.flatMap(expressionsIn)]
    default:
      return [expression]
  }
}
