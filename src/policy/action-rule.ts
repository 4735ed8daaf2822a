import type { ActionDescription } from '../model/description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { ModelRule, RequestShape, ResponseShape } from '../rule/rule.ts'
import { type ParametersByContent, ruleMaker } from './rule-maker.ts'

const operations = { method: 'ItemMethodApiOperation', callable: 'ItemApiOperation' } as const

/** The rule of an action: under every policy at the same path. */
export function actionRule(
  view: ModelView,
  action: ActionDescription,
  parameters: ParametersByContent,
  request: RequestShape,
  response: ResponseShape,
): ModelRule {
  const { name, operationId, run } = action
  const rule = ruleMaker({ view, action, ...(operationId !== undefined && { operationId }) }, parameters)
  return rule(operations[run.kind], 'POST', `/${view.model.plural}/:id/${name}`, request, response)
}
