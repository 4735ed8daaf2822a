import { memoizeBy } from '../cache/memoize-by.ts'
import type { WriteHooks } from '../context/write-hooks.ts'
import { unknownErrorCode } from '../error/unknown-error-code.ts'
import { unknownName } from '../error/unknown-name.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { type Declaration, declarationOptions } from '../rule/declaration.ts'
import {
  changeHooks,
  type HookName,
  listHooks,
  type OperationName,
  operations,
  outcomeHooks,
  readHooks,
} from '../rule/operations.ts'
import { type AccessChecks, accessOf } from './access-checks.ts'
import { clientLimitsOf, type RelatedIdsHook } from './client-limit.ts'
import type { AroundHook, Hook, Middleware } from './middleware.ts'
import type { NamedHook, NamedQueryHook, NamedRequestHook } from './named-hook.ts'
import { type Narrowing, noNarrowing } from './narrowing.ts'

/** The hooks of one operation, in the order in which they run. */
export interface Hooks {
  readonly request: readonly NamedRequestHook[]
  /** Which items the operation reaches; the related ones if it goes through a relation. */
  readonly query: Narrowing
  /** Which item the path may name, for operations that go through a relation. */
  readonly owner: Narrowing
  /** Hooks around the whole request, the outermost first. */
  readonly around: readonly AroundHook[]
  /** Limits of what a body names: related items, by their ids. */
  readonly relatedIds: readonly RelatedIdsHook[]
}

/** The model options that decide which hooks run. */
interface HookedModel {
  readonly allowsUpsert: boolean
}

export function hooksOf(
  operation: OperationName,
  middleware: readonly Middleware[],
  model?: HookedModel,
): Hooks {
  const { hooks, guards, creates } = operations[operation]
  const names = namesOf(operation, model)
  // Before a create there is no item to narrow: its query hooks check the written item.
  const narrowing = creates === 'always' ? [] : [...guards, ...hooks]
  return {
    request: [
      ...accessChecks(middleware, (access) => access.request(operation)),
      ...requestHooks(middleware, names),
    ],
    query: {
      conditions: accessChecks(middleware, (access) => [
        ...(creates === 'always' ? [] : access.read),
        ...access.own(operation),
      ]),
      hooks: queryHooks(middleware, ['any'], narrowing),
    },
    owner: noNarrowing,
    around: aroundHooks(middleware),
    relatedIds: clientLimitsOf(middleware).flatMap(({ relatedIds }) => relatedIds ?? []),
  }
}

function accessChecks<Check>(
  middleware: readonly Middleware[],
  checksOf: (access: AccessChecks) => readonly Check[],
): readonly Check[] {
  return middleware.flatMap((source) => {
    const access = accessOf(source)
    return access ? checksOf(access) : []
  })
}

/** The query hooks of the first names, and then those of the second. */
function queryHooks(
  middleware: readonly Middleware[],
  ...names: readonly (readonly Hook[])[]
): readonly NamedQueryHook[] {
  return distinct(names.flatMap((group) => hooksNamed(middleware, 'query', group)))
}

function aroundHooks(middleware: readonly Middleware[]): readonly AroundHook[] {
  return middleware.flatMap(({ around }) => around ?? [])
}

/** Names of the request hooks of an operation besides `any`. */
function namesOf(operation: OperationName, model?: HookedModel): readonly HookName[] {
  const { hooks, guards, upsertGuards = [] } = operations[operation]
  return [...guards, ...(model?.allowsUpsert ? upsertGuards : []), ...hooks]
}

/** Hooks of `any` run before those that name an operation. */
export function requestHooks(
  middleware: readonly Middleware[],
  names: readonly HookName[],
): readonly NamedRequestHook[] {
  return distinct([
    ...hooksNamed(middleware, 'request', ['any']),
    ...hooksNamed(middleware, 'request', names),
  ])
}

/** The request hooks of reading an item: all rules that may reach its model ask for them. */
export const readRequestHooks: (middleware: readonly Middleware[]) => readonly NamedRequestHook[] =
  memoizeBy((middleware) => requestHooks(middleware, readHooks))

