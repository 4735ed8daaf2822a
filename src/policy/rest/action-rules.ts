import type { ActionDescription } from '../../model/description.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { charset } from '../../rule/media.ts'
import type { ModelRule, ResponseShape } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { actionRule, actionSchemas } from '../action-rule.ts'
import { mediaType } from './document-schemas.ts'
import { itemParameters } from './parameters.ts'
import { readInput } from './read-input.ts'

/**
 * One rule for each action of a model.
 * @param item how the item is answered
 */
export function actionRules(view: ModelView, views: Views, limits: Limits, item: ResponseShape): readonly ModelRule[] {
  const parameters = { item: itemParameters(view, views, limits) }
  return view.actions.map((action) => ruleOf(view, action, parameters, item))
}

function ruleOf(
  view: ModelView,
  action: ActionDescription,
  parameters: Parameters<typeof actionRule>[2],
  item: ResponseShape,
): ModelRule {
  const { input, output, isOptional } = actionSchemas(view, action)
  const written = (schema: JsonSchema | undefined) => () => (schema ? { [mediaType]: { schema } } : {})
  const response: ResponseShape = output
    ? {
        status: 200,
        parameters: charset,
        serializer: item.serializer,
        content: 'output',
        contents: written(output),
        headers: { etag: 'sometimes' },
        description: 'What the action gives',
      }
    : { ...item, description: 'The item as the action left it' }
  return actionRule(
    view,
    action,
    parameters,
    {
      kind: 'input',
      mediaTypes: [mediaType],
      contents: written(input),
      isOptional,
      parameters: charset,
      missingRelated: 'related-not-found',
      errors: [],
      read: readInput,
    },
    response,
  )
}
