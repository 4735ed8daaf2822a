import type { ModelTypes } from './api-types.ts'
import type { CallOptions, ItemQuery, Page, Selection } from './query-types.ts'

/** What a list holds, and in which order. */
export interface ListQuery<Model extends ModelTypes, Include, Fields, Aggregate, Facet>
  extends Selection<Model>,
    ItemQuery<Include, Fields> {
  /** Fields; a minus sorts downwards: `['-price', 'title']`. */
  readonly sort?: Model['sort'] | readonly Model['sort'][]
  readonly page?: Page
  /** Count the items of all pages? This reads all of them. */
  readonly count?: boolean
  /** Functions over the items of all pages, such as `sum(price)`. */
  readonly aggregates?: readonly Aggregate[]
  /** Members whose most frequent values are counted. */
  readonly facets?: readonly Facet[]
  /** Say where the words of `search` occur? Needs a page. */
  readonly highlights?: boolean
}

/** A page of a list, or the whole list where the query has no page. */
export interface List<Item, Aggregates = unknown, Facets = unknown> {
  readonly items: Item[]
  /** Items on all pages, where the query has `count`. */
  readonly total: number | undefined
  /** The `page` of the next call; undefined at the end. */
  readonly nextPage: Page | undefined
  readonly previousPage: Page | undefined
  readonly aggregates: Aggregates
  readonly facets: Facets
  readonly highlights: readonly Highlights[] | undefined
}

/** Where words of a search occur in one item. */
export interface Highlights {
  readonly id: string
  readonly fields: readonly {
    readonly name: string
    readonly pieces: readonly { readonly text: string; readonly isMatch: boolean }[]
    /** Does the text have more before or after the pieces? */
    readonly isExcerpt: boolean
  }[]
}

/** How items are grouped, and which groups there are. */
export interface GroupQuery<Model extends ModelTypes, By, Aggregate>
  extends Selection<Model>,
    CallOptions {
  readonly by: readonly By[]
  readonly aggregates?: readonly Aggregate[]
  /** Conditions on groups, by a name of `by` or `aggregates`: `{ count: { gte: 2 } }`. */
  readonly filterGroups?: Readonly<Record<string, Readonly<Record<string, string | number>>>>
  readonly sort?: string | readonly string[]
  readonly page?: Page
  readonly count?: boolean
  /** Of the parts of date-times, such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string
}

/** The groups of a list. */
export interface Groups<By, Aggregates> {
  readonly groups: readonly { readonly by: By; readonly aggregates: Aggregates }[]
  readonly total: number | undefined
}

/** A change of a followed list. */
export type Change<Item> =
  | { readonly kind: 'create' | 'update'; readonly id: string; readonly item: Item }
  | { readonly kind: 'delete'; readonly id: string }

/** A list as it is now, and the changes that led to it; none after it was read as a whole. */
export interface FollowedList<Item> {
  readonly items: Item[]
  readonly changes: readonly Change<Item>[]
}
