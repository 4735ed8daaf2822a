import type { ModelView, ModelViews } from '../model/model-view.ts'
import { changesParameter } from '../rule/parameter/changes-parameter.ts'
import { collectionParameters } from '../rule/parameter/collection-parameters.ts'
import { fieldsParameter } from '../rule/parameter/fields-parameter.ts'
import { filterParameter } from '../rule/parameter/filter-parameter.ts'
import { groupPageParameter } from '../rule/parameter/group-page-parameter.ts'
import { groupsParameter } from '../rule/parameter/groups-parameter.ts'
import { includeParameter } from '../rule/parameter/include-parameter.ts'
import { searchParameters } from '../rule/parameter/search-parameter.ts'
import { withGroupCountParameter } from '../rule/parameter/with-count-parameter.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { RouterLimits } from '../rule/router-limits.ts'

/**
 * The query parameters of a response with one item, the same under every policy. They are `fields`
 * and `include`.
 *
 * ```ts
 * const parameters = itemParameters(view, views, limits)
 * const format: ModelFormat = { ...modelFormat, itemParameters: parameters }
 * ```
 */
export function itemParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return [fieldsParameter(views), includeParameter(views, view, limits)]
}

/**
 * The query parameters of a list. They are those of an item, and `filter`, `sort`, `page` and
 * `withCount`, and `search` where the model declares what is searched.
 *
 * ```ts
 * const parameters = listParameters(view, views, limits)
 * const format: ModelFormat = { ...modelFormat, listParameters: parameters }
 * ```
 */
export function listParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return [...collectionParameters(view, views, limits), ...itemParameters(view, views, limits)]
}

/**
 * The query parameters of what changed in a list, the same under every policy. They are `filter`,
 * `fields`, `since`, `limit` and `wait`, and `search` where the model declares what is searched.
 *
 * ```ts
 * const parameters = changesParameters(view, views, limits)
 * ```
 */
export function changesParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return [
    filterParameter(views, view, limits),
    ...searchParameters(views, view, limits),
    fieldsParameter(views),
    changesParameter(limits),
  ]
}

/**
 * The query parameters of the groups of a list, the same under every policy. They are `groupBy`,
 * `withAggregates`, `timeZone`, `filter`, `filterGroups`, `sort`, `page` and `withCount`,
 * and `search` where the model declares what is searched.
 *
 * ```ts
 * const parameters = groupsParameters(view, views, limits)
 * ```
 */
export function groupsParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return [
    groupsParameter(views, view, limits),
    filterParameter(views, view, limits),
    ...searchParameters(views, view, limits),
    groupPageParameter(limits),
    withGroupCountParameter,
  ]
}
