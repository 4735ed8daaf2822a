/** A value that can be compared. Null is the smallest of all; text compares by code point. */
export type Scalar = string | number | boolean | null

/**
 * The address of a value in an item: the model's own member names, through structs (`dimensions`,
 * `width`) and through relations to one (`author`, `name`). A missing step reads as null.
 */
export interface FieldPath {
  readonly names: readonly string[]
  /**
   * What a related item on the way must satisfy to be seen; where it does not, the value reads as
   * null.
   */
  readonly guards?: readonly Guard[]
}

/** Narrows the related item that the first `depth` names of a path lead to. */
export interface Guard {
  readonly depth: number
  readonly condition: Condition
}

/**
 * How a scalar is compared with a scalar. Comparison is two-valued: null equals null and is less
 * than any value.
 */
export type CompareOperator =
  | 'equal'
  | 'notEqual'
  | 'greaterThan'
  | 'greaterThanOrEqual'
  | 'lessThan'
  | 'lessThanOrEqual'

/**
 * How text is searched: case-sensitively. `like` knows `%` (any run) and `_` (any one character).
 * Null holds no text.
 */
export type TextOperator = 'contains' | 'startsWith' | 'endsWith' | 'like'

/**
 * What an item must satisfy: a closed tree, compiled by stores and evaluated by the memory store.
 */
export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | {
      readonly kind: 'compare'
      readonly path: FieldPath
      readonly operator: CompareOperator
      readonly value: Scalar
    }
  | { readonly kind: 'oneOf'; readonly path: FieldPath; readonly values: readonly Scalar[] }
  | {
      readonly kind: 'text'
      readonly path: FieldPath
      readonly operator: TextOperator
      readonly value: string
    }
  /**
   * Of an array of scalars or a relation to many (its identifiers): does it hold any, or all, of
   * the values?
   */
  | {
      readonly kind: 'members'
      readonly path: FieldPath
      readonly quantity: 'any' | 'all'
      readonly values: readonly Scalar[]
    }
  | { readonly kind: 'and'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }

export type SortDirection = 'asc' | 'desc'

export interface SortKey {
  readonly path: FieldPath
  readonly direction: SortDirection
}

/** A place in a sorted list: the values of the plan's sort keys, in their order, then the id. */
export type Position = readonly Scalar[]

/**
 * Which part of the sorted list is wanted. Positions are exclusive; items always come in the order
 * of the sort.
 */
export type PageRange =
  | { readonly kind: 'slice'; readonly offset: number; readonly limit: number }
  | { readonly kind: 'after'; readonly position: Position; readonly limit: number }
  /** The last `limit` items before the position. */
  | { readonly kind: 'before'; readonly position: Position; readonly limit: number }
  | {
      readonly kind: 'between'
      readonly after: Position
      readonly before: Position
      readonly limit: number
    }

/**
 * A question to a store, as a frozen, printable value. The id, ascending, is always the last sort
 * key, unsaid.
 */
export interface QueryPlan {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  readonly pageRange: PageRange
}

/** A plan whose window is counted from the start of the list. */
export interface OffsetPlan extends QueryPlan {
  readonly pageRange: Extract<PageRange, { kind: 'slice' }>
}

/** Everything, in the order of ids. `limit: Infinity` means no limit. */
export const allItemsPlan: OffsetPlan = Object.freeze({
  condition: Object.freeze({ kind: 'always' }),
  sort: Object.freeze([]),
  pageRange: Object.freeze({ kind: 'slice', offset: 0, limit: Infinity }),
})
