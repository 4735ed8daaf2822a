import type { ActionDescription } from '../../model/description.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Limits } from '../../rule/limits.ts'
import type { Content, ModelRule, ResponseShape } from '../../rule/rule.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { actionRule, actionSchemas } from '../action-rule.ts'
import { contentsOf, metaDocument } from './document-schemas.ts'
import { mediaType, plain } from './media.ts'
import { itemParameters } from './parameters.ts'
import { readInput } from './read-input.ts'
import { atMembers } from './taken-schemas.ts'

/**
 * One rule for each action of a model, beside what JSON:API 1.1 describes.
 * @param item how the item is answered
 */
export function actionRules(view: ModelView, views: Views, limits: Limits, item: ResponseShape): readonly ModelRule[] {
  const parameters = { item: itemParameters(view, views, limits) }
  for (const action of view.actions) check(view, action)
  return view.actions.map((action) => ruleOf(view, action, parameters, item))
}

function ruleOf(
  view: ModelView,
  action: ActionDescription,
  parameters: Parameters<typeof actionRule>[2],
  item: ResponseShape,
): ModelRule {
  const { input, output, isOptional } = actionSchemas(view, action, atMembers)
  const response: ResponseShape = output
    ? {
        status: 200,
        parameters: plain,
        serializer: item.serializer,
        content: 'output',
        contents: contentsOf(metaDocument(output)),
        headers: { etag: 'sometimes' },
        description: 'What the action gives, as meta',
      }
    : { ...item, description: 'The resource as the action left it' }
  return actionRule(
    view,
    action,
    parameters,
    {
      kind: 'input',
      mediaTypes: [mediaType, plainJson],
      contents: () => (input ? inputs(input, isOptional) : {}),
      isOptional,
      parameters: plain,
      missingRelated: 'related-missing',
      errors: [],
      read: readInput,
    },
    response,
  )
}

const plainJson = 'application/json'

/** The meta of a document, or plain JSON. */
function inputs(input: JsonSchema, isOptional: boolean): Readonly<Record<string, Content>> {
  const document: JsonSchema = {
    type: 'object',
    properties: { meta: input },
    ...(!isOptional && { required: ['meta'] }),
  }
  return { [mediaType]: { schema: document }, [plainJson]: { schema: input } }
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
