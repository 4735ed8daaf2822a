import { lazy } from '../cache/lazy.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { createMatchTree } from '../router/match-tree.ts'
import type { OperationName } from '../rule/operations.ts'
import type { PolicyLimits } from '../rule/router-limits.ts'
import type { Rule } from '../rule/rule.ts'

/** Operations that read as many items as there are, unless a page bounds them. */
const listing: ReadonlySet<OperationName> = new Set([
  'GetList',
  'RelatedGet',
  'GetVersions',
  'GetTrash',
])

/** Items of a page that a store finds as fast as a few single ones. */
const maxSmallPage = 50

/** Parameters for which a store reads more items than the page has. */
const widening = ['search', 'groupBy', 'withAggregates', 'withFacets']

/**
 * Which requests of a router may read many items: lists without a small page, searches and groups.
 * It reads the texts of parameters only, because it is asked while there is no time.
 *
 * @param rules those of the router; read when it is first asked
 */
export function scanDetector(
  basePath: string,
  rules: () => readonly Rule[],
  { lists, defaultPageSize }: Pick<PolicyLimits, 'lists' | 'defaultPageSize'>,
): (request: ApiRequest) => boolean {
  const treeOf = lazy(() => {
    const tree = createMatchTree<OperationName>()
    for (const { method, path, operation } of rules()) tree.add(method, path, operation)
    return tree
  })
  const unstatedSize = lists === 'paged' ? defaultPageSize : Number.POSITIVE_INFINITY
  const isSmallPage = (query: string): boolean => {
    const parameters = new URLSearchParams(query)
    const size = parameters.get('page[size]') ?? parameters.get('page[limit]') ?? unstatedSize
    return Number(size) <= maxSmallPage && !widening.some((name) => parameters.has(name))
  }
  return ({ method, path, query }) => {
    const match = treeOf().match(method, path.slice(basePath.length))
    if (match.kind !== 'found') return false
    if (match.value === 'GetGroups') return true
    return listing.has(match.value) && !isSmallPage(query)
  }
}
