import { RegistrationError } from '../model/registration-error.ts'
import type { Declaration } from '../rule/declaration.ts'
import { type HookName, type OperationName, operations } from '../rule/operations.ts'
import type { Hook, Middleware, QueryHook, RequestHook } from './middleware.ts'

/** A hook with the name that it stands under in its middleware. */
export interface NamedHook<Run> {
  readonly name: Hook
  readonly run: Run
}

export type NamedRequestHook = NamedHook<RequestHook>
export type NamedQueryHook = NamedHook<QueryHook>

/** The hooks of one operation, in the order they run. */
export interface Hooks {
  readonly request: readonly NamedRequestHook[]
  readonly query: readonly NamedQueryHook[]
  /** Those that narrow which item the path may name, where it is reached through. */
  readonly owner: readonly NamedQueryHook[]
  /** What a new item has to satisfy, where the operation can create one. */
  readonly create: readonly NamedQueryHook[]
}

/** The request hooks of an update of a model's item by a request that ran others already: the same `any` hook runs once. */
export function updateHooksBeside(
  middleware: readonly Middleware[],
  ran: readonly NamedRequestHook[],
): readonly NamedRequestHook[] {
  const any = named(middleware, 'request', ['any']).filter(({ run }) => ran.every((one) => one.run !== run))
  return [...any, ...named(middleware, 'request', operations.UpdateItem.hooks)]
}

export function hooksOf(operation: OperationName, middleware: readonly Middleware[]): Hooks {
  const { hooks, guards } = operations[operation]
  const isCreate = operation === 'CreateItem'
  // There is nothing yet that query hooks of `create` could narrow: they say what the new item has to be.
  const query = named(middleware, 'query', isCreate ? [] : [...guards, ...hooks])
  return {
    request: [...named(middleware, 'request', ['any']), ...named(middleware, 'request', hooks)],
    // A hook that stands under several names narrows once.
    query: distinct([...named(middleware, 'query', ['any']), ...query]),
    owner: [],
    create: isCreate || operation === 'ReplaceItem' ? named(middleware, 'query', ['create']) : [],
  }
}

/**
 * The hooks of an operation that reaches items through a relation: it guards the item in the path by that item's model, and those
 * it answers with by theirs. Where the answer is these items themselves, that counts as their own list or item being asked for.
 */
export function hooksThrough(
  operation: OperationName,
  owner: readonly Middleware[],
  related: readonly Middleware[],
  quantity: 'one' | 'many',
): Hooks {
  const own = hooksOf(operation, owner)
  const answered: readonly HookName[] = operation !== 'RelatedGet' ? [] : quantity === 'one' ? ['getItem'] : ['getList']
  const request = answered.length > 0 ? named(related, 'request', ['any']) : []
  return {
    request: distinct([...own.request, ...request, ...named(related, 'request', answered)]),
    query: distinct([...guardsOf(related), ...named(related, 'query', answered)]),
    owner: own.query,
    create: [],
  }
}

/** The query hooks that decide whether an item may be seen at all. */
export function guardsOf(middleware: readonly Middleware[]): readonly NamedQueryHook[] {
  return [...named(middleware, 'query', ['any']), ...named(middleware, 'query', ['getItem'])]
}

/** Those that decide whether an item may be changed. */
export function writeGuardsOf(middleware: readonly Middleware[]): readonly NamedQueryHook[] {
  return distinct([...guardsOf(middleware), ...named(middleware, 'query', ['patch', 'update'])])
}

/** What is declared by the middleware whose hooks run for an operation. */
export function declarationsOf(operation: OperationName, middleware: readonly Middleware[]): readonly Declaration[] {
  const { hooks, guards } = operations[operation]
  return middleware.flatMap(({ request, query, declares }) => {
    const runs = (phase: object | undefined, names: readonly Hook[]) => names.some((name) => phase && name in phase)
    return declares && (runs(request, ['any', ...hooks]) || runs(query, ['any', ...guards, ...hooks])) ? declares : []
  })
}

/** Those of the middleware around items that are reached through a relation, beside their owner's. */
export function declarationsThrough(
  operation: OperationName,
  owner: readonly Middleware[],
  related: readonly Middleware[],
  quantity: 'one' | 'many',
): readonly Declaration[] {
  const answered = operation !== 'RelatedGet' ? [] : declarationsOf(quantity === 'one' ? 'GetItem' : 'GetList', related)
  return [...new Set([...declarationsOf(operation, owner), ...answered])]
}

/** @throws RegistrationError when a hook is named after no operation, and so would never run. */
export function checkHooks(middleware: Middleware): void {
  if (typeof middleware !== 'object' || middleware === null)
    throw new RegistrationError(
      'Middleware is an object with hooks by operation, such as { request: { any: (context) => … } }.',
    )
  const named = Object.values(operations).flatMap((operation) => operation.hooks)
  const known: readonly string[] = ['any', ...new Set(named)]
  for (const [phase, hooks] of Object.entries(middleware)) {
    if (phase === 'declares') continue
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
): readonly NamedHook<HookOf<Phase>>[] {
  return middleware.flatMap((one) =>
    names.flatMap((name) => {
      const run = one[phase]?.[name] as HookOf<Phase> | undefined
      return run ? [{ name, run }] : []
    }),
  )
}

/** A hook that stands under several names runs once, under the first of them. */
function distinct<Run>(hooks: readonly NamedHook<Run>[]): readonly NamedHook<Run>[] {
  const runs = new Set<Run>()
  return hooks.filter(({ run }) => !runs.has(run) && runs.add(run))
}
