import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { QueryParameter } from '../query-parameter.ts'
import { isSearched } from './searched-fields.ts'
import { booleanParameter } from './true-or-false.ts'

/**
 * `withHighlights=true`: where the words of `search` occur in the items of the page. None where the
 * model declares nothing that is searched (`search`).
 *
 * ```ts
 * const parameters = [...listParameters(view, views, limits), ...highlightsParameters(view, views)]
 * ```
 */
export function highlightsParameters(
  view: ModelView,
  views: ModelViews,
): readonly QueryParameter[] {
  return isSearched(views, view) ? [withHighlights] : []
}

const withHighlights = booleanParameter(
  'withHighlights',
  'Adds where the words of `search` occur in the items of the page as `meta.highlights`. Needs a page, such as `page[size]=20`.',
  'WithHighlights',
  (value) => ({ withHighlights: value }),
)
