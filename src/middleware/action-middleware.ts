import { memoizeBy } from '../cache/memoize-by.ts'
import { unknownName } from '../error/unknown-name.ts'
import type { ActionDescription } from '../model/action-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { operations } from '../rule/operations.ts'
import { checkHooks } from './hooks.ts'
import type { Middleware } from './middleware.ts'

/**
 * The middleware of an action, from its option `use`. A function is a request hook.
 * @throws RegistrationError for hooks that would never run for an action
 */
export const actionMiddleware: (action: ActionDescription) => readonly Middleware[] = memoizeBy(
  ({ name, use }: ActionDescription) => {
    const middleware = use.map((each) =>
      typeof each === 'function'
        ? ({ request: { any: each } } as Middleware)
        : (each as Middleware),
    )
    for (const each of middleware) checkActionMiddleware(name, each)
    return middleware
  },
)

function checkActionMiddleware(action: string, middleware: Middleware): void {
  checkHooks(middleware)
  if (middleware.write)
    throw new RegistrationError(
      `The middleware of the action '${action}' has hooks around writes, which belong to the model. Register them with prepare().use().`,
    )
  const { guards, hooks } = operations.ItemApiOperation
  const names: readonly string[] = ['any', ...guards, ...hooks]
  for (const hook of Object.keys({ ...middleware.request, ...middleware.query }))
    if (!names.includes(hook))
      throw new RegistrationError(
        unknownName(`The hook '${hook}' never runs for the action '${action}'`, hook, names),
      )
}
