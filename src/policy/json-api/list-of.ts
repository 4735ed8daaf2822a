import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { type ListOptions, withAlternatives } from '../list-alternatives.ts'
import type { ModelFormat } from '../model-format.ts'
import { documentSchemas } from './document-schemas.ts'
import { pagedParameters } from './media-types.ts'
import { resourceSchemas } from './resource-schemas.ts'

/** The lists of a model: its own (`list`), and those of relations to it (`relatedList`). */
export function listOf(
  document: 'list' | 'relatedList',
  view: ModelView,
  views: ModelViews,
  serializer: Serializer,
  options: ListOptions,
): ModelFormat['list'] {
  return withAlternatives(
    {
      contents: documentSchemas(view, views)[document],
      idPointer: '/data/0/id',
      headers: {},
      parameters: pagedParameters,
    },
    view,
    serializer,
    resourceSchemas(view, views).resource,
    options,
  )
}
