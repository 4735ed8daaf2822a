import { actionOptionsOf, countActionFields } from '../declare/action.ts'
import type { ActionDescription, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeAction } from './describe-action.ts'
import { createSampleItem } from './sample-item.ts'

/**
 * Describes the actions among the methods and the function fields of the class of a model.
 * @throws RegistrationError
 */
export function describeActions(
  model: Omit<ModelDescription, 'actions'>,
): readonly ActionDescription[] {
  if (!hasOwnClass(model)) return []
  const functions = new Map<string, unknown>([...methodsOf(model), ...fieldFunctionsOf(model)])
  return [...functions].flatMap(([name, method]) => {
    const options = actionOptionsOf(method)
    return options
      ? [describeAction(model, name, options, { kind: 'method' }, isAsyncFunction(method))]
      : []
  })
}

/** Does the model have a class of its own, whose methods can read the item? */
export function hasOwnClass({ model }: Pick<ModelDescription, 'model'>): boolean {
  return Object.getPrototypeOf(model) !== Function.prototype
}

/** Is it declared as an async function? */
export function isAsyncFunction(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncFunction]'
}

/** An overriding method replaces the inherited one, whether it is marked or not. */
function methodsOf({ model }: Pick<ModelDescription, 'model'>): ReadonlyMap<string, unknown> {
  const methods = new Map<string, unknown>()
  for (
    let owner = model.prototype;
    owner && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    for (const name of Object.getOwnPropertyNames(owner))
      if (!methods.has(name)) methods.set(name, Object.getOwnPropertyDescriptor(owner, name)!.value)
  }
  return methods
}

/** Fields of a class exist on its instances only. */
function fieldFunctionsOf(
  model: Omit<ModelDescription, 'actions'>,
): readonly (readonly [string, unknown])[] {
  const before = countActionFields()
  try {
    return Object.entries(new model.model(createSampleItem(model.fields))).filter(
      ([, value]) => typeof value === 'function',
    )
  } catch (cause) {
    // A constructor that throws is fine if the class has no action fields.
    if (countActionFields() === before) return []
    throw new RegistrationError(
      `The class of the model '${model.name}' has actions as fields, but its constructor throws for a sample item (${(cause as Error).message}). Accept any item in the constructor, or declare the actions as methods.`,
      { cause },
    )
  }
}
