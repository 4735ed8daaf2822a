import type { ModelView, Views } from '../../model/model-view.ts'
import { errorResponses } from '../../rule/error-responses.ts'
import type { Limits } from '../../rule/limits.ts'
import type { OperationName } from '../../rule/operations.ts'
import type { Method, RequestShape, ResponseShape, Rule } from '../../rule/rule.ts'
import { itemParameters, listParameters } from './parameters.ts'
import { restSerializer } from './serializer.ts'

const serializer = restSerializer
const none: RequestShape = { kind: 'none' }
const created: RequestShape = { kind: 'item', purpose: 'create', mediaTypes: ['application/json'], serializer }
const merged: RequestShape = {
  kind: 'item',
  purpose: 'update',
  mediaTypes: ['application/json', 'application/merge-patch+json'],
  serializer,
}
const replaced: RequestShape = { kind: 'item', purpose: 'replace', mediaTypes: ['application/json'], serializer }

const list: ResponseShape = { status: 200, content: 'list', headers: ['link'], description: 'The items', serializer }
const item: ResponseShape = { status: 200, content: 'item', headers: ['etag'], description: 'The item', serializer }
const newItem: ResponseShape = {
  status: 201,
  content: 'item',
  headers: ['location', 'etag'],
  description: 'The created item',
  serializer,
}
const changed: ResponseShape = {
  status: 200,
  content: 'item',
  headers: ['etag'],
  description: 'The changed item',
  serializer,
}
const removed: ResponseShape = {
  status: 204,
  content: 'empty',
  headers: [],
  description: 'The item is deleted',
  serializer,
}

/** The six operations of a model under plain REST. */
export function restRules(view: ModelView, views: Views, limits: Limits): readonly Rule[] {
  const collection = `/${view.model.plural}`
  const one = `${collection}/:id`
  const forLists = listParameters(view, views, limits)
  const forItems = itemParameters(view, views, limits)
  const rule = (
    operation: OperationName,
    method: Method,
    path: string,
    request: RequestShape,
    response: ResponseShape,
  ): Rule =>
    Object.freeze({
      operation,
      method,
      path,
      view,
      parameters: response.content === 'list' ? forLists : response.content === 'item' ? forItems : [],
      request,
      response,
      errorResponses: errorResponses(operation, method),
    })
  return [
    rule('GetList', 'GET', collection, none, list),
    rule('CreateItem', 'POST', collection, created, newItem),
    rule('GetItem', 'GET', one, none, item),
    rule('UpdateItem', 'PATCH', one, merged, changed),
    rule('ReplaceItem', 'PUT', one, replaced, changed),
    rule('DeleteItem', 'DELETE', one, none, removed),
  ]
}
