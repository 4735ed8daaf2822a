import type { AccessDecision } from './access-decision.ts'
import { type AccessExpression, type AccessOperand, isStoredOperand } from './access-rules.ts'
import { comparisonsIn } from './parts-of-expression.ts'

/**
 * When a rule holds, in words: `'status' is "accepted", or 'speaker' is the caller's 'id'`.
 * Undefined where it always holds, and where it names a field that its readers may not know.
 */
export function accessWords(
  decision: AccessDecision,
  isShown: (path: readonly string[]) => boolean,
): string | undefined {
  if (decision.kind === 'always') return undefined
  if (decision.kind === 'never') return 'nobody'
  return pathsIn(decision.expression).every(isShown) ? wordsOf(decision.expression) : undefined
}

function wordsOf(expression: AccessExpression): string {
  switch (expression.kind) {
    case 'anyone':
      return 'anyone'
    case 'nobody':
      return 'nobody'
    case 'signedIn':
      return 'the caller is signed in'
    case 'not':
      return `not (${wordsOf(expression.expression)})`
    case 'and':
    case 'or':
      return expression.expressions
        .map((inner) => (isJoined(inner) ? `(${wordsOf(inner)})` : wordsOf(inner)))
        .join(expression.kind === 'and' ? ', and ' : ', or ')
    case 'isNull':
      return `${operandWords(expression.left)} has no value`
    case 'compare':
      return `${operandWords(expression.left)} ${comparisons[expression.operator]} ${operandWords(expression.right)}`
    case 'text':
      return `${operandWords(expression.left)} ${texts[expression.operator]} ${operandWords(expression.right)}`
    case 'oneOf':
      return `${operandWords(expression.left)} is one of ${operandWords(expression.right)}`
    case 'members':
      return `${operandWords(expression.left)} has ${membersWords(expression.right, expression.quantity)}`
    case 'some':
      return someWords(operandWords(expression.left), expression.expression)
  }
}

function someWords(relation: string, expression: AccessExpression): string {
  return expression.kind === 'anyone'
    ? `${relation} has an item`
    : `${relation} has an item where (${wordsOf(expression)})`
}

const comparisons = {
  equal: 'is',
  notEqual: 'is not',
  greaterThan: 'is greater than',
  greaterThanOrEqual: 'is at least',
  lessThan: 'is less than',
  lessThanOrEqual: 'is at most',
} as const

const texts = { contains: 'contains', startsWith: 'starts with', endsWith: 'ends with' } as const

function isJoined({ kind }: AccessExpression): boolean {
  return kind === 'and' || kind === 'or'
}

function operandWords(operand: AccessOperand): string {
  if (operand.kind === 'value') return valueWords(operand.value)
  if (operand.kind === 'now') return 'the time of the request'
  const name = `'${operand.path.join('.')}'`
  if (operand.kind === 'before') return `the previous ${name}`
  return operand.kind === 'caller' ? `the caller's ${name}` : name
}

/** A value, or the values of a list. */
function valueWords(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.length === 0 ? 'no value' : value.map((each) => JSON.stringify(each)).join(', ')
}

function membersWords(operand: AccessOperand, quantity: 'any' | 'all'): string {
  const isOne = operand.kind === 'value' && Array.isArray(operand.value) && operand.value.length < 2
  if (isOne) return valueWords(operand.value)
  return `${quantity} of ${operandWords(operand)}`
}

/** The paths into the item. */
function pathsIn(expression: AccessExpression): readonly (readonly string[])[] {
  return comparisonsIn(expression).flatMap((part) => {
    if (!isStoredOperand(part.left)) return []
    const { path } = part.left
    if (part.kind !== 'some') return [path]
    return [path, ...pathsIn(part.expression).map((related) => [...path, ...related])]
  })
}
