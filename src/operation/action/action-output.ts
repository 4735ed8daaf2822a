import type { ErrorCode } from '../../error/catalog.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import { ValidationPending, validationErrors } from '../validations.ts'

export const actionOutputErrors: readonly ErrorCode[] = [...validationErrors]

/**
 * The output of an action as the response document; undefined where the response is the item.
 * @throws TypeError if the output does not match its schema: a fault of the service, and nothing is
 * stored. ValidationPending while its schema is asynchronous.
 */
export function actionOutput(
  { action, serializer, view, validations }: ActionOperationInput,
  returnValue: unknown,
): string | undefined {
  if (!action.output) return undefined
  const validation = validations.validate(action.output.schema, returnValue)
  if (!validation) throw new ValidationPending()
  const actionName = `'${action.name}' of the model '${view.model.name}'`
  if (validation.kind === 'invalid') {
    const issues = validation.issues.map(({ path, message }) => [...path, message].join(': '))
    throw new TypeError(
      `The output of ${actionName} does not match its schema: ${issues.join('; ')}.`,
    )
  }
  return serializer.writeOutput(JSON.stringify(validation.value) ?? 'null')
}
