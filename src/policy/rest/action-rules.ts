import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { charset } from '../../rule/media.ts'
import type { ModelRule, RequestShape, ResponseShape } from '../../rule/rule.ts'
import { actionRule } from '../action-rule.ts'
import { itemParameters } from './parameters.ts'
import { readInput } from './read-input.ts'
import { restSerializer } from './serializer.ts'

const input: RequestShape = {
  kind: 'input',
  mediaTypes: ['application/json'],
  parameters: charset,
  missingRelated: 'related-not-found',
  read: readInput,
}

const ok = { status: 200, parameters: charset, headers: ['etag'], serializer: restSerializer } as const
const item: ResponseShape = { ...ok, content: 'item', description: 'The item as the action left it' }
const output: ResponseShape = { ...ok, content: 'output', description: 'What the action gives' }

/** One rule for each action of a model. */
export function actionRules(view: ModelView, views: Views, limits: Limits): readonly ModelRule[] {
  const parameters = { item: itemParameters(view, views, limits) }
  return view.actions.map((action) => actionRule(view, action, parameters, input, action.output ? output : item))
}
