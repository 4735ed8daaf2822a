import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { charsetParameters } from '../../rule/media-type-parameters.ts'
import { groupSchema } from '../../rule/parameter/aggregate-schemas.ts'
import { highlightsParameters } from '../../rule/parameter/highlights-parameters.ts'
import { summaryParameters } from '../../rule/parameter/summary-parameters.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { PolicyRule } from '../../rule/rule.ts'
import { createContents } from '../create-contents.ts'
import { flatItemSchemas } from '../flat-item-schemas.ts'
import { linesFormat } from '../item-lines.ts'
import { downloadParameters, type ListOptions, withAlternatives } from '../list-alternatives.ts'
import { modelRules } from '../model-rules.ts'
import {
  changesParameters,
  groupsParameters,
  itemParameters,
  listParameters,
} from '../operation-parameters.ts'
import { flatItemErrors, readFlatItem } from '../read-flat-item.ts'
import { actionFormat } from './action-format.ts'
import { documentSchemas, mediaType } from './document-schemas.ts'
import { restSerializer } from './rest-serializer.ts'

/**
 * The six operations of a model under plain REST, its actions, and the operations of its binary
 * resources.
 */
export function restRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  options: ListOptions,
): readonly PolicyRule[] {
  const { name, plural } = view.model
  const { response, request: createSchema } = flatItemSchemas(view, views)
  const { item, list, groups, request } = documentSchemas(view, views)
  return modelRules(view, {
    serializer: restSerializer,
    mediaTypeParameters: charsetParameters,
    noun: 'item',
    item: { contents: item, idPointer: `/${name}/id` },
    list: withAlternatives(
      { contents: list, idPointer: `/${plural}/0/id`, headers: { link: 'sometimes' } },
      view,
      restSerializer,
      { noun: 'item', schema: response },
      options,
    ),
    request: (purpose) => {
      const mediaTypes =
        purpose === 'update' ? [mediaType, 'application/merge-patch+json'] : [mediaType]
      return { mediaTypes, contents: request(purpose, mediaTypes) }
    },
    lines: linesFormat(
      {
        schema: createSchema.create,
        pointerPrefix: '',
        readItem: (value, ownView, purpose) => readFlatItem(value, ownView, purpose),
      },
      options,
    ),
    missingRelatedError: 'related-not-found',
    requestErrors: flatItemErrors,
    writesInverses: false,
    actions: actionFormat,
    changes: {
      item: response,
      pageContents: (page) => createContents([mediaType], page),
      parameters: changesParameters(view, views, limits),
    },
    groups: withAlternatives(
      {
        contents: groups(limits),
        headers: { link: 'sometimes' },
        queryParameters: [...groupsParameters(view, views, limits), ...downloadParameters(options)],
      },
      view,
      restSerializer,
      { noun: 'group', schema: groupSchema(views, view, limits) },
      options,
    ),
    itemParameters: itemParameters(view, views, limits),
    listParameters: [
      ...listParameters(view, views, limits),
      ...downloadParameters(options),
      ...summaryParameters(view, views, limits),
      ...highlightsParameters(view, views),
    ],
  })
}
