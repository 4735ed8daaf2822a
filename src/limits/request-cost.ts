import { memoizeBy } from '../cache/memoize-by.ts'
import type { Context } from '../context/context.ts'
import { isSafe } from '../http/safe-method.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import { queryBoundsOf } from '../rule/parameter/query-bounds.ts'
import type { Rule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import { countConditions, countSortRelations } from './count-conditions.ts'
import { countIncluded } from './count-included.ts'

/** How much a request asks for. */
export interface RequestSize {
  /** How many relations it includes; `author.country` is two. */
  readonly includedRelations: number
  /** The longest path of them. */
  readonly includeDepth: number
  /**
   * How many items these relations are taken for: one for each item of the page, and for a relation
   * to many as many as the request selects, or 10. At most 1 000 for each relation.
   */
  readonly includedItems: number
  /**
   * The items of the page that it asks for; `Infinity` for a whole list, 0 where it reads no list.
   */
  readonly pageSize: number
  /** The values that filters compare with: `[in]` has several. */
  readonly conditions: number
  /** The conditions that lead through a relation, or look for ids of one to many. */
  readonly relatedConditions: number
  /** The conditions that search inside of a text, such as `[contains]`: no index helps. */
  readonly textSearches: number
  /** The sort keys that lead through a relation. */
  readonly sortedRelations: number
  /** Does it count the items of all pages (`withCount`)? */
  readonly withCount: boolean
  /**
   * How many times it adds up the items of all pages: for `withAggregates`, for each facet, and for
   * groups.
   */
  readonly summaries: number
  /** The ids of related items that its body names; 0 until the body is read. */
  readonly relatedIds: number
}

/** As which a whole list counts. */
const wholeListItems = 1_000
/** The items, or ids of a body, that count as one point. */
const itemsPerPoint = 100
const conditionsPerPoint = 10

/**
 * The points of a request: 1, and as many more as its statements cost.
 *
 * - 1 for each included relation, and 1 for each full 100 items of the page and of these relations
 *   together. A whole list counts as 1 000 items.
 * - 1 for each condition or sort key that leads through a relation, 1 for each condition that
 *   searches inside of a text, and 1 for each full 10 conditions.
 * - For `withCount`, for `withAggregates`, for each member of `withFacets` and for groups 1, and
 *   those of the conditions again.
 * - 1 for each full 100 ids of related items in the body.
 *
 * ```ts
 * defaultCost({ includedRelations: 2, pageSize: 250 }) // 5
 * ```
 */
export function defaultCost(size: Partial<RequestSize>): number {
  const complete: RequestSize = { ...nothing, ...size }
  const { includedRelations, includedItems, pageSize, sortedRelations, relatedIds } = complete
  const items = Math.min(pageSize, wholeListItems) + includedItems
  const filter =
    complete.relatedConditions +
    complete.textSearches +
    Math.floor(complete.conditions / conditionsPerPoint)
  return (
    1 +
    includedRelations +
    Math.floor(items / itemsPerPoint) +
    filter +
    sortedRelations +
    ((complete.withCount ? 1 : 0) + complete.summaries) * (1 + filter) +
    Math.floor(relatedIds / itemsPerPoint)
  )
}

const nothing: RequestSize = Object.freeze({
  includedRelations: 0,
  includeDepth: 0,
  includedItems: 0,
  pageSize: 0,
  conditions: 0,
  relatedConditions: 0,
  textSearches: 0,
  sortedRelations: 0,
  withCount: false,
  summaries: 0,
  relatedIds: 0,
})

/** How much the request asks for. A query string that will be refused asks for nothing. */
export function requestSize({ rule, request }: Context): RequestSize {
  return sizeReaderOf(rule)(request.query)
}

const sizeReaderOf = memoizeBy((rule: Rule): ((query: string) => RequestSize) => {
  const { content } = rule.response
  const isList = content === 'list' || (content === 'linkage' && isSafe(rule) && isToMany(rule))
  const select = createParameterReader(rule.parameters, queryBoundsOf(rule))
  const sizeOf = memoizeBy((selection: Selection) => selectionSize(rule, isList, selection))
  return (query) => {
    if (!isList && query === '') return nothing
    try {
      return sizeOf(select(query))
    } catch {
      return nothing
    }
  }
})

function selectionSize(
  rule: Rule,
  isList: boolean,
  { page, include = [], condition, sort, withCount, aggregates, facets, groups }: Selection,
): RequestSize {
  const maxItems = page.kind === 'none' ? (page.maxItems ?? Number.POSITIVE_INFINITY) : page.size
  const pageSize = isList ? maxItems : 0
  const included = countIncluded(include, isList ? Math.min(pageSize, wholeListItems) : 1)
  const own = 'view' in rule ? countConditions(rule.view.model, condition) : nothing
  return Object.freeze({
    includedRelations: included.relations,
    includeDepth: included.depth,
    includedItems: included.items,
    pageSize,
    conditions: own.conditions + included.conditions,
    relatedConditions: own.relatedConditions + included.relatedConditions,
    textSearches: own.textSearches + included.textSearches,
    sortedRelations: 'view' in rule ? countSortRelations(rule.view.model, sort) : 0,
    // All groups are there to be counted.
    withCount: withCount && !groups,
    summaries: (aggregates.length > 0 || groups ? 1 : 0) + facets.length,
    relatedIds: 0,
  })
}

function isToMany({ target }: Rule): boolean {
  return target.kind === 'linkage' && target.relation.kind !== 'toOne'
}
