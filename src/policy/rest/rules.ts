import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { charset } from '../../rule/media.ts'
import { type ModelRule, noContents, type RequestShape, type ResponseShape } from '../../rule/rule.ts'
import type { Purpose, Serializer } from '../../serializer/serializer.ts'
import { actionRules } from '../action-rules.ts'
import { itemParameters, listParameters } from '../parameters.ts'
import { resourceRules } from '../resource-rules.ts'
import { ruleMaker } from '../rule-maker.ts'
import { actionForm } from './action-form.ts'
import { type DocumentSchemas, documentSchemas, mediaType } from './document-schemas.ts'
import { restSerializer } from './serializer.ts'

const serializer = restSerializer
const none: RequestShape = { kind: 'none' }

/**
 * The six operations of a model under plain REST, its actions, and the operations of its binary resources.
 * @param lines what else lists are offered in
 */
export function restRules(
  view: ModelView,
  views: Views,
  limits: Limits,
  lines: Serializer | undefined,
): readonly ModelRule[] {
  const { model } = view
  const collection = `/${model.plural}`
  const one = `${collection}/:id`
  const schemas = documentSchemas(view, views)
  const { list, item, newItem, changed, acted, removed, cleared } = responses(view, schemas, lines)
  const body = (purpose: Purpose, mediaTypes: readonly string[] = [mediaType]): RequestShape => ({
    kind: 'item',
    purpose,
    mediaTypes,
    contents: schemas.taken(purpose, mediaTypes),
    parameters: charset,
    missingRelated: 'related-not-found',
    errors: ['unknown-member', 'invalid-relation', 'invalid-resource'],
    serializer,
  })
  const parameters = itemParameters(view, views, limits)
  const rule = ruleMaker({ view }, { list: listParameters(view, views, limits), item: parameters })
  return [
    rule('GetList', 'GET', collection, none, list),
    rule('CreateItem', 'POST', collection, body('create'), newItem),
    rule('GetItem', 'GET', one, none, item),
    rule('UpdateItem', 'PATCH', one, body('update', [mediaType, 'application/merge-patch+json']), changed),
    rule('ReplaceItem', 'PUT', one, body('replace'), changed, model.upsert ? [newItem] : []),
    rule('DeleteItem', 'DELETE', one, none, removed),
    ...actionRules(view, actionForm, { acted, parameters }),
    ...resourceRules(view, { changed, cleared, parameters }),
  ]
}

type Answer = 'list' | 'item' | 'newItem' | 'changed' | 'acted' | 'removed' | 'cleared'

function responses(
  { model }: ModelView,
  { one, list, listWithLines }: DocumentSchemas,
  lines: Serializer | undefined,
): Readonly<Record<Answer, ResponseShape>> {
  const ok = { status: 200, parameters: charset, serializer } as const
  const gone = { ...ok, status: 204, content: 'empty', contents: noContents, headers: {} } as const
  const item: ResponseShape = {
    ...ok,
    content: 'item',
    contents: one,
    idAt: `/${model.name}/id`,
    headers: { etag: 'always' },
    description: 'The item',
  }
  return {
    list: {
      ...ok,
      content: 'list',
      contents: lines ? listWithLines : list,
      ...(lines && { otherwise: { serializer: lines } }),
      idAt: `/${model.plural}/0/id`,
      headers: { link: 'sometimes' },
      description: 'The items',
    },
    item,
    newItem: { ...item, status: 201, headers: { location: 'always', etag: 'always' }, description: 'The created item' },
    changed: { ...item, description: 'The changed item' },
    acted: { ...item, description: 'The item as the action left it' },
    removed: { ...gone, description: 'The item is deleted' },
    cleared: { ...gone, description: 'The binary resource is cleared' },
  }
}
