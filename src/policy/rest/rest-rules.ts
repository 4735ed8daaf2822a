import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { charsetParameters } from '../../rule/media-type-parameters.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { PolicyRule } from '../../rule/rule.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { createContents } from '../create-contents.ts'
import { flatItemSchemas } from '../flat-item-schemas.ts'
import { modelRules } from '../model-rules.ts'
import { changesParameters, itemParameters, listParameters } from '../operation-parameters.ts'
import { flatItemErrors } from '../read-flat-item.ts'
import { actionFormat } from './action-format.ts'
import { documentSchemas, mediaType } from './document-schemas.ts'
import { restSerializer } from './rest-serializer.ts'

/**
 * The six operations of a model under plain REST, its actions, and the operations of its binary
 * resources.
 * @param linesSerializer writes the alternative representation of lists, if any
 */
export function restRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  linesSerializer: Serializer | undefined,
): readonly PolicyRule[] {
  const { name, plural } = view.model
  const { item, list, listWithLines, request } = documentSchemas(view, views)
  return modelRules(view, {
    serializer: restSerializer,
    mediaTypeParameters: charsetParameters,
    noun: 'item',
    item: { contents: item, idPointer: `/${name}/id` },
    list: {
      contents: linesSerializer ? listWithLines : list,
      idPointer: `/${plural}/0/id`,
      headers: { link: 'sometimes' },
      ...(linesSerializer && { alternative: { serializer: linesSerializer } }),
    },
    request: (purpose) => {
      const mediaTypes =
        purpose === 'update' ? [mediaType, 'application/merge-patch+json'] : [mediaType]
      return { mediaTypes, contents: request(purpose, mediaTypes) }
    },
    missingRelatedError: 'related-not-found',
    requestErrors: flatItemErrors,
    writesInverses: false,
    actions: actionFormat,
    changes: {
      item: flatItemSchemas(view, views).response,
      pageContents: (page) => createContents([mediaType], page),
      parameters: changesParameters(view, views, limits),
    },
    itemParameters: itemParameters(view, views, limits),
    listParameters: listParameters(view, views, limits),
  })
}
