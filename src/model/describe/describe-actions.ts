import type { ActionDescription } from '../action-description.ts'
import { markedTwice, marksOf } from '../declare/action.ts'
import { decoratorOptionsOf } from '../declare/action-decorator.ts'
import type { AnyActionOptions } from '../declare/action-options.ts'
import type { ModelDescription } from '../model-description.ts'
import { prototypeChain } from '../prototype-chain.ts'
import { describeAction } from './describe-action.ts'

/**
 * Describes the marked methods of the class of a model and of the classes that it extends. The
 * class is not instantiated.
 *
 * @throws RegistrationError
 */
export function describeActions(
  model: Omit<ModelDescription, 'actions'>,
): readonly ActionDescription[] {
  const optionsByMethod = new Map<string, AnyActionOptions | undefined>()
  // A class decides what its methods are, so an overriding method that is not marked is none.
  for (const prototype of prototypeChain(model.model.prototype))
    for (const name of declaredNames(prototype))
      if (!optionsByMethod.has(name))
        optionsByMethod.set(name, actionOptionsOf(model, prototype, name))
  return [...optionsByMethod].flatMap(([name, options]) =>
    options
      ? [describeAction(model, name, options, { kind: 'method' }, isAsyncMethod(model, name))]
      : [],
  )
}

/** Is it declared as an async function? */
export function isAsyncFunction(method: unknown): boolean {
  return Object.prototype.toString.call(method) === '[object AsyncFunction]'
}

/** The members of a prototype, and the inherited methods that its class marks. */
function declaredNames(prototype: object): ReadonlySet<string> {
  return new Set([...Object.getOwnPropertyNames(prototype), ...marksOf(prototype).keys()])
}

function actionOptionsOf(
  { model }: Omit<ModelDescription, 'actions'>,
  prototype: object,
  name: string,
): AnyActionOptions | undefined {
  const mark = marksOf(prototype).get(name)
  const decorated = decoratorOptionsOf(Object.getOwnPropertyDescriptor(prototype, name)?.value)
  // A legacy decorator runs after the static blocks, so action() cannot find it.
  if (mark && decorated) throw markedTwice(model, name)
  return mark ?? decorated
}

function isAsyncMethod({ model }: Omit<ModelDescription, 'actions'>, name: string): boolean {
  return isAsyncFunction((model.prototype as Readonly<Record<string, unknown>>)[name])
}
