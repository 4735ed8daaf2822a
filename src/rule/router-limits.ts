import {
  checkOptions,
  type OptionChecks,
  wholeNumber,
  withDefaults,
} from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

/**
 * The limits of one request, as integers. Each refusal names its limit. Where no minimum is named,
 * 0 is allowed, which leaves nothing of the kind.
 */
export interface RouterLimits {
  /**
   * Items of a page without `page[size]`: from 1 to `maxPageSize`. Default: 20, or `maxPageSize` if
   * it is less.
   */
  readonly defaultPageSize: number
  /** Items of a page, at least 1. Default: 1 000. */
  readonly maxPageSize: number
  /**
   * Items before a page by number or offset. Default: 1 000 000. Pages by cursor have no such
   * limit.
   */
  readonly maxOffset: number
  /**
   * Items of a list without `page`, at least 1. A longer list is refused (400), and can be read in
   * pages. Default: no limit.
   */
  readonly maxItems?: number
  /** Fields in `sort`. Default: 8. */
  readonly maxSortKeys: number
  /**
   * Comparisons and connectives of all filters of the list, and again of all filters of included
   * relations. Default: 50.
   */
  readonly maxFilterNodes: number
  /** Levels of nested `and`, `or` and `not`. Default: 16. */
  readonly maxFilterDepth: number
  /** Values of one `in`, `nin`, `any` or `all`. Default: 500. */
  readonly maxFilterValues: number
  /** Values of all filters of the list, and again of included relations. Default: 5 000. */
  readonly maxTotalFilterValues: number
  /** Wildcards of one `like`. Default: 16. */
  readonly maxWildcards: number
  /** Characters of one `like`. Default: 100. */
  readonly maxPatternLength: number
  /**
   * Characters of all `like` patterns of the list, and again of included relations: the cost of a
   * match grows with both the pattern and the text. Default: 200.
   */
  readonly maxTotalPatternLength: number
  /** Words of `search`. Default: 16. */
  readonly maxSearchWords: number
  /** Characters of `search`. Default: 200. */
  readonly maxSearchLength: number
  /** Relations of one path in filters, sorts and includes. Default: 4. */
  readonly maxRelationDepth: number
  /** Paths in `include`. Default: 20. */
  readonly maxIncludePaths: number
  /** Functions in `withAggregates`, and members in `withFacets`. Default: 16. */
  readonly maxAggregates: number
  /** Members in `groupBy`, at least 1. Default: 4. */
  readonly maxGroupKeys: number
  /** Groups of a list, before `filterGroups` and `page`, at least 1. Default: 10 000. */
  readonly maxGroups: number
  /** Values of each member in `withFacets`: the most frequent ones. Default: 20. */
  readonly maxFacetValues: number
  /** Models in one request for changes of several models, at least 1. Default: 20. */
  readonly maxModelsPerFeed: number
  /** Operations of one batch. Default: 100. */
  readonly maxOperations: number
  /**
   * Ids in the to-many relations of one request, in a batch of all its operations. Default: 10 000.
   */
  readonly maxIdentifiers: number
  /**
   * Items that one request changes or removes, those among them that refer to its own; in a batch
   * those of all its operations. At least 1. Default: 12 000.
   */
  readonly maxChangedItems: number
  /**
   * Bytes of the body of QUERY, which has the query string of a list, at least 1. Default: 262 144
   * (256 KiB).
   */
  readonly maxQueryBytes: number
  /** Bytes of a JSON body, or of one line of it, at least 1. Default: 1 048 576 (1 MiB). */
  readonly maxBodyBytes: number
  /**
   * Members and elements of a JSON body, at all levels, at least 1. Default: 50 000, or four times
   * `maxIdentifiers` and 1 000 if that is more.
   */
  readonly maxJsonValues: number
  /**
   * Members and elements of one item or of the input of an action, at all levels, without linkage:
   * validators need time for each. In a batch, the limit applies to each operation. One object of a
   * body may have as many members, and at least 1 000. At least 1. Default: 5 000.
   */
  readonly maxItemValues: number
  /**
   * Items of a body of lines that are created all or none (`Prefer: handling=strict`), at least 1.
   * Default: 1 000. Else a body may have any number of lines.
   */
  readonly maxStrictLines: number
  /** Bytes of such a body, at least 1. Default: 4 194 304 (4 MiB). */
  readonly maxStrictBytes: number
  /**
   * Bytes of the stored JSON of one item, without the bytes of its binary resources. At least 1.
   * Default: 262 144 (256 KiB).
   */
  readonly maxItemBytes: number
}