/** The request hooks for a change of an item by a request about another item. */
export function updateHooks(middleware: readonly Middleware[]): readonly NamedRequestHook[] {
  return requestHooks(middleware, namesOf('UpdateItem'))
}

/**
 * The middleware of a router, for items besides those that a request is about. The request hooks of
 * `any` check the request itself, for which they have run already.
 */
export function withoutAnyRequestHook({ request, ...others }: Middleware): Middleware {
  if (!request) return others
  const { any: _, ...ofOperations } = request
  return { ...others, request: ofOperations }
}

/**
 * The hooks of an operation that reaches items through a relation. The owner's middleware guards
 * the item in the path, and the related model's guards the items behind it.
 */
export function hooksThroughRelation(
  operation: OperationName,
  owner: readonly Middleware[],
  related: readonly Middleware[],
  quantity: 'one' | 'many',
): Hooks {
  const ownerHooks = hooksOf(operation, owner)
  return {
    request: ownerHooks.request,
    query: {
      conditions: guardsOf(related).conditions,
      hooks: queryHooks(related, ['any'], readHooks, relatedHooks(operation, quantity)),
    },
    owner: ownerHooks.query,
    around: ownerHooks.around,
    relatedIds: ownerHooks.relatedIds,
  }
}

/**
 * The hooks for the items behind a relation. Where the response lists them, the hooks of their own
 * list run.
 */
export function relatedHooks(
  operation: OperationName,
  quantity: 'one' | 'many',
): readonly HookName[] {
  return operations[operation].shows === 'relatedItems' && quantity === 'many'
    ? listHooks
    : readHooks
}

/** What decides which items are visible. */
export function guardsOf(middleware: readonly Middleware[]): Narrowing {
  return {
    conditions: accessChecks(middleware, (access) => access.read),
    hooks: queryHooks(middleware, ['any'], readHooks),
  }
}

/** What decides which items can be changed. */
export function writeGuardsOf(middleware: readonly Middleware[]): Narrowing {
  return {
    conditions: accessChecks(middleware, ({ read, own }) => [...read, ...own('UpdateItem')]),
    hooks: queryHooks(middleware, ['any'], changeHooks),
  }
}

/** The declarations of the middleware whose hooks run for an operation. */
export function declarationsOf(
  operation: OperationName,
  middleware: readonly Middleware[],
  model?: HookedModel,
): readonly Declaration[] {
  return [
    ...accessChecks(middleware, (access) => access.declaration(operation)),
    ...declarationsOfHooks(middleware, namesOf(operation, model)),
  ]
}

/** The operations on stored items that access rules or query hooks narrow further than reads. */
export function guardedChanges(middleware: readonly Middleware[]): ReadonlySet<OperationName> {
  const names = Object.keys(operations) as OperationName[]
  return new Set(
    names.filter((name) => {
      const { changesItems, creates, guards, hooks } = operations[name]
      if (creates === 'always') return false
      const hasRule = accessChecks(middleware, (access) => access.own(name)).length > 0
      if (!changesItems) return hasRule
      const own = [...guards, ...hooks].filter((hook) => !readHooks.includes(hook))
      return hasRule || hooksNamed(middleware, 'query', own).length > 0
    }),
  )
}

/** The declarations of `updateHooks`. */
export function updateDeclarations(middleware: readonly Middleware[]): readonly Declaration[] {
  return declarationsOf('UpdateItem', middleware)
}

/** The declarations of the middleware that has a hook of one of these names, or of `any`. */
export function declarationsOfHooks(
  middleware: readonly Middleware[],
  names: readonly HookName[],
): readonly Declaration[] {
  const hookNames = ['any', ...names]
  return middleware.flatMap(({ request = {}, query = {}, declares }) =>
    declares && hookNames.some((name) => name in request || name in query) ? declares : [],
  )
}

/** The declarations of reading an item: all rules that may reach its model ask for them. */
export const readDeclarations: (middleware: readonly Middleware[]) => readonly Declaration[] =
  memoizeBy((middleware) => declarationsOfHooks(middleware, readHooks))

