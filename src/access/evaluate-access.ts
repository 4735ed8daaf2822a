import type { ModelDescription } from '../model/model-description.ts'
import { allOf, always, andAlso, anyOf, negate, never } from '../query/conditions.ts'
import type { Condition, FieldPath } from '../query/query-plan.ts'
import { relatedModelAt } from '../store/resolve-path.ts'
import type { AccessContext } from './access-context.ts'
import type { AccessExpression, AccessOperand, StoredOperand } from './access-rules.ts'
import { type Evaluation, evaluate } from './evaluate-parts.ts'
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
  return conditionIn(expression, { model, context, change: undefined })
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
  return conditionIn(expression, { model, context, change: 'before' })
}

/** What the changed item must satisfy for a rule that names `before`. */
export function conditionAfter(
  expression: AccessExpression,
  model: ModelDescription,
  context: AccessContext,
  heldBefore: HeldBefore,
): Condition {
  return conditionIn(expression, { model, context, change: heldBefore })
}

interface ConditionScope {
  readonly model: ModelDescription
  readonly context: AccessContext
  /** About which side of a change the condition is; undefined for a rule about one item. */
  readonly change: 'before' | HeldBefore | undefined
}

function conditionIn(expression: AccessExpression, scope: ConditionScope): Condition {
  return evaluate(expression, scope.context, new ItemConditions(scope), true)
}

class ItemConditions implements Evaluation<Condition> {
  readonly #scope: ConditionScope
  /** Does the caller lack a value that the rule names? */
  isUnknown = false

  constructor(scope: ConditionScope) {
    this.#scope = scope
  }

  truth(holds: boolean): Condition {
    return truth(holds)
  }

  all<Part>(parts: readonly Part[], evaluatePart: (part: Part) => Condition): Condition {
    return allOf(parts.map(evaluatePart))
  }

  any<Part>(parts: readonly Part[], evaluatePart: (part: Part) => Condition): Condition {
    return anyOf(parts.map(evaluatePart))
  }

  someRelated(expression: SomeExpression, holds: boolean): Condition {
    const condition = someRelated(expression, this.#scope, holds)
    return onSideOfChange(expression.left, condition, this.#scope)
  }

  comparison(expression: AccessComparison, left: StoredOperand, holds: boolean): Condition {
    const condition = itemComparison(expression, left, this.#scope)
    if (condition === 'unknown') return this.unknown()
    const met = holds ? condition : negate(condition)
    const complete = isOrdered(condition) ? andAlso(met, notNull(condition)) : met
    return onSideOfChange(left, complete, this.#scope)
  }

  unknown(): Condition {
    this.isUnknown = true
    return never
  }
}

/** Negated, it holds only if the caller has all that the condition on the related items names. */
function someRelated(
  { left, expression }: SomeExpression,
  { model, context }: ConditionScope,
  holds: boolean,
): Condition {
  const path: FieldPath = { names: (left as StoredOperand).path }
  const related = new ItemConditions({
    model: relatedModelAt(model, path),
    context,
    change: undefined,
  })
  const condition = evaluate(expression, context, related, true)
  const { isUnknown } = related
  if (condition.kind === 'never') return truth(!holds && !isUnknown)
  const some: Condition = { kind: 'some', path, condition }
  if (holds) return some
  return isUnknown ? never : negate(some)
}

/** A comparison of a field of the item; `unknown` where the caller lacks the value. */
function itemComparison(
  expression: AccessComparison,
  { path: names }: StoredOperand,
  { model, context }: ConditionScope,
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
  { change }: ConditionScope,
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
