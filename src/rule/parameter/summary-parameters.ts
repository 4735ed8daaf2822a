import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { QueryParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { withAggregatesParameter } from './with-aggregates-parameter.ts'
import { withFacetsParameter } from './with-facets-parameter.ts'

/**
 * The parameters of a list about all of its pages, `withAggregates` and `withFacets`; none where
 * the model declares nothing to add up (`aggregate`).
 *
 * ```ts
 * const ofAllPages = summaryParameters(view, views, limits)
 * const parameters = [...listParameters(view, views, limits), ...ofAllPages]
 * ```
 */
export function summaryParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): readonly QueryParameter[] {
  return view.model.aggregated.size === 0
    ? []
    : [withAggregatesParameter(views, view, limits), withFacetsParameter(views, view, limits)]
}
