import type { RelationField } from '../model/model-description.ts'
import { always } from '../query/conditions.ts'
import type { Condition, SortKey } from '../query/query-plan.ts'

/** Which part of a list a client asked for. */
export type Page =
  | { readonly kind: 'none' }
  | { readonly kind: 'number'; readonly number: number; readonly size: number }
  | { readonly kind: 'offset'; readonly offset: number; readonly size: number }
  /** Cursors as they were sent; which sort they belong to is known only once the whole query is. */
  | {
      readonly kind: 'cursor'
      readonly after: string | undefined
      readonly before: string | undefined
      readonly size: number
    }

/**
 * Which of the items that a relation to many leads to are wanted, from each item that it leads
 * from.
 */
export interface IncludedSelection {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  /** How many of each; undefined where all are wanted. */
  readonly size: number | undefined
}

/** A relation whose items are asked for too, and those of theirs. */
export interface IncludeNode {
  readonly relation: RelationField
  readonly children: readonly IncludeNode[]
  /** Undefined where nothing was said but that they are wanted. */
  readonly selection: IncludedSelection | undefined
}

/**
 * A query string in the one spelling that links repeat it in: whole, and without what it says of
 * the page.
 */
export interface CanonicalQuery {
  readonly complete: string
  readonly withoutPage: string
}

/**
 * What a client asked for in its query parameters, in terms of the model. One object may serve many
 * requests that ask alike.
 */
export interface Selection {
  readonly canonicalQuery: CanonicalQuery
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  readonly page: Page
  /** Wire names by the plural of the model they belong to. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** Undefined when nothing was said about it. */
  readonly include: readonly IncludeNode[] | undefined
  readonly withCount: boolean
  /**
   * Whether each item of a page is to come with its place: for clients that asked for a profile
   * that knows such places.
   */
  readonly hasItemCursors: boolean
}

export const defaultSelection: Selection = Object.freeze({
  canonicalQuery: Object.freeze({ complete: '', withoutPage: '' }),
  condition: always,
  sort: Object.freeze([]),
  page: Object.freeze({ kind: 'none' }),
  fields: new Map(),
  include: undefined,
  withCount: false,
  hasItemCursors: false,
})
