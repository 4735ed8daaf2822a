import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { charsetParameters } from '../../rule/media-type-parameters.ts'
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
import type { Purpose, Serializer } from '../../serializer/serializer.ts'
import { actionRules } from '../action-rules.ts'
import { itemParameters, listParameters } from '../operation-parameters.ts'
import { resourceRules } from '../resource-rules.ts'
import { createRuleMaker } from '../rule-maker.ts'
import { actionFormat } from './action-format.ts'
import { type DocumentSchemas, documentSchemas, mediaType } from './document-schemas.ts'
import { restSerializer } from './rest-serializer.ts'

const serializer = restSerializer
const noRequest: NoRequest = { kind: 'none' }
const listTarget: ListTarget = { kind: 'list' }
const itemTarget: ItemTarget = { kind: 'item' }

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
): readonly ModelRule[] {
  const { model } = view
  const collection = `/${model.plural}`
  const itemPath = `${collection}/:id`
  const schemas = documentSchemas(view, views)
  const { list, item, newItem, changedItem, itemAfterAction, itemDeleted, resourceDeleted } =
    responses(view, schemas, linesSerializer)
  const body = (purpose: Purpose, mediaTypes: readonly string[] = [mediaType]): ItemRequest => ({
    kind: 'item',
    purpose,
    mediaTypes,
    contents: schemas.request(purpose, mediaTypes),
    parameters: charsetParameters,
    missingRelatedError: 'related-not-found',
    errors: ['unknown-member', 'invalid-relation', 'invalid-resource'],
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
    rule(
      'UpdateItem',
      itemTarget,
      'PATCH',
      itemPath,
      body('update', [mediaType, 'application/merge-patch+json']),
      changedItem,
    ),
    rule(
      'ReplaceItem',
      itemTarget,
      'PUT',
      itemPath,
      body('replace'),
      changedItem,
      model.allowsUpsert ? [newItem] : [],
    ),
    rule('DeleteItem', itemTarget, 'DELETE', itemPath, noRequest, itemDeleted),
    ...actionRules(view, actionFormat, { itemResponse: itemAfterAction, parameters }),
    ...resourceRules(view, {
      itemResponse: changedItem,
      emptyResponse: resourceDeleted,
      parameters,
    }),
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
  { model }: ModelView,
  { item: itemContents, list, listWithLines }: DocumentSchemas,
  linesSerializer: Serializer | undefined,
): Readonly<Record<ResponseName, ResponseShape>> {
  const ok = { status: 200, parameters: charsetParameters, serializer } as const
  const empty = { ...ok, status: 204, content: 'empty', contents: noContents, headers: {} } as const
  const item: ResponseShape = {
    ...ok,
    content: 'item',
    contents: itemContents,
    idPointer: `/${model.name}/id`,
    headers: { etag: 'always' },
    description: 'The item',
  }
  return {
    list: {
      ...ok,
      content: 'list',
      contents: linesSerializer ? listWithLines : list,
      ...(linesSerializer && { alternative: { serializer: linesSerializer } }),
      idPointer: `/${model.plural}/0/id`,
      headers: { link: 'sometimes' },
      description: 'The items',
    },
    item,
    newItem: {
      ...item,
      status: 201,
      headers: { location: 'always', etag: 'always' },
      description: 'The created item',
    },
    changedItem: { ...item, description: 'The changed item' },
    itemAfterAction: { ...item, description: 'The item after the action' },
    itemDeleted: { ...empty, description: 'The item is deleted' },
    resourceDeleted: { ...empty, description: 'The binary resource is deleted' },
  }
}
