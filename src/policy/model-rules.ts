import type { ModelView } from '../model/model-view.ts'
import { noContents } from '../rule/contents.ts'
import type { ItemRequest, NoRequest } from '../rule/request-shape.ts'
import type { HeaderPresence, ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { ItemTarget, ListTarget } from '../rule/target.ts'
import type { Purpose } from '../serializer/serializer.ts'
import { actionRules } from './action-rules.ts'
import { modelCapabilitiesSchema } from './capabilities-schema.ts'
import { changesRules } from './changes-rules.ts'
import { groupsRules } from './groups-rules.ts'
import { linesResponse, withLines } from './item-lines.ts'
import { historyRules, trashRules } from './kept-item-rules.ts'
import type { ModelFormat } from './model-format.ts'
import { withQuery } from './query-rule.ts'
import { resourceRules } from './resource-rules.ts'
import { createRuleMaker } from './rule-maker.ts'

const noRequest: NoRequest = { kind: 'none' }
const listTarget: ListTarget = { kind: 'list' }
const itemTarget: ItemTarget = { kind: 'item' }

/**
 * The six operations on the items of a model, its actions, and the operations on its binary
 * resources.
 *
 * ```ts
 * const policy: Policy = {
 *   name: 'bare',
 *   serializer,
 *   rules: (view) => modelRules(view, modelFormat),
 * }
 * ```
 */
export function modelRules(view: ModelView, format: ModelFormat): readonly PolicyRule[] {
  const { model } = view
  const collection = `/${model.plural}`
  const itemPath = `${collection}/:id`
  const { serializer, mediaTypeParameters, noun, itemParameters, listParameters } = format
  const body = (purpose: Purpose): ItemRequest => ({
    ...format.request(purpose),
    kind: 'item',
    purpose,
    parameters: mediaTypeParameters,
    missingRelatedError: format.missingRelatedError,
    errors: format.requestErrors,
    writesInverses: format.writesInverses,
    serializer,
  })
  const ok = { status: 200, parameters: mediaTypeParameters, serializer } as const
  const position: HeaderPresence =
    view.hasChangeFeed && format.changes ? { 'changes-position': 'sometimes' } : {}
  const list: ResponseShape = {
    ...ok,
    content: 'list',
    ...format.list,
    headers: { ...format.list.headers, ...position },
    description: `The ${noun}s`,
  }
  const item: ResponseShape = {
    ...ok,
    content: 'item',
    ...format.item,
    headers: { etag: 'always' },
    description: `The ${noun}`,
  }
  const readItem: ResponseShape = { ...item, headers: { ...item.headers, ...position } }
  const newItem: ResponseShape = {
    ...item,
    status: 201,
    headers: { location: 'always', etag: 'always' },
    description: `The created ${noun}`,
  }
  const changedItem: ResponseShape = { ...item, description: `The changed ${noun}` }
  const deleted = (what: string): ResponseShape => ({
    ...ok,
    status: 204,
    content: 'empty',
    contents: noContents,
    headers: {},
    description: `The ${what} is deleted`,
  })
  const rule = createRuleMaker({ view }, { list: listParameters, item: itemParameters })
  return [
    ...withQuery(rule('GetList', listTarget, 'GET', collection, noRequest, list)),
    ...capabilitiesRules(view, format),
    ...changesRules(view, format.changes, ok),
    ...groupsRules(view, format.groups, noun, ok),
    rule(
      'CreateItem',
      listTarget,
      'POST',
      collection,
      withLines(body('create'), format.lines),
      newItem,
      format.lines ? [linesResponse(serializer)] : [],
    ),
    rule('GetItem', itemTarget, 'GET', itemPath, noRequest, readItem),
    rule('UpdateItem', itemTarget, 'PATCH', itemPath, body('update'), changedItem),
    rule(
      'ReplaceItem',
      itemTarget,
      'PUT',
      itemPath,
      body('replace'),
      changedItem,
      model.allowsUpsert ? [newItem] : [],
    ),
    rule('DeleteItem', itemTarget, 'DELETE', itemPath, noRequest, deleted(noun)),
    ...historyRules(view, format, { changedItem }),
    ...trashRules(view, format, {
      newItem: { ...newItem, description: `The restored ${noun}` },
      deleted: deleted(noun),
    }),
    ...(format.actions
      ? actionRules(view, format.actions, {
          itemResponse: { ...item, description: `The ${noun} after the action` },
          parameters: itemParameters,
        })
      : []),
    ...resourceRules(view, {
      itemResponse: changedItem,
      emptyResponse: deleted('binary resource'),
      parameters: itemParameters,
    }),
  ]
}

/** What the caller may do, where the router says so. It is sent as the output of an action is. */
function capabilitiesRules(
  view: ModelView,
  { actions, serializer, mediaTypeParameters }: ModelFormat,
): readonly PolicyRule[] {
  if (view.capabilities === 'none' || !actions) return []
  const response: ResponseShape = {
    ...actions.outputResponse(modelCapabilitiesSchema(view)),
    status: 200,
    parameters: mediaTypeParameters,
    serializer,
    content: 'output',
    headers: {},
    description: 'What the caller may do',
  }
  const rule = createRuleMaker({ view }, {})
  const path = `/${view.model.plural}/capabilities`
  return [rule('GetCapabilities', { kind: 'capabilities' }, 'GET', path, noRequest, response)]
}
