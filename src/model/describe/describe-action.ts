import { isSchema, jsonSchemaOf, type Schema } from '../../schema/standard-schema.ts'
import { capitalize } from '../../text/message-text.ts'
import type { ActionDescription, ActionValue } from '../action-description.ts'
import type { AnyActionOptions } from '../declare/action-options.ts'
import { actionUses } from '../declare/action-use.ts'
import type { ModelDescription } from '../model-description.ts'
import { isMemberName, memberNameRules, toPascalCase } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'

/**
 * Checks the declaration of an action.
 * @throws RegistrationError
 */
export function describeAction(
  model: Pick<ModelDescription, 'name' | 'isReadOnly' | 'fieldsByName' | 'fieldsByWireName'>,
  name: string,
  options: AnyActionOptions,
  run: ActionDescription['run'],
  isAsync: boolean,
): ActionDescription {
  const subject = `the action '${name}' of the model '${model.name}'`
  if (!isMemberName(name)) {
    throw new RegistrationError(
      `${subject} has an invalid name: it becomes a path segment. ${capitalize(memberNameRules)}.`,
    )
  }
  refuseShadowedField(subject, model, name, run)
  if (model.isReadOnly)
    throw new RegistrationError(
      `${subject} would write the item, but the model is read-only. Remove the action, or the option 'readOnly'.`,
    )
  return Object.freeze({
    name,
    run,
    isAsync,
    description: options.description,
    input: describeActionValue(subject, options.input, 'input'),
    output: describeActionValue(subject, options.output, 'output'),
    operationId:
      options.id === undefined ? undefined : checkOperationId(subject, model.name, options.id),
    responses: describeResponses(subject, options.responses ?? {}),
    use: describeUse(subject, options.use),
    isDeferrable: options.async ?? false,
  })
}

/**
 * A field hides a method of the same name, and the path of a relation or a resource would be the
 * path of the action too.
 */
function refuseShadowedField(
  subject: string,
  { fieldsByName, fieldsByWireName }: Pick<ModelDescription, 'fieldsByName' | 'fieldsByWireName'>,
  name: string,
  run: ActionDescription['run'],
): void {
  const field =
    fieldsByWireName.get(name) ?? (run.kind === 'method' ? fieldsByName.get(name) : undefined)
  if (!field || (run.kind === 'callable' && field.kind === 'value')) return
  throw new RegistrationError(
    `${subject} has the same name as the field '${field.name}'. Rename one of them.`,
  )
}

function describeActionValue(
  subject: string,
  schema: Schema | undefined,
  direction: 'input' | 'output',
): ActionValue | undefined {
  if (schema === undefined) return undefined
  if (!isSchema(schema))
    throw new RegistrationError(
      `The ${direction} of ${subject} must be a schema (Standard Schema 1, for example zod 4).`,
    )
  try {
    return Object.freeze({ schema, jsonSchema: jsonSchemaOf(schema, direction) })
  } catch (cause) {
    throw new RegistrationError(
      `The ${direction} of ${subject} has values that JSON cannot represent (${(cause as Error).message}). Use a JSON type, for example ISO 8601 strings for dates.`,
      { cause },
    )
  }
}

function describeUse(subject: string, use: AnyActionOptions['use']): ActionDescription['use'] {
  const uses = actionUses(use)
  for (const each of uses)
    if (typeof each !== 'function' && (typeof each !== 'object' || each === null))
      throw new RegistrationError(
        `The option 'use' of ${subject} must be a request hook or middleware, or an array of them.`,
      )
  return Object.freeze([...uses])
}

function checkOperationId(subject: string, model: string, id: string): string {
  const operationId = `${id}For${toPascalCase(model)}`
  if (/^[a-z][A-Za-z0-9]*$/.test(id) && operationId.length <= 64) return operationId
  throw new RegistrationError(
    `${subject} has the invalid id '${id}': an id starts with a lower-case letter, has only letters and digits, and together with the name of the model at most 64 characters.`,
  )
}

function describeResponses(
  subject: string,
  descriptions: Readonly<Record<number, string>>,
): ActionDescription['responses'] {
  const responses = Object.entries(descriptions).map(([status, description]) => ({
    status: Number(status),
    description,
  }))
  for (const { status } of responses) {
    if (Number.isInteger(status) && status >= 400 && status <= 599) continue
    throw new RegistrationError(
      `${subject} declares the status ${status}; expected an error status (400 to 599). Use 'output' for successful responses.`,
    )
  }
  return Object.freeze(responses)
}
