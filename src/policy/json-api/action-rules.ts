import type { ActionDescription } from '../../model/description.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Limits } from '../../rule/limits.ts'
import type { ModelRule, RequestShape, ResponseShape } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { actionRule } from '../action-rule.ts'
import { mediaType, plain } from './media.ts'
import { itemParameters } from './parameters.ts'
import { readInput } from './read-input.ts'

const input: RequestShape = {
  kind: 'input',
  mediaTypes: [mediaType, 'application/json'],
  parameters: plain,
  missingRelated: 'related-missing',
  read: readInput,
}

/** One rule for each action of a model, beside what JSON:API 1.1 describes. */
export function actionRules(
  view: ModelView,
  views: Views,
  limits: Limits,
  serializer: Serializer,
): readonly ModelRule[] {
  const ok = { status: 200, parameters: plain, headers: ['etag'], serializer } as const
  const item: ResponseShape = { ...ok, content: 'item', description: 'The resource as the action left it' }
  const output: ResponseShape = { ...ok, content: 'output', description: 'What the action gives, as meta' }
  const parameters = { item: itemParameters(view, views, limits) }
  for (const action of view.actions) check(view, action)
  return view.actions.map((action) => actionRule(view, action, parameters, input, action.output ? output : item))
}

function check({ model }: ModelView, { name, output }: ActionDescription): void {
  const place = `the action '${name}' of the model '${model.name}'`
  if (name === 'relationships')
    throw new RegistrationError(
      `${place} stands where JSON:API has the relationships of an item; give it another name.`,
    )
  if (!output || isMeta(output.json)) return
  throw new RegistrationError(
    `The output of ${place} is no object, but JSON:API answers it as meta, which is one; put it into a member of an object.`,
  )
}

/** As far as the schema tells; what else it gives is refused when it is given. */
function isMeta({ type, anyOf, oneOf }: JsonSchema): boolean {
  const alternatives = anyOf ?? oneOf
  return alternatives ? alternatives.every(isMeta) : type === undefined || type === 'object'
}
