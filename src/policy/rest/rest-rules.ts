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
 * @param lines what else lists are offered in
 */
export function restRules(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
  lines: Serializer | undefined,
): readonly ModelRule[] {
  const { model } = view
  const collection = `/${model.plural}`
  const one = `${collection}/:id`
  const schemas = documentSchemas(view, views)
  const { list, item, newItem, changed, acted, removed, cleared } = responses(view, schemas, lines)
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
    rule('GetItem', itemTarget, 'GET', one, noRequest, item),
    rule(
      'UpdateItem',
      itemTarget,
      'PATCH',
      one,
      body('update', [mediaType, 'application/merge-patch+json']),
      changed,
    ),
    rule(
      'ReplaceItem',
      itemTarget,
      'PUT',
      one,
      body('replace'),
      changed,
      model.allowsUpsert ? [newItem] : [],
    ),
    rule('DeleteItem', itemTarget, 'DELETE', one, noRequest, removed),
    ...actionRules(view, actionFormat, { itemResponse: acted, parameters }),
    ...resourceRules(view, { itemResponse: changed, emptyResponse: cleared, parameters }),
  ]
}

type ResponseName = 'list' | 'item' | 'newItem' | 'changed' | 'acted' | 'removed' | 'cleared'

function responses(
  { model }: ModelView,
  { item: one, list, listWithLines }: DocumentSchemas,
  lines: Serializer | undefined,
): Readonly<Record<ResponseName, ResponseShape>> {
  const ok = { status: 200, parameters: charsetParameters, serializer } as const
  const gone = { ...ok, status: 204, content: 'empty', contents: noContents, headers: {} } as const
  const item: ResponseShape = {
    ...ok,
    content: 'item',
    contents: one,
    idPointer: `/${model.name}/id`,
    headers: { etag: 'always' },
    description: 'The item',
  }
  return {
    list: {
      ...ok,
      content: 'list',
      contents: lines ? listWithLines : list,
      ...(lines && { alternative: { serializer: lines } }),
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
    changed: { ...item, description: 'The changed item' },
    acted: { ...item, description: 'The item as the action left it' },
    removed: { ...gone, description: 'The item is deleted' },
    cleared: { ...gone, description: 'The binary resource is cleared' },
  }
}
