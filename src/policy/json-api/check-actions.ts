import type { ActionDescription } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'

/**
 * Actions stand beside the relationships of an item, and what they give is the meta of a document
 * (JSON:API 1.1, meta information).
 * @throws RegistrationError naming the action
 */
export function checkActions(view: ModelView): void {
  for (const action of view.actions) checkAction(view, action)
}

function checkAction({ model }: ModelView, { name, output }: ActionDescription): void {
  const place = `the action '${name}' of the model '${model.name}'`
  if (name === 'relationships')
    throw new RegistrationError(
      `${place} stands where JSON:API has the relationships of an item; give it another name.`,
    )
  if (!output || canBeMeta(output.jsonSchema)) return
  throw new RegistrationError(
    `The output of ${place} is no object, but JSON:API answers it as meta, which is one; put it into a member of an object.`,
  )
}

/** As far as the schema tells; what else it gives is refused when it is given. */
function canBeMeta({ type, anyOf, oneOf }: JsonSchema): boolean {
  const alternatives = anyOf ?? oneOf
  return alternatives ? alternatives.every(canBeMeta) : type === undefined || type === 'object'
}
