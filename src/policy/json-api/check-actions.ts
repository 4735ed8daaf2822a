import type { ActionDescription } from '../../model/action-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'

/**
 * The paths of actions must not collide with relationships, and outputs must be objects because
 * `meta` is one (JSON:API 1.1, meta information).
 * @throws RegistrationError
 */
export function checkActions(view: ModelView): void {
  for (const action of view.actions) checkAction(view, action)
}

function checkAction({ model }: ModelView, { name, output }: ActionDescription): void {
  const action = `the action '${name}' of the model '${model.name}'`
  if (name === 'relationships')
    throw new RegistrationError(
      `The path of ${action} is the path of relationships in JSON:API. Rename the action.`,
    )
  if (!output || canBeMeta(output.jsonSchema)) return
  throw new RegistrationError(
    `The output of ${action} must be an object, because JSON:API sends it as 'meta'. Put it into a member of an object.`,
  )
}

/** Judges by the schema; `writeActionOutput` checks the value itself. */
function canBeMeta({ type, anyOf, oneOf }: JsonSchema): boolean {
  const alternatives = anyOf ?? oneOf
  return alternatives ? alternatives.every(canBeMeta) : type === undefined || type === 'object'
}
