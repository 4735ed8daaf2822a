import { memoizeBy } from '../cache/memoize-by.ts'
import type { Context } from '../context/context.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import type { Rule } from '../rule/rule.ts'
import type { IncludeNode } from '../rule/selection.ts'

/** How much a request asks for. */
export interface RequestSize {
  /** How many relations it includes; `author.country` is two. */
  readonly includedRelations: number
  /** The longest path of them. */
  readonly includeDepth: number
  /**
   * The items of the page that it asks for; `Infinity` for a whole list, 0 where it reads no list.
   */
  readonly pageSize: number
}

/** The items of a list that count as one point. */
const itemsPerPoint = 100
/** As which a whole list counts. */
const wholeListItems = 1_000

/**
 * The points of a request: 1, 1 more for each included relation, and 1 more for each full 100 items
 * of its page. A whole list counts as 1 000 items.
 *
 * ```ts
 * defaultCost({ includedRelations: 2, includeDepth: 1, pageSize: 250 }) // 5
 * ```
 */
export function defaultCost({ includedRelations, pageSize }: RequestSize): number {
  return 1 + includedRelations + Math.floor(Math.min(pageSize, wholeListItems) / itemsPerPoint)
}

const nothing: RequestSize = Object.freeze({ includedRelations: 0, includeDepth: 0, pageSize: 0 })

/** How much the request asks for. A query string that will be refused asks for nothing. */
export function requestSize({ rule, request }: Context): RequestSize {
  const { content } = rule.response
  const isList =
    content === 'list' || (content === 'linkage' && rule.method === 'GET' && isToMany(rule))
  if (!isList && request.query === '') return nothing
  try {
    const { page, include = [] } = readerOf(rule)(request.query)
    const size = page.kind === 'none' ? (page.maxItems ?? Number.POSITIVE_INFINITY) : page.size
    return {
      includedRelations: countNodes(include),
      includeDepth: depthOf(include),
      pageSize: isList ? size : 0,
    }
  } catch {
    return nothing
  }
}

const readerOf = memoizeBy((rule: Rule) => createParameterReader(rule.parameters))

function isToMany({ target }: Rule): boolean {
  return target.kind === 'linkage' && target.relation.kind !== 'toOne'
}

function countNodes(nodes: readonly IncludeNode[]): number {
  return nodes.reduce((count, { children }) => count + 1 + countNodes(children), 0)
}

function depthOf(nodes: readonly IncludeNode[]): number {
  return nodes.reduce((depth, { children }) => Math.max(depth, 1 + depthOf(children)), 0)
}
