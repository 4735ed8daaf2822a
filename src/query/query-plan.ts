/** A value that can be compared. Null is the smallest value; strings compare by code point. */
export type Scalar = string | number | boolean | null

/**
 * The path of a value in an item: the model's own member names, through structs (`dimensions`,
 * `width`) and through to-one relations (`author`, `name`). If a member is missing, the value is
 * null.
 */
export interface FieldPath {
  readonly names: readonly string[]
  /**
   * Conditions on the items along the path. If an item fails one of its guards, the value is null,
   * and a relation to many has no members.
   */
  readonly guards?: readonly PathCondition[]
}

/**
 * A condition on the item that the first `depth` names of a path lead to. Several guards may have
 * the same depth: the item must satisfy all of them.
 *
 * ```ts
 * const isPublic: Condition = {
 *   kind: 'compare',
 *   path: toFieldPath('emailIsPublic'),
 *   operator: 'equal',
 *   value: true,
 * }
 * // The address of a person, and of the author of a book, where it is public.
 * const email: FieldPath = { names: ['email'], guards: [{ depth: 0, condition: isPublic }] }
 * const ofAuthor: FieldPath = {
 *   names: ['author', 'email'],
 *   guards: [{ depth: 1, condition: isPublic }],
 * }
 * ```
 */
export interface PathCondition {
  /** 0 for the item that the path starts from, 1 for the item that its first name leads to. */
  readonly depth: number
  readonly condition: Condition
}

/**
 * Compares two scalars. A comparison is true or false, never unknown: null equals null and is less
 * than any other value.
 */
export type CompareOperator =
  | 'equal'
  | 'notEqual'
  | 'greaterThan'
  | 'greaterThanOrEqual'
  | 'lessThan'
  | 'lessThanOrEqual'

/**
 * Searches in a string, by code points. In a pattern of `like`, `%` matches any characters and
 * `_` exactly one. Operators that ignore case ignore accents too: they compare texts as `foldText`
 * returns them. Null never matches.
 */
export type TextOperator =
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'like'
  | 'equalIgnoringCase'
  | 'containsIgnoringCase'
  | 'startsWithIgnoringCase'

/** A word or phrase that is searched for. */
export interface SearchTerm {
  /** Folded words with one space between them (`wordsOf`). */
  readonly words: string
  /** May the last word of the term be the beginning of a word of the text only? */
  readonly ending: 'word' | 'beginning'
  /** Must it occur in none of the fields? */
  readonly isExcluded: boolean
}

/** A text that is searched. */
export interface SearchedField {
  readonly path: FieldPath
  /** How much a term that occurs in it counts (`SearchCondition` as a sort key). */
  readonly weight: number
}

/** A search for words, as a condition and as a sort key. */
export interface SearchCondition {
  readonly kind: 'search'
  readonly fields: readonly SearchedField[]
  readonly terms: readonly SearchTerm[]
}

/** What an item must satisfy. SQL stores compile it, the memory store evaluates it. */
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
  /** An array of scalars, or the ids of a to-many relation, holds any or all of the values. */
  | {
      readonly kind: 'members'
      readonly path: FieldPath
      readonly quantity: 'any' | 'all'
      readonly values: readonly Scalar[]
    }
  /**
   * At least one of the related items of a to-many relation satisfies the condition, whose paths
   * start from the related item.
   */
  | { readonly kind: 'some'; readonly path: FieldPath; readonly condition: Condition }
  /**
   * Each term occurs in at least one of the fields, whatever its case and accents; those that are
   * excluded occur in none. Null has no words.
   */
  | SearchCondition
  | { readonly kind: 'and'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }

export type SortDirection = 'asc' | 'desc'

export type SortKey = FieldSortKey | RelevanceSortKey

export interface FieldSortKey {
  readonly path: FieldPath
  readonly direction: SortDirection
}

/**
 * How well an item fits a search: the sum over its terms, but for excluded ones, of the largest
 * weight of a field in which the term occurs.
 */
export interface RelevanceSortKey {
  readonly search: SearchCondition
  readonly direction: SortDirection
}

/**
 * Where an item stands in a sorted list: the values of the sort keys, in their order, then the id.
 */
export type Position = readonly Scalar[]

/**
 * The part of the sorted list that a query asks for. Positions are exclusive. The items are always
 * in the order of the sort.
 */
export type PageRange =
  | { readonly kind: 'offset'; readonly offset: number; readonly limit: number }
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
 * What a store is asked. The id is always the implicit last sort key, in the direction of the key
 * before it (`idDirection`).
 */
export interface QueryPlan {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  readonly pageRange: PageRange
}

/** A plan whose page range counts from the start of the list. */
export interface OffsetPlan extends QueryPlan {
  readonly pageRange: Extract<PageRange, { kind: 'offset' }>
}

/**
 * All items, in the order of their ids. `limit: Infinity` means no limit.
 *
 * ```ts
 * const cheapestFirst: QueryPlan = {
 *   ...allItemsPlan,
 *   sort: [{ path: toFieldPath('price'), direction: 'asc' }],
 * }
 * ```
 */
export const allItemsPlan: OffsetPlan = Object.freeze({
  condition: Object.freeze({ kind: 'always' }),
  sort: Object.freeze([]),
  pageRange: Object.freeze({ kind: 'offset', offset: 0, limit: Infinity }),
})
