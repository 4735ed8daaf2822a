import type { CompareOperator, Scalar, TextOperator } from '../query/query-plan.ts'

/** A value that an access rule compares. Paths hold names of the model or of the caller. */
export type AccessOperand =
  | { readonly kind: 'item'; readonly path: readonly string[] }
  /** The item as it was stored before a change. */
  | { readonly kind: 'before'; readonly path: readonly string[] }
  /** A related item, in the condition of `some`. */
  | { readonly kind: 'related'; readonly path: readonly string[] }
  | { readonly kind: 'caller'; readonly path: readonly string[] }
  | { readonly kind: 'value'; readonly value: unknown }
  /** The time of the request. */
  | { readonly kind: 'now' }

/** A value that the service sets at creation. */
export type SetOperand = Extract<AccessOperand, { readonly kind: 'caller' | 'value' }>

/**
 * When a rule holds, as data. A comparison with a value that the caller does not have never holds,
 * also where it is negated: a rule that names the caller allows nothing to callers without it.
 */
export type AccessExpression =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'signedIn' }
  | {
      readonly kind: 'compare'
      readonly operator: CompareOperator
      readonly left: AccessOperand
      readonly right: AccessOperand
    }
  | {
      readonly kind: 'text'
      readonly operator: Extract<TextOperator, 'contains' | 'startsWith' | 'endsWith'>
      readonly left: AccessOperand
      readonly right: AccessOperand
    }
  /** The left operand is a list, and holds any or all of the values of the right one. */
  | {
      readonly kind: 'members'
      readonly quantity: 'any' | 'all'
      readonly left: AccessOperand
      readonly right: AccessOperand
    }
  /** The left operand is one of the values of the list on the right. */
  | { readonly kind: 'oneOf'; readonly left: AccessOperand; readonly right: AccessOperand }
  | { readonly kind: 'isNull'; readonly left: AccessOperand }
  /**
   * The left operand is a to-many relation, and the expression holds for at least one of its items,
   * as they are stored. Negated, it holds for none, and the caller has all that it names.
   */
  | {
      readonly kind: 'some'
      readonly left: AccessOperand
      readonly expression: AccessExpression
    }
  | { readonly kind: 'and'; readonly expressions: readonly AccessExpression[] }
  | { readonly kind: 'or'; readonly expressions: readonly AccessExpression[] }
  | { readonly kind: 'not'; readonly expression: AccessExpression }

/** When a field can be read and written. */
export interface FieldAccess {
  readonly read?: AccessExpression
  readonly write?: AccessExpression
}

/**
 * Who may read and write the items of a model: frozen data, without functions. What it leaves out
 * follows `security.defaultAccess` of the router.
 */
export interface AccessRules {
  readonly read?: AccessExpression
  readonly create?: AccessExpression
  readonly update?: AccessExpression
  readonly delete?: AccessExpression
  /** Besides `read`. */
  readonly readVersions?: AccessExpression
  readonly restoreVersion?: AccessExpression
  /** Besides `read`. */
  readonly readTrash?: AccessExpression
  readonly restore?: AccessExpression
  readonly purge?: AccessExpression
  /** By the name of the action. */
  readonly actions: Readonly<Record<string, AccessExpression>>
  /** What the service sets at creation, by the name of the field. */
  readonly set: Readonly<Record<string, SetOperand>>
  /** By the name of the field. */
  readonly fields: Readonly<Record<string, FieldAccess>>
}

/** The names of the rules that are about all fields of an item. */
export const itemRuleNames = [
  'read',
  'create',
  'update',
  'delete',
  'readVersions',
  'restoreVersion',
  'readTrash',
  'restore',
  'purge',
] as const

/** A value that is stored: of the item, as it is or as it was, or of a related item. */
export type StoredOperand = Extract<AccessOperand, { readonly kind: 'item' | 'before' | 'related' }>

/** Is it a value of the item, as it is or as it was, or of a related item? */
export function isStoredOperand(operand: AccessOperand): operand is StoredOperand {
  return operand.kind === 'item' || operand.kind === 'before' || operand.kind === 'related'
}

/** What a value of the caller can be compared as. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
