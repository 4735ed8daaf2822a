import type { ActionOperationInput } from '../operation-input.ts'
import { ValidationPending } from '../validations.ts'

/**
 * What an action gave, as the document that is sent; undefined where the item is the answer.
 * @throws TypeError when it is not what the action declares: a fault of the service, and nothing is
 * stored; Unsettled where its schema is waited for.
 */
export function actionOutput(
  { action, serializer, view, validations }: ActionOperationInput,
  returned: unknown,
): string | undefined {
  if (!action.output) return undefined
  const validation = validations.validate(action.output.schema, returned)
  if (!validation) throw new ValidationPending()
  const place = `'${action.name}' of the model '${view.model.name}'`
  if (validation.kind === 'invalid') {
    const misfits = validation.issues.map(({ path, message }) => [...path, message].join(': '))
    throw new TypeError(`The output of ${place} is not what it declares: ${misfits.join('; ')}.`)
  }
  return serializer.writeOutput(JSON.stringify(validation.value) ?? 'null')
}
