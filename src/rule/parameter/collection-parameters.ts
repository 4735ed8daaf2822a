import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { QueryParameter } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'
import { filterParameter } from './filter-parameter.ts'
import { pageParameter } from './page-parameter.ts'
import { searchAndSortParameters } from './search-parameter.ts'
import { withCountParameter } from './with-count-parameter.ts'

/** The parameters of every rule that responds with a list of the model. */
export const collectionParameters: (
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
) => readonly QueryParameter[] = memoizeBy(
  (view: ModelView, views: ModelViews, limits: RouterLimits) => [
    filterParameter(views, view, limits),
    ...searchAndSortParameters(views, view, limits),
    pageParameter(limits),
    withCountParameter,
  ],
)
