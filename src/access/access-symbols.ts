import { AccessCondition } from './access-condition.ts'
import {
  type AccessExpression,
  type AccessOperand,
  isScalar,
  isStoredOperand,
} from './access-rules.ts'
import { comparisonsIn } from './parts-of-expression.ts'
import type { NowSymbol } from './symbol-types.ts'

/** The operand that a symbol stands for. */
const operandKey: unique symbol = Symbol('operand')

/**
 * Stands for the item, for a related item, or for the caller. Its members are the paths into it,
 * and the operators of the access rules.
 */
export function accessSymbol(kind: 'item' | 'before' | 'related' | 'caller'): never {
  return symbolAt({ kind, path: [] }) as never
}

/** Stands for the time of the request. */
export const nowSymbol: NowSymbol = Object.freeze({
  [operandKey]: { kind: 'now' },
  [Symbol.toPrimitive]: () => refuseComputing('now'),
}) as NowSymbol

/** A template or a sum would be computed once, at registration. */
function refuseComputing(shown: string): never {
  throw new TypeError(
    `${shown} stands for a value of each request, and cannot be part of a text or a sum. Compare it alone, or give callers a member with the composed value.`,
  )
}

/** The operand of a symbol, or a value as itself. */
export function operandOf(value: unknown): AccessOperand {
  const operand = (value as { [operandKey]?: AccessOperand } | null | undefined)?.[operandKey]
  return operand ?? { kind: 'value', value }
}

type PathOperand = Extract<AccessOperand, { path: readonly string[] }>

function symbolAt(operand: PathOperand): object {
  return new Proxy(Object.freeze({}), {
    get: (_, name) => {
      if (name === operandKey) return operand
      if (name === Symbol.toPrimitive)
        return () => refuseComputing(`'${[operand.kind, ...operand.path].join('.')}'`)
      if (typeof name === 'symbol') return undefined
      const operator: OperatorFunction | undefined =
        operand.path.length === 0 ? undefined : operators[name as Operator]
      if (operator && Object.hasOwn(operators, name))
        return (value: unknown) => new AccessCondition(operator(operand, value))
      return symbolAt({ ...operand, path: [...operand.path, name] })
    },
  })
}

const operators = {
  equal: (left, value) => compare('equal', left, value),
  notEqual: (left, value) => compare('notEqual', left, value),
  greaterThan: (left, value) => compare('greaterThan', left, value),
  greaterThanOrEqual: (left, value) => compare('greaterThanOrEqual', left, value),
  lessThan: (left, value) => compare('lessThan', left, value),
  lessThanOrEqual: (left, value) => compare('lessThanOrEqual', left, value),
  anyOf: (left, values) => oneOf(left, listOperand('anyOf', values)),
  noneOf: (left, values) => ({
    kind: 'not',
    expression: oneOf(left, listOperand('noneOf', values)),
  }),
  isNull: (left) => ({ kind: 'isNull', left }),
  contains: (left, value) => {
    const right = scalarOperand('contains', value)
    refuseNow('contains', right)
    // A list of the caller that contains a value of the item.
    if (left.kind === 'caller' && isStoredOperand(right)) return oneOf(right, left)
    refuseTwoItems(left, right)
    return { kind: 'members', quantity: 'any', left, right: listOf(right) }
  },
  containsAny: (left, values) => members('any', left, listOperand('containsAny', values)),
  containsAll: (left, values) => members('all', left, listOperand('containsAll', values)),
  startsWith: (left, value) => text('startsWith', left, value),
  endsWith: (left, value) => text('endsWith', left, value),
  containsText: (left, value) => text('contains', left, value),
  some: (left, callback) => some(left, callback),
} satisfies Record<string, OperatorFunction>

type OperatorFunction = (left: PathOperand, value: unknown) => AccessExpression
type Operator = keyof typeof operators

type Comparison = Extract<AccessExpression, { kind: 'compare' }>

const mirrored: Readonly<Record<Comparison['operator'], Comparison['operator']>> = {
  equal: 'equal',
  notEqual: 'notEqual',
  greaterThan: 'lessThan',
  greaterThanOrEqual: 'lessThanOrEqual',
  lessThan: 'greaterThan',
  lessThanOrEqual: 'greaterThanOrEqual',
}

/** The operand that stands for the item comes first. */
function compare(
  operator: Comparison['operator'],
  left: PathOperand,
  value: unknown,
): AccessExpression {
  const right = scalarOperand(operator, value)
  refuseTwoItems(left, right)
  if (right.kind === 'now' && !isStoredOperand(left))
    throw new TypeError(
      `${operator}() of an access rule compares '${left.path.join('.')}' of the caller with now. Compare a date or date-time of the item with it.`,
    )
  return isStoredOperand(right)
    ? { kind: 'compare', operator: mirrored[operator], left: right, right: left }
    : { kind: 'compare', operator, left, right }
}

