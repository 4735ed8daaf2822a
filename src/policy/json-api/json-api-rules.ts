import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { groupSchema } from '../../rule/parameter/aggregate-schemas.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import type { PolicyRule } from '../../rule/rule.ts'
import type { ErrorSerializer } from '../../serializer/serializer.ts'
import { linesFormat } from '../item-lines.ts'
import { downloadParameters, type ListOptions, withAlternatives } from '../list-alternatives.ts'
import { modelRules } from '../model-rules.ts'
import { changesParameters, groupsParameters, itemParameters } from '../operation-parameters.ts'
import { actionFormat } from './action-format.ts'
import { checkActions } from './check-actions.ts'
import { contentsOf, documentSchemas, groupsDocument, metaDocument } from './document-schemas.ts'
import { exampleDocument } from './examples.ts'
import { createJsonApiSerializer } from './json-api-serializer.ts'
import { listOf, resourceListParameters } from './list-of.ts'
import { mediaType, plainParameters } from './media-types.ts'
import { readItemErrors } from './read-item.ts'
import { relationshipRules } from './relationship-rules.ts'
import { requestDocumentSchema, requestedResource } from './request-schemas.ts'
import { resourceSchemas } from './resource-schemas.ts'

/** The operations of a model, its actions, binary resources and relations (JSON:API 1.1). */
export function jsonApiRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  errors: ErrorSerializer,
  options: ListOptions,
): readonly PolicyRule[] {
  checkReservedNames(view)
  checkActions(view)
  const serializer = createJsonApiSerializer(views, errors)
  const { resource } = documentSchemas(view, views)
  return [
    ...modelRules(view, {
      serializer,
      mediaTypeParameters: plainParameters,
      noun: 'resource',
      item: { contents: resource, idPointer: '/data/id' },
      list: listOf(view, views, serializer, options),
      request: (purpose) => ({
        mediaTypes: [mediaType],
        contents: contentsOf(requestDocumentSchema(view, views, purpose), () =>
          exampleDocument(view, purpose),
        ),
      }),
      lines: linesFormat(
        {
          schema: requestedResource(view, views, 'create'),
          pointerPrefix: '/data',
          readItem: (value, ownView, purpose) =>
            serializer.readItem({ data: value }, ownView, purpose),
        },
        options,
      ),
      missingRelatedError: 'related-missing',
      requestErrors: readItemErrors,
      writesInverses: true,
      actions: actionFormat,
      changes: {
        item: resourceSchemas(view, views).resource,
        pageContents: (page) => contentsOf(metaDocument(page)),
        parameters: changesParameters(view, views, limits),
      },
      groups: withAlternatives(
        {
          contents: contentsOf(groupsDocument(view, views, limits)),
          headers: {},
          queryParameters: [
            ...groupsParameters(view, views, limits),
            ...downloadParameters(options),
          ],
        },
        view,
        serializer,
        { noun: 'group', schema: groupSchema(views, view, limits) },
        options,
      ),
      itemParameters: itemParameters(view, views, limits),
      listParameters: resourceListParameters(view, views, limits, options),
    }),
    ...relationshipRules(view, views, limits, serializer, options),
  ]
}

/**
 * Attributes and relationships share one namespace with `type` and `id`, links with `self`
 * (JSON:API 1.1, resource objects).
 * @throws RegistrationError
 */
function checkReservedNames({ model, addedMembers }: ModelView): void {
  if (model.resourceFields.some(({ wireName }) => wireName === 'self'))
    throw new RegistrationError(
      `The wire name 'self' of a binary resource of the model '${model.name}' is reserved in JSON:API for the link to the item. Set another with { wire: '…' }.`,
    )
  if (model.fieldsByWireName.has('type') || addedMembers.has('type'))
    throw new RegistrationError(
      `The wire name 'type' of a field of the model '${model.name}' is reserved in JSON:API for the type of the resource. Set another with { wire: '…' }.`,
    )
}
