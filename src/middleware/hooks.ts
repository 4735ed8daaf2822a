import { RegistrationError } from '../model/registration-error.ts'
import { type OperationName, operations } from '../rule/operations.ts'
import type { Hook, Middleware, QueryHook, RequestHook } from './middleware.ts'

/** The hooks of one operation, in the order they run. */
export interface Hooks {
  readonly request: readonly RequestHook[]
  readonly query: readonly QueryHook[]
}

export function hooksOf(operation: OperationName, middleware: readonly Middleware[]): Hooks {
  const { hooks, guards } = operations[operation]
  const own = named(middleware, 'query', hooks)
  // A hook that stands under several names narrows once, in its own operation's place.
  const guarding = named(middleware, 'query', guards).filter((hook) => !own.includes(hook))
  return {
    request: named(middleware, 'request', ['any', ...hooks]),
    query: [...named(middleware, 'query', ['any']), ...guarding, ...own],
  }
}

/** The query hooks that decide whether an item may be seen at all. */
export function guardsOf(middleware: readonly Middleware[]): readonly QueryHook[] {
  return named(middleware, 'query', ['any', 'getItem'])
}

/** The query hooks of `create`: what a new item has to satisfy. */
export function createChecksOf(middleware: readonly Middleware[]): readonly QueryHook[] {
  return named(middleware, 'query', ['create'])
}

/** @throws RegistrationError when a hook is named after no operation, and so would never run. */
export function checkHooks({ request = {}, query = {} }: Middleware): void {
  const known: readonly string[] = ['any', ...Object.values(operations).flatMap((operation) => operation.hooks)]
  for (const [phase, hooks] of Object.entries({ request, query })) {
    for (const [name, hook] of Object.entries(hooks)) {
      if (!known.includes(name))
        throw new RegistrationError(
          `A ${phase} hook is called '${name}', but no operation has a hook of that name; there are ${known.join(', ')}.`,
        )
      if (typeof hook !== 'function') throw new RegistrationError(`The ${phase} hook '${name}' is no function.`)
    }
  }
}

function named<Phase extends 'request' | 'query'>(
  middleware: readonly Middleware[],
  phase: Phase,
  names: readonly Hook[],
): readonly NonNullable<NonNullable<Middleware[Phase]>[Hook]>[] {
  type Found = NonNullable<NonNullable<Middleware[Phase]>[Hook]>
  return names.flatMap((name) => middleware.flatMap((one) => (one[phase]?.[name] as Found | undefined) ?? []))
}
