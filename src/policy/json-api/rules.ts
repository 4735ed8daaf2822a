import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { type ModelRule, noContents, type RequestShape, type ResponseShape } from '../../rule/rule.ts'
import type { ErrorSerializer, Purpose, Serializer } from '../../serializer/serializer.ts'
import { actionRules } from '../action-rules.ts'
import { itemParameters, listParameters } from '../parameters.ts'
import { resourceRules } from '../resource-rules.ts'
import { ruleMaker } from '../rule-maker.ts'
import { actionForm } from './action-form.ts'
import { checkActions } from './check-actions.ts'
import { checkNames } from './check-names.ts'
import { contentsOf, type DocumentSchemas, documentSchemas } from './document-schemas.ts'
import { exampleDocument } from './examples.ts'
import { mediaType, paged, plain } from './media.ts'
import { relationRules } from './relation-rules.ts'
import { jsonApiSerializer } from './serializer.ts'
import { takenDocument } from './taken-schemas.ts'

const none: RequestShape = { kind: 'none' }

/** The operations of a model under JSON:API 1.1, its actions, and the operations of each of its relations. */
export function jsonApiRules(
  view: ModelView,
  views: Views,
  limits: Limits,
  errors: ErrorSerializer,
): readonly ModelRule[] {
  checkNames(view)
  checkActions(view)
  const serializer = jsonApiSerializer(views, errors)
  const collection = `/${view.model.plural}`
  const one = `${collection}/:id`
  const { list, item, newItem, changed, acted, removed, cleared } = responses(serializer, documentSchemas(view, views))
  const body = (purpose: Purpose): RequestShape => ({
    kind: 'item',
    purpose,
    mediaTypes: [mediaType],
    contents: contentsOf(takenDocument(view, views, purpose), () => exampleDocument(view, purpose)),
    parameters: plain,
    missingRelated: 'related-missing',
    errors: ['unknown-member', 'type-mismatch', 'invalid-resource', 'conflict', 'forbidden'],
    serializer,
  })
  const parameters = itemParameters(view, views, limits)
  const rule = ruleMaker({ view }, { list: listParameters(view, views, limits), item: parameters })
  return [
    rule('GetList', 'GET', collection, none, list),
    rule('CreateItem', 'POST', collection, body('create'), newItem),
    rule('GetItem', 'GET', one, none, item),
    rule('UpdateItem', 'PATCH', one, body('update'), changed),
    rule('ReplaceItem', 'PUT', one, body('replace'), changed, view.model.upsert ? [newItem] : []),
    rule('DeleteItem', 'DELETE', one, none, removed),
    ...actionRules(view, actionForm, { acted, parameters }),
    ...resourceRules(view, { changed, cleared, parameters }),
    ...relationRules(view, views, limits, serializer),
  ]
}

type Answer = 'list' | 'item' | 'newItem' | 'changed' | 'acted' | 'removed' | 'cleared'

function responses(serializer: Serializer, { one, list }: DocumentSchemas): Readonly<Record<Answer, ResponseShape>> {
  const ok = { status: 200, parameters: plain, serializer } as const
  const item: ResponseShape = {
    ...ok,
    content: 'item',
    contents: one,
    idAt: '/data/id',
    headers: { etag: 'always' },
    description: 'The resource',
  }
  const gone = { ...ok, status: 204, content: 'empty', contents: noContents, headers: {} } as const
  return {
    list: {
      ...ok,
      content: 'list',
      contents: list,
      idAt: '/data/0/id',
      parameters: paged,
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
    changed: { ...item, description: 'The changed resource' },
    acted: { ...item, description: 'The resource as the action left it' },
    removed: { ...gone, description: 'The resource is deleted' },
    cleared: { ...gone, description: 'The binary resource is cleared' },
  }
}
