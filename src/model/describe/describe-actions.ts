import { actionOptionsOf, countActionFields } from '../declare/action.ts'
import type { ActionDescription, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeAction } from './describe-action.ts'
import { createSampleItem } from './sample-item.ts'

/**
 * The actions among the methods of a model's class, and among the functions that its fields hold.
 * @throws RegistrationError when one is declared wrongly, or the class cannot be looked into.
 */
export function describeActions(
  model: Omit<ModelDescription, 'actions'>,
): readonly ActionDescription[] {
  if (!hasOwnClass(model)) return []
  const found = new Map<string, unknown>([...methodsOf(model), ...fieldFunctionsOf(model)])
  return [...found].flatMap(([name, method]) => {
    const options = actionOptionsOf(method)
    return options
      ? [describeAction(model, name, options, { kind: 'method' }, isAsyncFunction(method))]
      : []
  })
}

/** Has the model a class of its own, whose code may look at its items? */
export function hasOwnClass({ model }: Pick<ModelDescription, 'model'>): boolean {
  return Object.getPrototypeOf(model) !== Function.prototype
}

/** Is it known, before it is called, that the function returns a promise? */
export function isAsyncFunction(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncFunction]'
}

/** What overrides a method stands in its place, marked or not. */
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
    // A class may refuse what it is given, as long as nothing is lost by it.
    if (countActionFields() === before) return []
    throw new RegistrationError(
      `The class of the model '${model.name}' has actions in its fields, but cannot be constructed from an item of plain values to find them (${(cause as Error).message}); let it accept any item, or mark methods.`,
      { cause },
    )
  }
}
