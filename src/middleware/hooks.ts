import { checkOptions } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { type Declaration, declarationOptions } from '../rule/declaration.ts'
import {
  type HookName,
  listHooks,
  type OperationName,
  operations,
  readHooks,
} from '../rule/operations.ts'
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
}

/** What a hook runs for, beside any operation's own hooks. */
interface HookedModel {
  readonly allowsUpsert: boolean
}

export function hooksOf(
  operation: OperationName,
  middleware: readonly Middleware[],
  model?: HookedModel,
): Hooks {
  const { hooks } = operations[operation]
  const names = namesOf(operation, model)
  // There is nothing yet that query hooks of `create` could narrow: they say what the item has to
  // be.
  const narrowing = operation === 'CreateItem' ? [] : [...operations[operation].guards, ...hooks]
  return {
    request: requestHooks(middleware, names),
    query: distinct([
      ...hooksNamed(middleware, 'query', ['any']),
      ...hooksNamed(middleware, 'query', narrowing),
    ]),
    owner: [],
  }
}

/** The names of the request hooks of an operation, beside `any`: one table for both phases. */
function namesOf(operation: OperationName, model?: HookedModel): readonly HookName[] {
  const { hooks, guards, upsertGuards = [] } = operations[operation]
  return [...guards, ...(model?.allowsUpsert ? upsertGuards : []), ...hooks]
}

/** `any` runs before those that name an operation. */
export function requestHooks(
  middleware: readonly Middleware[],
  names: readonly HookName[],
): readonly NamedRequestHook[] {
  return distinct([
    ...hooksNamed(middleware, 'request', ['any']),
    ...hooksNamed(middleware, 'request', names),
  ])
}

/** The request hooks of an update of a model's item, by a request that is about another item. */
export function updateHooks(middleware: readonly Middleware[]): readonly NamedRequestHook[] {
  return requestHooks(middleware, namesOf('UpdateItem'))
}

/**
 * Middleware of a router as it runs for items beside those that a request is about: what its hooks
 * of `any` check is the request, and they ran for it.
 */
export function withoutAnyRequestHook({ request, ...others }: Middleware): Middleware {
  if (!request) return others
  const { any: _, ...ofOperations } = request
  return { ...others, request: ofOperations }
}

/**
 * The hooks of an operation that reaches items through a relation: it guards the item in the path
 * by that item's model, and those that it leads to by theirs.
 */
export function hooksThroughRelation(
  operation: OperationName,
  owner: readonly Middleware[],
  related: readonly Middleware[],
  quantity: 'one' | 'many',
): Hooks {
  const own = hooksOf(operation, owner)
  return {
    request: own.request,
    query: distinct([
      ...guardsOf(related),
      ...hooksNamed(related, 'query', relatedHooks(operation, quantity)),
    ]),
    owner: own.query,
  }
}

/**
 * The hooks of the items that an operation reaches through a relation. Where they are the answer,
 * that counts as their own list being asked for.
 */
export function relatedHooks(
  operation: OperationName,
  quantity: 'one' | 'many',
): readonly HookName[] {
  return operation === 'RelatedGet' && quantity === 'many' ? listHooks : readHooks
}

/** The query hooks that decide whether an item may be seen at all. */
export function guardsOf(middleware: readonly Middleware[]): readonly NamedQueryHook[] {
  return [
    ...hooksNamed(middleware, 'query', ['any']),
    ...hooksNamed(middleware, 'query', ['getItem']),
  ]
}

/** Those that decide whether an item may be changed. */
export function writeGuardsOf(middleware: readonly Middleware[]): readonly NamedQueryHook[] {
  return distinct([
    ...guardsOf(middleware),
    ...hooksNamed(middleware, 'query', ['patch', 'update']),
  ])
}

/** What is declared by the middleware whose hooks run for an operation. */
export function declarationsOf(
  operation: OperationName,
  middleware: readonly Middleware[],
  model?: HookedModel,
): readonly Declaration[] {
  return declarationsOfHooks(middleware, namesOf(operation, model))
}

/** What is declared by the middleware that has hooks of these names, or of any. */
export function declarationsOfHooks(
  middleware: readonly Middleware[],
  names: readonly HookName[],
): readonly Declaration[] {
  const wanted = ['any', ...names]
  return middleware.flatMap(({ request = {}, query = {}, declares }) =>
    declares && wanted.some((name) => name in request || name in query) ? declares : [],
  )
}

/** Those that say what an item has to be once it is written, whatever wrote it. */
export function outcomeGuardsOf(middleware: readonly Middleware[]): readonly NamedQueryHook[] {
  return hooksNamed(middleware, 'query', ['create'])
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
    if (phase === 'declares') {
      if (hooks)
        checkOptions<Declaration>('the declaration of middleware', hooks, declarationOptions)
      continue
    }
    if (phase !== 'request' && phase !== 'query') {
      throw new RegistrationError(
        `Middleware has hooks under '${phase}', but runs in the two phases 'request' and 'query' only.`,
      )
    }
    if (hooks !== undefined && (typeof hooks !== 'object' || hooks === null))
      throw new RegistrationError(
        `The ${phase} hooks of middleware are an object by operation, such as { any: (context) => … }; got ${hooks === null ? 'null' : `a ${typeof hooks}`}.`,
      )
    for (const [name, hook] of Object.entries(hooks ?? {})) {
      if (!known.includes(name)) {
        throw new RegistrationError(
          `A ${phase} hook is called '${name}', but no operation has a hook of that name; there are ${known.join(', ')}.`,
        )
      }
      if (typeof hook !== 'function')
        throw new RegistrationError(`The ${phase} hook '${name}' is no function.`)
    }
  }
}

type HookOf<Phase extends 'request' | 'query'> = NonNullable<NonNullable<Middleware[Phase]>[Hook]>

/** The hooks of these names, in the order of registration. */
function hooksNamed<Phase extends 'request' | 'query'>(
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

/** Those of the hooks that did not run. */
export function withoutHooks<Run>(
  hooks: readonly NamedHook<Run>[],
  ran: readonly NamedHook<Run>[],
): readonly NamedHook<Run>[] {
  const runs = new Set(ran.map(({ run }) => run))
  return hooks.filter(({ run }) => !runs.has(run))
}

/** A hook that stands under several names runs once, under the first of them. */
function distinct<Run>(hooks: readonly NamedHook<Run>[]): readonly NamedHook<Run>[] {
  const runs = new Set<Run>()
  return hooks.filter(({ run }) => !runs.has(run) && runs.add(run))
}
