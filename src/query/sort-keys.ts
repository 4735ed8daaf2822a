import { mapPaths } from './conditions.ts'
import type { FieldPath, RelevanceSortKey, SearchCondition, SortKey } from './query-plan.ts'

export function isRelevance(key: SortKey): key is RelevanceSortKey {
  return 'search' in key
}

/**
 * The paths of what a sort key compares.
 *
 * ```ts
 * sortPathsIn({ path: toFieldPath('author.name'), direction: 'asc' })[0] // author.name
 * ```
 */
export function sortPathsIn(key: SortKey): readonly FieldPath[] {
  return isRelevance(key) ? key.search.fields.map(({ path }) => path) : [key.path]
}

/**
 * The sort key with every path replaced by `change`.
 *
 * ```ts
 * const byName: SortKey = { path: toFieldPath('name'), direction: 'asc' }
 * mapSortPaths(byName, ({ names }) => ({ names: ['author', ...names] }))
 * ```
 */
export function mapSortPaths(key: SortKey, change: (path: FieldPath) => FieldPath): SortKey {
  return isRelevance(key)
    ? { ...key, search: mapPaths(key.search, change) as SearchCondition }
    : { ...key, path: change(key.path) }
}