function text(
  operator: Extract<AccessExpression, { kind: 'text' }>['operator'],
  left: AccessOperand,
  value: unknown,
): AccessExpression {
  const right = scalarOperand(operator, value)
  refuseNow(operator, right)
  if (isStoredOperand(right))
    throw new TypeError(
      `${operator}() of an access rule compares with a text or a value of the caller, not with a field of the item.`,
    )
  return { kind: 'text', operator, left, right }
}

function oneOf(left: AccessOperand, right: AccessOperand): AccessExpression {
  if ('path' in left) refuseTwoItems(left, right)
  return { kind: 'oneOf', left, right }
}

function members(
  quantity: 'any' | 'all',
  left: PathOperand,
  right: AccessOperand,
): AccessExpression {
  refuseTwoItems(left, right)
  if (!isStoredOperand(right)) return { kind: 'members', quantity, left, right }
  if (quantity === 'any') return { kind: 'members', quantity, left: right, right: left }
  throw new TypeError(
    'containsAll() of an access rule compares a list of the item with values or with a list of the caller. Begin it with the list of the item.',
  )
}

/** The condition holds for a related item; it is made with a symbol for that item. */
function some(left: PathOperand, callback: unknown): AccessExpression {
  const name = `'${left.path.join('.')}.some()'`
  if (!isStoredOperand(left))
    throw new TypeError(
      `${name} of an access rule is about the caller. Call some() of a to-many relation of the item; lists of the caller have contains().`,
    )
  if (left.kind === 'related')
    throw new TypeError(
      `${name} of an access rule stands within another some(), but one is the limit. Add a relation that leads there directly.`,
    )
  if (typeof callback !== 'function')
    throw new TypeError(
      `${name} of an access rule expects a function, such as (membership) => membership.person.equal(caller.id).`,
    )
  const condition: unknown = callback(accessSymbol('related'))
  if (!(condition instanceof AccessCondition))
    throw new TypeError(
      `The function of ${name} of an access rule must return a condition, such as membership.person.equal(caller.id).`,
    )
  const { expression } = condition
  for (const part of comparisonsIn(expression))
    if (part.left.kind === 'item' || part.left.kind === 'before')
      throw new TypeError(
        `The function of ${name} of an access rule names '${part.left.path.join('.')}' of the item. Name members of the related item there, and join the rest by and().`,
      )
  return { kind: 'some', left, expression }
}

function refuseTwoItems(left: PathOperand, right: AccessOperand): void {
  if (!isStoredOperand(left) || !isStoredOperand(right)) return
  throw new TypeError(
    `An access rule compares '${left.path.join('.')}' with '${(right as PathOperand).path.join('.')}' of the item. Compare a field with a value or with the caller.`,
  )
}

/** Dates are before or after it, and in no list with it. */
function refuseNow(operator: string, { kind }: AccessOperand): void {
  if (kind !== 'now') return
  throw new TypeError(
    `${operator}() of an access rule cannot take now. Compare with it by equal, notEqual, greaterThan, greaterThanOrEqual, lessThan or lessThanOrEqual.`,
  )
}

function scalarOperand(operator: string, value: unknown): AccessOperand {
  const operand = operandOf(value)
  if ('path' in operand && operand.path.length === 0)
    throw new TypeError(
      `${operator}() of an access rule compares with '${operand.kind}' as a whole. Name a member, such as '${operand.kind}.id'.`,
    )
  if (operand.kind !== 'value' || isScalar(operand.value) || operand.value instanceof Date)
    return operand
  throw new TypeError(
    `${operator}() of an access rule expects a text, number, boolean, null, date, or a member of 'item' or 'caller'.`,
  )
}

function listOperand(operator: string, values: unknown): AccessOperand {
  const operand = operandOf(values)
  refuseNow(operator, operand)
  if (operand.kind !== 'value') return operand
  // A copy, because rules freeze what they hold.
  if (Array.isArray(operand.value)) return { kind: 'value', value: [...operand.value] }
  throw new TypeError(
    `${operator}() of an access rule expects an array of values, or a list of 'item' or 'caller'.`,
  )
}

/** The list with one value, which may be one of the caller. */
function listOf(operand: AccessOperand): AccessOperand {
  return operand.kind === 'value' ? { kind: 'value', value: [operand.value] } : operand
}
