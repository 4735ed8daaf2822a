import type { ModelDescription } from '../model/model-description.ts'
import { allOf, always, andAlso, anyOf, negate, never } from '../query/conditions.ts'
import type { Condition, FieldPath } from '../query/query-plan.ts'
import { relatedModelAt } from '../store/resolve-path.ts'
import type { AccessContext } from './access-context.ts'
import {
  type AccessExpression,
  type AccessOperand,
  isStoredOperand,
  type StoredOperand,
} from './access-rules.ts'
import { callerComparison } from './caller-comparison.ts'
import { operandValue, truth } from './operand-value.ts'
import type { AccessComparison, SomeExpression } from './parts-of-expression.ts'
import { storedOperands } from './stored-operands.ts'

/**
 * What an item of the model must satisfy for the rule to hold for this caller.
 *
 * ```ts
 * // { kind: 'compare', path: { names: ['owner'] }, operator: 'equal', value: 'alice' }
 * itemCondition(expressionOf(item.owner.equal(caller.id)), talk, { caller: { id: 'alice' } })
 * ```
 */
export function itemCondition(
  expression: AccessExpression,
  model: ModelDescription,
  context: AccessContext,
): Condition {
  return evaluate(expression, { model, context, change: undefined }, true)
}

/** Did the item satisfy the condition before a change? */
export type HeldBefore = (condition: Condition) => boolean

/**
 * What the stored item must satisfy for a rule that names `before` to allow some change of it. The
 * comparisons with the outcome may all hold.
 */
export function conditionBefore(
  expression: AccessExpression,
  model: ModelDescription,
  context: AccessContext,
): Condition {
  return evaluate(expression, { model, context, change: 'before' }, true)
}

/** What the changed item must satisfy for a rule that names `before`. */
export function conditionAfter(
  expression: AccessExpression,
  model: ModelDescription,
  context: AccessContext,
  heldBefore: HeldBefore,
): Condition {
  return evaluate(expression, { model, context, change: heldBefore }, true)
}

interface Evaluation {
  readonly model: ModelDescription
  readonly context: AccessContext
  /** About which side of a change the condition is; undefined for a rule about one item. */
  readonly change: 'before' | HeldBefore | undefined
  /** Called for each comparison with a value that the caller does not have. */
  readonly onUnknown?: () => void
}

/**
 * @param holds false for what is negated. Negations are pushed down to the comparisons, because one
 * with a value that the caller does not have holds neither way.
 */
function evaluate(expression: AccessExpression, given: Evaluation, holds: boolean): Condition {
  switch (expression.kind) {
    case 'anyone':
      return truth(holds)
    case 'nobody':
      return truth(!holds)
    case 'signedIn':
      return truth((given.context.caller !== undefined) === holds)
    case 'not':
      return evaluate(expression.expression, given, !holds)
    case 'and':
    case 'or': {
      const conditions = expression.expressions.map((inner) => evaluate(inner, given, holds))
      return (expression.kind === 'and') === holds ? allOf(conditions) : anyOf(conditions)
    }
    case 'some':
      return onSideOfChange(expression.left, someRelated(expression, given, holds), given)
    default: {
      const condition = isStoredOperand(expression.left)
        ? itemComparison(expression, expression.left, given)
        : callerComparison(expression, given.context)
      if (condition === 'unknown') {
        given.onUnknown?.()
        return never
      }
      const met = holds ? condition : negate(condition)
      const complete = isOrdered(condition) ? andAlso(met, notNull(condition)) : met
      return onSideOfChange(expression.left, complete, given)
    }
  }
}

/** Negated, it holds only if the caller has all that the condition on the related items names. */
function someRelated(
  { left, expression }: SomeExpression,
  { model, context }: Evaluation,
  holds: boolean,
): Condition {
  const path: FieldPath = { names: (left as StoredOperand).path }
  let isUnknown = false
  const related: Evaluation = {
    model: relatedModelAt(model, path),
    context,
    change: undefined,
    onUnknown: () => {
      isUnknown = true
    },
  }
  const condition = evaluate(expression, related, true)
  if (condition.kind === 'never') return truth(!holds && !isUnknown)
  const some: Condition = { kind: 'some', path, condition }
  if (holds) return some
  return isUnknown ? never : negate(some)
}

/** A comparison of a field of the item; `unknown` where the caller lacks the value. */
function itemComparison(
  expression: AccessComparison,
  { path: names }: StoredOperand,
  { model, context }: Evaluation,
): Condition | 'unknown' {
  const path: FieldPath = { names }
  if (expression.kind === 'isNull') return { kind: 'compare', path, operator: 'equal', value: null }
  const value = operandValue(expression.right, context)
  if (value === undefined) return 'unknown'
  if (expression.kind === 'text')
    return typeof value === 'string'
      ? { kind: 'text', path, operator: expression.operator, value }
      : 'unknown'
  const values = storedOperands(model, path, [value].flat())
  if (expression.kind === 'oneOf') return { kind: 'oneOf', path, values }
  // Values of another type are in no list.
  if (expression.kind === 'members' && expression.quantity === 'all')
    return values.length < [value].flat().length
      ? never
      : { kind: 'members', path, quantity: 'all', values }
  if (expression.kind === 'members') return { kind: 'members', path, quantity: 'any', values }
  const [scalar] = values
  return scalar === undefined || Array.isArray(value)
    ? 'unknown'
    : { kind: 'compare', path, operator: expression.operator, value: scalar }
}

/** A comparison that holds or not on the other side of a change is decided, or may hold. */
function onSideOfChange(
  { kind }: AccessOperand,
  condition: Condition,
  { change }: Evaluation,
): Condition {
  if (change === undefined || kind === 'caller') return condition
  if (change === 'before') return kind === 'before' ? condition : always
  return kind === 'before' ? truth(change(condition)) : condition
}

type Compared = Extract<Condition, { kind: 'compare' }>

function isOrdered(condition: Condition): condition is Compared {
  return (
    condition.kind === 'compare' &&
    condition.operator !== 'equal' &&
    condition.operator !== 'notEqual'
  )
}

/** What has no value is neither before nor after anything. */
function notNull({ path }: Compared): Condition {
  return { kind: 'compare', path, operator: 'notEqual', value: null }
}
