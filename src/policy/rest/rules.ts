import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { charset } from '../../rule/media.ts'
import type { ModelRule, RequestShape, ResponseShape } from '../../rule/rule.ts'
import { resourceRules } from '../resource-rules.ts'
import { ruleMaker } from '../rule-maker.ts'
import { actionRules } from './action-rules.ts'
import { itemParameters, listParameters } from './parameters.ts'
import { restSerializer } from './serializer.ts'

const serializer = restSerializer
const none: RequestShape = { kind: 'none' }
const body = {
  kind: 'item',
  mediaTypes: ['application/json'],
  parameters: charset,
  missingRelated: 'related-not-found',
  serializer,
} as const
const created: RequestShape = { ...body, purpose: 'create' }
const merged: RequestShape = {
  ...body,
  purpose: 'update',
  mediaTypes: ['application/json', 'application/merge-patch+json'],
}
const replaced: RequestShape = { ...body, purpose: 'replace' }

const ok = { status: 200, parameters: charset, serializer } as const
const list: ResponseShape = { ...ok, content: 'list', headers: ['link'], description: 'The items' }
const item: ResponseShape = { ...ok, content: 'item', headers: ['etag'], description: 'The item' }
const newItem: ResponseShape = { ...item, status: 201, headers: ['location', 'etag'], description: 'The created item' }
const changed: ResponseShape = { ...item, description: 'The changed item' }
const removed: ResponseShape = {
  ...ok,
  status: 204,
  content: 'empty',
  headers: [],
  description: 'The item is deleted',
}

const cleared: ResponseShape = { ...removed, description: 'The resource is cleared' }

/** The six operations of a model under plain REST, its actions, and the operations of its binary resources. */
export function restRules(view: ModelView, views: Views, limits: Limits): readonly ModelRule[] {
  const collection = `/${view.model.plural}`
  const one = `${collection}/:id`
  const parameters = itemParameters(view, views, limits)
  const rule = ruleMaker({ view }, { list: listParameters(view, views, limits), item: parameters })
  return [
    rule('GetList', 'GET', collection, none, list),
    rule('CreateItem', 'POST', collection, created, newItem),
    rule('GetItem', 'GET', one, none, item),
    rule('UpdateItem', 'PATCH', one, merged, changed),
    rule('ReplaceItem', 'PUT', one, replaced, changed),
    rule('DeleteItem', 'DELETE', one, none, removed),
    ...actionRules(view, views, limits),
    ...resourceRules(view, { changed, cleared, parameters }),
  ]
}
