import type { ModelView, ModelViews } from '../model/model-view.ts'
import { collectionParameters } from '../rule/parameter/collection-parameters.ts'
import { fieldsParameter } from '../rule/parameter/fields-parameter.ts'
import { includeParameter } from '../rule/parameter/include-parameter.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { RouterLimits } from '../rule/router-limits.ts'

/** The query parameters of a response with one item, the same under every policy. */
export function itemParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return [fieldsParameter(views), includeParameter(views, view, limits)]
}

/** The query parameters of a list. */
export function listParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return [...collectionParameters(view, views, limits), ...itemParameters(view, views, limits)]
}