/**
 * The limits of a router whose option `limits` does not set them.
 *
 * ```ts
 * const maxPageSize = defaultRouterLimits.maxPageSize / 2
 * const router = createRouter({ policy: rest(), store: memory(), limits: { maxPageSize } })
 * ```
 */
export const defaultRouterLimits: RouterLimits = Object.freeze({
  defaultPageSize: 20,
  maxPageSize: 1_000,
  maxOffset: 1_000_000,
  maxSortKeys: 8,
  maxFilterNodes: 50,
  maxFilterDepth: 16,
  maxFilterValues: 500,
  maxTotalFilterValues: 5_000,
  maxWildcards: 16,
  maxPatternLength: 100,
  maxTotalPatternLength: 200,
  maxSearchWords: 16,
  maxSearchLength: 200,
  maxRelationDepth: 4,
  maxIncludePaths: 20,
  maxAggregates: 16,
  maxGroupKeys: 4,
  maxGroups: 10_000,
  maxFacetValues: 20,
  maxModelsPerFeed: 20,
  maxOperations: 100,
  maxIdentifiers: 10_000,
  maxChangedItems: 12_000,
  maxQueryBytes: 262_144,
  maxBodyBytes: 1_048_576,
  maxJsonValues: 50_000,
  maxItemValues: 5_000,
  maxStrictLines: 1_000,
  maxStrictBytes: 4_194_304,
  maxItemBytes: 262_144,
})

/** A resource identifier object: the object, its type, its id and one more member. */
const jsonValuesPerIdentifier = 4
/** The rest of the document. */
const otherJsonValues = 1_000

const limitOptions: OptionChecks<RouterLimits> = {
  defaultPageSize: wholeNumber(1),
  maxPageSize: wholeNumber(1),
  maxOffset: wholeNumber(0),
  maxItems: wholeNumber(1),
  maxSortKeys: wholeNumber(0),
  maxFilterNodes: wholeNumber(0),
  maxFilterDepth: wholeNumber(0),
  maxFilterValues: wholeNumber(0),
  maxTotalFilterValues: wholeNumber(0),
  maxWildcards: wholeNumber(0),
  maxPatternLength: wholeNumber(0),
  maxTotalPatternLength: wholeNumber(0),
  maxSearchWords: wholeNumber(0),
  maxSearchLength: wholeNumber(0),
  maxRelationDepth: wholeNumber(0),
  maxIncludePaths: wholeNumber(0),
  maxAggregates: wholeNumber(0),
  maxGroupKeys: wholeNumber(1),
  maxGroups: wholeNumber(1),
  maxFacetValues: wholeNumber(1),
  maxModelsPerFeed: wholeNumber(1),
  maxOperations: wholeNumber(0),
  maxIdentifiers: wholeNumber(0),
  maxChangedItems: wholeNumber(1),
  maxQueryBytes: wholeNumber(1),
  maxBodyBytes: wholeNumber(1),
  maxJsonValues: wholeNumber(1),
  maxItemValues: wholeNumber(1),
  maxStrictLines: wholeNumber(1),
  maxStrictBytes: wholeNumber(1),
  maxItemBytes: wholeNumber(1),
}

/** What a list without `page` is: all of it, or its first page. */
export type UnpagedLists = 'paged' | 'whole'

/** The limits that a policy gets: those of the router, and what else its parameters depend on. */
export interface PolicyLimits extends RouterLimits {
  /** Default: `whole`. */
  readonly lists?: UnpagedLists
}

/**
 * Fills in the defaults.
 * @throws RegistrationError if a limit is not a valid number, or two limits contradict each other
 */
export function resolveRouterLimits(
  options: Partial<RouterLimits> = {},
  lists: UnpagedLists = 'whole',
): PolicyLimits {
  checkOptions("the option 'limits' of createRouter()", options, limitOptions)
  const {
    maxPageSize = defaultRouterLimits.maxPageSize,
    maxIdentifiers = defaultRouterLimits.maxIdentifiers,
  } = options
  const pageSize = Math.min(defaultRouterLimits.defaultPageSize, maxPageSize)
  const maxJsonValues = Math.max(
    defaultRouterLimits.maxJsonValues,
    jsonValuesPerIdentifier * maxIdentifiers + otherJsonValues,
  )
  const limits = withDefaults(
    { ...defaultRouterLimits, defaultPageSize: pageSize, maxJsonValues },
    options,
  )
  if (limits.defaultPageSize > limits.maxPageSize)
    throw new RegistrationError(
      `The limit 'defaultPageSize' (${limits.defaultPageSize}) of createRouter() must be at most 'maxPageSize' (${limits.maxPageSize}).`,
    )
  return Object.freeze({ ...limits, lists })
}
