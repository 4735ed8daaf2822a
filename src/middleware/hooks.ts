import { RegistrationError } from '../model/registration-error.ts'
import { type OperationName, operations } from '../rule/operations.ts'
import type { Hook, Middleware, QueryHook, RequestHook } from './middleware.ts'

/** The hooks of one operation, in the order they run. */
export interface Hooks {
  readonly request: readonly RequestHook[]
  readonly query: readonly QueryHook[]
  /** What a new item has to satisfy, where the operation can create one. */
  readonly create: readonly QueryHook[]
}

export function hooksOf(operation: OperationName, middleware: readonly Middleware[]): Hooks {
  const { hooks, guards } = operations[operation]
  const isCreate = operation === 'CreateItem'
  // There is nothing yet that query hooks of `create` could narrow: they say what the new item has to be.
  const query = named(middleware, 'query', isCreate ? [] : [...guards, ...hooks])
  return {
    request: [...named(middleware, 'request', ['any']), ...named(middleware, 'request', hooks)],
    // A hook that stands under several names narrows once.
    query: [...new Set([...named(middleware, 'query', ['any']), ...query])],
    create: isCreate || operation === 'ReplaceItem' ? named(middleware, 'query', ['create']) : [],
  }
}

/** The query hooks that decide whether an item may be seen at all. */
export function guardsOf(middleware: readonly Middleware[]): readonly QueryHook[] {
  return [...named(middleware, 'query', ['any']), ...named(middleware, 'query', ['getItem'])]
}

/** @throws RegistrationError when a hook is named after no operation, and so would never run. */
export function checkHooks(middleware: Middleware): void {
  const known: readonly string[] = ['any', ...Object.values(operations).flatMap((operation) => operation.hooks)]
  for (const [phase, hooks] of Object.entries(middleware)) {
    if (phase !== 'request' && phase !== 'query') {
      throw new RegistrationError(
        `Middleware has hooks under '${phase}', but runs in the two phases 'request' and 'query' only.`,
      )
    }
    for (const [name, hook] of Object.entries(hooks ?? {})) {
      if (!known.includes(name)) {
        throw new RegistrationError(
          `A ${phase} hook is called '${name}', but no operation has a hook of that name; there are ${known.join(', ')}.`,
        )
      }
      if (typeof hook !== 'function') throw new RegistrationError(`The ${phase} hook '${name}' is no function.`)
    }
  }
}

type HookOf<Phase extends 'request' | 'query'> = NonNullable<NonNullable<Middleware[Phase]>[Hook]>

/** The hooks of these names, in the order of registration. */
function named<Phase extends 'request' | 'query'>(
  middleware: readonly Middleware[],
  phase: Phase,
  names: readonly Hook[],
): readonly HookOf<Phase>[] {
  return middleware.flatMap((one) => names.flatMap((name) => (one[phase]?.[name] as HookOf<Phase> | undefined) ?? []))
}