/** What a new or a changed item must satisfy. */
export function outcomeGuardsOf(
  middleware: readonly Middleware[],
  outcome: 'created' | 'changed',
): Narrowing {
  return {
    conditions: accessChecks(middleware, (access) => access[outcome]),
    hooks: queryHooks(middleware, outcomeHooks),
  }
}

/** @throws RegistrationError for a hook whose name no operation has: it would never run */
export function checkHooks(middleware: Middleware): void {
  if (typeof middleware !== 'object' || middleware === null)
    throw new RegistrationError(
      'Middleware must be an object with hooks by operation, such as { request: { any: (context) => … } }.',
    )
  const operationHooks = Object.values(operations).flatMap(({ guards, hooks }) => [
    ...guards,
    ...hooks,
  ])
  const knownNames: readonly string[] = ['any', ...new Set(operationHooks)]
  for (const [phase, hooks] of Object.entries(middleware)) {
    if (phase === 'declares') {
      if (hooks) checkDeclaration(hooks)
      continue
    }
    if (phase === 'write') {
      if (hooks) checkOptions('the write hooks of middleware', hooks, writeHookOptions)
      continue
    }
    if (phase === 'around') {
      if (hooks !== undefined && typeof hooks !== 'function')
        throw new RegistrationError("'around' of middleware must be a function.")
      continue
    }
    if (phase !== 'request' && phase !== 'query') {
      throw new RegistrationError(
        unknownName(`Unknown phase '${phase}' of middleware`, phase, [
          'request',
          'query',
          'write',
          'around',
        ]),
      )
    }
    if (hooks !== undefined && (typeof hooks !== 'object' || hooks === null))
      throw new RegistrationError(
        `The ${phase} hooks of middleware must be an object by operation, such as { any: (context) => … }; got ${hooks === null ? 'null' : `a ${typeof hooks}`}.`,
      )
    for (const [name, hook] of Object.entries(hooks ?? {})) {
      if (!knownNames.includes(name)) {
        throw new RegistrationError(
          unknownName(`Unknown ${phase} hook '${name}'`, name, knownNames),
        )
      }
      if (typeof hook !== 'function')
        throw new RegistrationError(`The ${phase} hook '${name}' must be a function.`)
    }
  }
}

const writeHookOptions: OptionChecks<WriteHooks> = {
  before: 'function',
  after: 'function',
  afterCommit: 'function',
}

function checkDeclaration(declaration: Declaration): void {
  checkOptions('the declaration of middleware', declaration, declarationOptions)
  for (const code of declaration.errors ?? []) {
    const message = unknownErrorCode(code)
    if (message !== undefined) throw new RegistrationError(message)
  }
  for (const name of Object.keys(declaration.parameters ?? {}))
    if (!/^[\w.-]+$/.test(name))
      throw new RegistrationError(
        `The query parameter '${name}' that middleware declares must have letters, digits, '.', '_' and '-' only.`,
      )
}

type HookOf<Phase extends 'request' | 'query'> = NonNullable<NonNullable<Middleware[Phase]>[Hook]>

/** The hooks of these names, in the order of registration. */
function hooksNamed<Phase extends 'request' | 'query'>(
  middleware: readonly Middleware[],
  phase: Phase,
  names: readonly Hook[],
): readonly NamedHook<HookOf<Phase>>[] {
  return middleware.flatMap((source) =>
    names.flatMap((name) => {
      const run = source[phase]?.[name] as HookOf<Phase> | undefined
      return run ? [{ name, run }] : []
    }),
  )
}

/** The hooks that have not run. */
export function withoutHooks<Run>(
  hooks: readonly NamedHook<Run>[],
  runHooks: readonly NamedHook<Run>[],
): readonly NamedHook<Run>[] {
  if (hooks.length === 0 || runHooks.length === 0) return hooks
  const runs = new Set(runHooks.map(({ run }) => run))
  return hooks.filter(({ run }) => !runs.has(run))
}

/** Keeps each hook once, under its first name. */
function distinct<Run>(hooks: readonly NamedHook<Run>[]): readonly NamedHook<Run>[] {
  const runs = new Set<Run>()
  return hooks.filter(({ run }) => !runs.has(run) && runs.add(run))
}
