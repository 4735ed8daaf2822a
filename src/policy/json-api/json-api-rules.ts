import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { PolicyRule } from '../../rule/rule.ts'
import type { ErrorSerializer } from '../../serializer/serializer.ts'
import { modelRules } from '../model-rules.ts'
import { itemParameters, listParameters } from '../operation-parameters.ts'
import { actionFormat } from './action-format.ts'
import { checkActions } from './check-actions.ts'
import { checkReservedNames } from './check-reserved-names.ts'
import { contentsOf, documentSchemas } from './document-schemas.ts'
import { exampleDocument } from './examples.ts'
import { createJsonApiSerializer } from './json-api-serializer.ts'
import { mediaType, pagedParameters, plainParameters } from './media-types.ts'
import { readItemErrors } from './read-item.ts'
import { relationshipRules } from './relationship-rules.ts'
import { requestDocumentSchema } from './request-schemas.ts'

/** The operations of a model, its actions, binary resources and relations (JSON:API 1.1). */
export function jsonApiRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  errors: ErrorSerializer,
): readonly PolicyRule[] {
  checkReservedNames(view)
  checkActions(view)
  const serializer = createJsonApiSerializer(views, errors)
  const { resource, list } = documentSchemas(view, views)
  return [
    ...modelRules(view, {
      serializer,
      mediaTypeParameters: plainParameters,
      noun: 'resource',
      item: { contents: resource, idPointer: '/data/id' },
      list: {
        contents: list,
        idPointer: '/data/0/id',
        headers: {},
        parameters: pagedParameters,
      },
      request: (purpose) => ({
        mediaTypes: [mediaType],
        contents: contentsOf(requestDocumentSchema(view, views, purpose), () =>
          exampleDocument(view, purpose),
        ),
      }),
      missingRelatedError: 'related-missing',
      requestErrors: readItemErrors,
      writesInverses: true,
      actions: actionFormat,
      itemParameters: itemParameters(view, views, limits),
      listParameters: listParameters(view, views, limits),
    }),
    ...relationshipRules(view, views, limits, serializer),
  ]
}
