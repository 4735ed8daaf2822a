import type { RelationField } from '../model/model-description.ts'
import type { ScalarType } from '../model/value-type.ts'
import { always } from '../query/conditions.ts'
import type { GroupKey } from '../query/group-plan.ts'
import type {
  Condition,
  FieldPath,
  FieldSortKey,
  SearchCondition,
  SortKey,
} from '../query/query-plan.ts'
import type { TextKind } from '../text/csv-cell.ts'

/** The page of a list that a client asked for. */
export type Page =
  /** The whole list; it is refused if it has more items than `maxItems`. */
  | { readonly kind: 'none'; readonly maxItems?: number }
  | { readonly kind: 'number'; readonly number: number; readonly size: number }
  | { readonly kind: 'offset'; readonly offset: number; readonly size: number }
  /** Raw cursors: they are decoded when the sort of the query is known. */
  | {
      readonly kind: 'cursor'
      readonly after: string | undefined
      readonly before: string | undefined
      readonly size: number
    }

/** The selection of an included to-many relation. It applies to each owner separately. */
export interface IncludedSelection {
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  /** The maximum number of items for each owner; undefined for all. */
  readonly size: number | undefined
}

/** A function over the values of a list, or the number of its items. */
export type RequestedAggregate =
  | { readonly name: 'count'; readonly function: 'count' }
  | {
      /** As the client wrote it: `sum(price)`. */
      readonly name: string
      readonly function: 'sum' | 'avg' | 'min' | 'max' | 'countDistinct'
      readonly path: FieldPath
      readonly type: ScalarType
    }

/** The most frequent values of a member. */
export interface RequestedFacet {
  /** As the client wrote it. */
  readonly name: string
  readonly path: FieldPath
  readonly maxValues: number
}

/** The words that a client searched for. */
export interface RequestedSearch {
  readonly condition: SearchCondition
  /** What clients call its fields, in their order. */
  readonly names: readonly string[]
}

/** What the items of a list are grouped by. */
export interface RequestedGroupKey extends GroupKey {
  /** As the client wrote it: `author.country`, `year(publishedAt)`. */
  readonly name: string
  /** Of its values in groups: that of a part is a text. */
  readonly type: ScalarType
  readonly text: TextKind
}

/**
 * The groups that a client asked for. In the condition and in the sort, a path has one name: that
 * of a key or of an aggregate.
 */
export interface GroupsSelection {
  readonly keys: readonly RequestedGroupKey[]
  /** What the items of each group add up to. */
  readonly aggregates: readonly RequestedAggregate[]
  readonly condition: Condition
  readonly sort: readonly FieldSortKey[]
  /** A list with more groups is refused. */
  readonly maxGroups: number
}

/** An included relation, and the relations included below it. */
export interface IncludeNode {
  readonly relation: RelationField
  readonly children: readonly IncludeNode[]
  /** Undefined to include all items. */
  readonly selection: IncludedSelection | undefined
}

/** As `since` of a request: as far back as changes are kept. */
export const sinceStart = 'start'

/** The changes that a client asked for. */
export interface ChangesSelection {
  /** A sealed position, not opened yet; `start` for the first change. Undefined for now. */
  readonly since: string | undefined
  readonly limit: number
  /** How long to wait for the first change, in milliseconds. */
  readonly waitMs: number
}

/** The lists whose changes a client asked for. */
export interface FeedSelection {
  /** The plurals of the models, as the client wrote them. */
  readonly plurals: readonly string[]
  /** The filters of their lists, by plural; a list without one is not in it. */
  readonly conditions: ReadonlyMap<string, Condition>
}

/** A query string in its canonical form, for links: complete, and without `page`. */
export interface CanonicalQuery {
  readonly complete: string
  readonly withoutPage: string
}

/** The parsed query parameters. Requests with the same query string may share one object. */
export interface Selection {
  /** Undefined for a query that is too long for links (`QueryBounds`). */
  readonly canonicalQuery: CanonicalQuery | undefined
  readonly condition: Condition
  readonly sort: readonly SortKey[]
  readonly page: Page
  /** Wire names by the plural of their model. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
  /** Undefined without the parameter `include`. */
  readonly include: readonly IncludeNode[] | undefined
  readonly withCount: boolean
  /** What the items of all pages add up to. */
  readonly aggregates: readonly RequestedAggregate[]
  /** The members whose most frequent values are counted. */
  readonly facets: readonly RequestedFacet[]
  /** Undefined without the parameter `search`. */
  readonly search: RequestedSearch | undefined
  /** Does the response say where the words occur? */
  readonly withHighlights: boolean
  /** Undefined where the rule is not about groups. */
  readonly groups: GroupsSelection | undefined
  /** Does each item of the page have its cursor, as the Cursor Pagination profile asks? */
  readonly hasItemCursors: boolean
  /** Undefined where the rule is not about changes. */
  readonly changes: ChangesSelection | undefined
  /** Undefined where the rule is not about changes of several models. */
  readonly feed: FeedSelection | undefined
  /** When the item in the trash was deleted that is meant, in milliseconds since 1970. */
  readonly deletedMs: number | undefined
  /** The file name with which the client saves the response. */
  readonly download: string | undefined
}

export const defaultSelection: Selection = Object.freeze({
  canonicalQuery: Object.freeze({ complete: '', withoutPage: '' }),
  condition: always,
  sort: Object.freeze([]),
  page: Object.freeze({ kind: 'none' }),
  fields: new Map(),
  include: undefined,
  withCount: false,
  aggregates: Object.freeze([]),
  facets: Object.freeze([]),
  search: undefined,
  withHighlights: false,
  groups: undefined,
  hasItemCursors: false,
  changes: undefined,
  feed: undefined,
  deletedMs: undefined,
  download: undefined,
})
