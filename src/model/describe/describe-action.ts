import { isSchema, jsonSchemaOf, type Schema } from '../../schema/standard-schema.ts'
import type { AnyActionOptions } from '../declare/action.ts'
import type { ActionDescription, ActionValue, ModelDescription } from '../model-description.ts'
import { isMemberName, memberNameRules, toPascalCase } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'

/**
 * Checks an action as it was declared, whichever way.
 * @throws RegistrationError naming it and its model
 */
export function describeAction(
  model: Pick<ModelDescription, 'name' | 'fieldsByName' | 'fieldsByWireName'>,
  name: string,
  options: AnyActionOptions,
  run: ActionDescription['run'],
  waits: boolean,
): ActionDescription {
  const place = `the action '${name}' of the model '${model.name}'`
  if (!isMemberName(name)) {
    throw new RegistrationError(
      `${place} cannot be called so, for its name is a segment of its path: ${memberNameRules}.`,
    )
  }
  refuseShadowedField(place, model, name, run)
  return Object.freeze({
    name,
    run,
    isAsync: waits,
    description: options.description,
    input: describeActionValue(place, options.input, 'input'),
    output: describeActionValue(place, options.output, 'output'),
    operationId:
      options.id === undefined ? undefined : checkOperationId(place, model.name, options.id),
    responses: describeResponses(place, options.responses ?? {}),
  })
}

/**
 * A field hides a method of its name, and relations and resources stand at the path that the action
 * would have.
 */
function refuseShadowedField(
  place: string,
  { fieldsByName, fieldsByWireName }: Pick<ModelDescription, 'fieldsByName' | 'fieldsByWireName'>,
  name: string,
  run: ActionDescription['run'],
): void {
  const field =
    fieldsByWireName.get(name) ?? (run.kind === 'method' ? fieldsByName.get(name) : undefined)
  if (!field || (run.kind === 'callable' && field.kind === 'value')) return
  throw new RegistrationError(
    `${place} shadows the field '${field.name}'; give one of them another name.`,
  )
}

function describeActionValue(
  place: string,
  schema: Schema | undefined,
  direction: 'input' | 'output',
): ActionValue | undefined {
  if (schema === undefined) return undefined
  if (!isSchema(schema))
    throw new RegistrationError(
      `The ${direction} of ${place} is no schema (Standard Schema 1, such as zod 4's).`,
    )
  try {
    return Object.freeze({ schema, jsonSchema: jsonSchemaOf(schema, direction) })
  } catch (cause) {
    throw new RegistrationError(
      `The ${direction} of ${place} has values that JSON cannot hold (${(cause as Error).message}); give them a JSON form, for example dates as ISO 8601 text.`,
      { cause },
    )
  }
}

function checkOperationId(place: string, model: string, id: string): string {
  const made = `${id}For${toPascalCase(model)}`
  if (/^[a-z][A-Za-z0-9]*$/.test(id) && made.length <= 64) return made
  throw new RegistrationError(
    `${place} cannot have the id '${id}': an id starts with a small letter, holds letters and digits only, and with the model's name has at most 64 characters.`,
  )
}

function describeResponses(
  place: string,
  said: Readonly<Record<number, string>>,
): ActionDescription['responses'] {
  const responses = Object.entries(said).map(([status, description]) => ({
    status: Number(status),
    description,
  }))
  for (const { status } of responses) {
    if (Number.isInteger(status) && status >= 400 && status <= 599) continue
    throw new RegistrationError(
      `${place} declares the status ${status}, which is no error; what it answers on success is its output.`,
    )
  }
  return Object.freeze(responses)
}
