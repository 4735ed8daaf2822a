import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { highlightsParameters } from '../../rule/parameter/highlights-parameters.ts'
import { summaryParameters } from '../../rule/parameter/summary-parameters.ts'
import type { QueryParameter } from '../../rule/query-parameter.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { downloadParameters, type ListOptions, withAlternatives } from '../list-alternatives.ts'
import type { ModelFormat } from '../model-format.ts'
import { listParameters } from '../operation-parameters.ts'
import { documentSchemas } from './document-schemas.ts'
import { pagedParameters } from './media-types.ts'
import { resourceSchemas } from './resource-schemas.ts'

/** The lists of a model: its own, and those of relations to it. */
export function listOf(
  view: ModelView,
  views: ModelViews,
  serializer: Serializer,
  options: ListOptions,
): ModelFormat['list'] {
  return withAlternatives(
    {
      contents: documentSchemas(view, views).list,
      idPointer: '/data/0/id',
      headers: {},
      parameters: pagedParameters,
    },
    view,
    serializer,
    { noun: 'item', schema: resourceSchemas(view, views).resource },
    options,
  )
}

/** The query parameters of lists and related lists. */
export function resourceListParameters(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  options: ListOptions,
): readonly QueryParameter[] {
  return [
    ...listParameters(view, views, limits),
    ...downloadParameters(options),
    ...summaryParameters(view, views, limits),
    ...highlightsParameters(view, views),
  ]
}
