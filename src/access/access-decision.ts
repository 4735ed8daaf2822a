import type { AccessExpression } from './access-rules.ts'
import { isAboutBefore, isAboutItem } from './parts-of-expression.ts'

/** A rule by what it depends on, so that registration decides what no request has to. */
export type AccessDecision =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  /** The caller alone decides. */
  | { readonly kind: 'caller'; readonly expression: AccessExpression }
  | { readonly kind: 'item'; readonly expression: AccessExpression }
  /** The item as it was and as it will be decide together. */
  | { readonly kind: 'change'; readonly expression: AccessExpression }

/**
 * What a rule depends on.
 *
 * ```ts
 * decisionOf(signedIn.expression).kind // 'caller'
 * decisionOf(anyone.or(signedIn).expression).kind // 'always'
 * ```
 */
export function decisionOf(expression: AccessExpression): AccessDecision {
  const simple = simplify(expression)
  if (simple.kind === 'anyone') return { kind: 'always' }
  if (simple.kind === 'nobody') return { kind: 'never' }
  if (isAboutBefore(simple)) return { kind: 'change', expression: simple }
  return { kind: isAboutItem(simple) ? 'item' : 'caller', expression: simple }
}

const anyone: AccessExpression = Object.freeze({ kind: 'anyone' })
const nobody: AccessExpression = Object.freeze({ kind: 'nobody' })

/** The same rule without the parts that decide nothing. */
function simplify(expression: AccessExpression): AccessExpression {
  if (expression.kind === 'not') {
    const inner = simplify(expression.expression)
    if (inner.kind === 'anyone') return nobody
    if (inner.kind === 'nobody') return anyone
    return { kind: 'not', expression: inner }
  }
  if (expression.kind === 'some') {
    const inner = simplify(expression.expression)
    return inner.kind === 'nobody' ? nobody : { ...expression, expression: inner }
  }
  if (expression.kind !== 'and' && expression.kind !== 'or') return expression
  const [ends, vanishes] =
    expression.kind === 'and' ? (['nobody', 'anyone'] as const) : (['anyone', 'nobody'] as const)
  const inner = expression.expressions.map(simplify)
  if (inner.some(({ kind }) => kind === ends)) return ends === 'anyone' ? anyone : nobody
  const expressions = inner.filter(({ kind }) => kind !== vanishes)
  const [first] = expressions
  if (!first) return vanishes === 'anyone' ? anyone : nobody
  return expressions.length === 1 ? first : { kind: expression.kind, expressions }
}
