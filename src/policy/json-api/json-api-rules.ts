import type { ModelView, ModelViews } from '../../model/model-view.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import {
  type ItemRequest,
  type ItemTarget,
  type ListTarget,
  type ModelRule,
  type NoRequest,
  noContents,
  type ResponseShape,
} from '../../rule/rule.ts'
import type { ErrorSerializer, Purpose, Serializer } from '../../serializer/serializer.ts'
import { actionRules } from '../action-rules.ts'
import { itemParameters, listParameters } from '../operation-parameters.ts'
import { resourceRules } from '../resource-rules.ts'
import { createRuleMaker } from '../rule-maker.ts'
import { actionFormat } from './action-format.ts'
import { checkActions } from './check-actions.ts'
import { checkReservedNames } from './check-reserved-names.ts'
import { contentsOf, type DocumentSchemas, documentSchemas } from './document-schemas.ts'
import { exampleDocument } from './examples.ts'
import { createJsonApiSerializer } from './json-api-serializer.ts'
import { mediaType, pagedParameters, plainParameters } from './media-types.ts'
import { relationRules } from './relation-rules.ts'
import { requestDocumentSchema } from './request-schemas.ts'

const noRequest: NoRequest = { kind: 'none' }
const listTarget: ListTarget = { kind: 'list' }
const itemTarget: ItemTarget = { kind: 'item' }

/** The operations of a model, its actions, binary resources and relations (JSON:API 1.1). */
export function jsonApiRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  errors: ErrorSerializer,
): readonly ModelRule[] {
  checkReservedNames(view)
  checkActions(view)
  const serializer = createJsonApiSerializer(views, errors)
  const collection = `/${view.model.plural}`
  const itemPath = `${collection}/:id`
  const { list, item, newItem, changedItem, itemAfterAction, itemDeleted, resourceDeleted } =
    responses(serializer, documentSchemas(view, views))
  const body = (purpose: Purpose): ItemRequest => ({
    kind: 'item',
    purpose,
    mediaTypes: [mediaType],
    contents: contentsOf(requestDocumentSchema(view, views, purpose), () =>
      exampleDocument(view, purpose),
    ),
    parameters: plainParameters,
    missingRelatedError: 'related-missing',
    errors: ['unknown-member', 'type-mismatch', 'invalid-resource', 'conflict', 'forbidden'],
    serializer,
  })
  const parameters = itemParameters(view, views, limits)
  const rule = createRuleMaker(
    { view },
    { list: listParameters(view, views, limits), item: parameters },
  )
  return [
    rule('GetList', listTarget, 'GET', collection, noRequest, list),
    rule('CreateItem', listTarget, 'POST', collection, body('create'), newItem),
    rule('GetItem', itemTarget, 'GET', itemPath, noRequest, item),
    rule('UpdateItem', itemTarget, 'PATCH', itemPath, body('update'), changedItem),
    rule(
      'ReplaceItem',
      itemTarget,
      'PUT',
      itemPath,
      body('replace'),
      changedItem,
      view.model.allowsUpsert ? [newItem] : [],
    ),
    rule('DeleteItem', itemTarget, 'DELETE', itemPath, noRequest, itemDeleted),
    ...actionRules(view, actionFormat, { itemResponse: itemAfterAction, parameters }),
    ...resourceRules(view, {
      itemResponse: changedItem,
      emptyResponse: resourceDeleted,
      parameters,
    }),
    ...relationRules(view, views, limits, serializer),
  ]
}

type ResponseName =
  | 'list'
  | 'item'
  | 'newItem'
  | 'changedItem'
  | 'itemAfterAction'
  | 'itemDeleted'
  | 'resourceDeleted'

function responses(
  serializer: Serializer,
  { resource, list }: DocumentSchemas,
): Readonly<Record<ResponseName, ResponseShape>> {
  const ok = { status: 200, parameters: plainParameters, serializer } as const
  const item: ResponseShape = {
    ...ok,
    content: 'item',
    contents: resource,
    idPointer: '/data/id',
    headers: { etag: 'always' },
    description: 'The resource',
  }
  const empty = { ...ok, status: 204, content: 'empty', contents: noContents, headers: {} } as const
  return {
    list: {
      ...ok,
      content: 'list',
      contents: list,
      idPointer: '/data/0/id',
      parameters: pagedParameters,
      headers: {},
      description: 'The resources',
    },
    item,
    newItem: {
      ...item,
      status: 201,
      headers: { location: 'always', etag: 'always' },
      description: 'The created resource',
    },
    changedItem: { ...item, description: 'The changed resource' },
    itemAfterAction: { ...item, description: 'The resource after the action' },
    itemDeleted: { ...empty, description: 'The resource is deleted' },
    resourceDeleted: { ...empty, description: 'The binary resource is deleted' },
  }
}
