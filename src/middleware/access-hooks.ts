import type { AccessDecision } from '../access/access-decision.ts'
import { conditionOf } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { Context } from '../context/context.ts'
import { narrowQuery } from '../query/query.ts'
import type { Declaration } from '../rule/declaration.ts'
import type { OperationName } from '../rule/operations.ts'
import {
  changeDecision,
  changeDecisions,
  decisionsOf,
  outcomeDecision,
} from './access-decisions.ts'
import type { Middleware } from './middleware.ts'
import type { NamedQueryHook, NamedRequestHook } from './named-hook.ts'
import { accessErrors, refuseClosed } from './refuse-closed.ts'

/** The access rules of a model, as hooks. Those of rules that always hold are left out. */
export interface AccessHooks {
  /** Refuses callers to whom the operation is closed, whatever the item. */
  request(operation: OperationName): readonly NamedRequestHook[]
  /** Which items exist for the caller. */
  readonly read: readonly NamedQueryHook[]
  /** Which items the operation may change. */
  change(operation: OperationName): readonly NamedQueryHook[]
  /** What a new item must satisfy. */
  readonly created: readonly NamedQueryHook[]
  /** What a changed item must satisfy. */
  readonly changed: readonly NamedQueryHook[]
  declaration(operation: OperationName): readonly Declaration[]
}

/** Middleware that enforces access rules. */
export interface AccessMiddleware extends Middleware {
  readonly access: AccessHooks
}

export function accessOf(middleware: Middleware): AccessHooks | undefined {
  return (middleware as Partial<AccessMiddleware>).access
}

export function accessMiddleware(access: ModelAccess): AccessMiddleware {
  const hook = (decide: (context: Context) => AccessDecision): NamedQueryHook => ({
    name: 'read',
    run: (query, context) =>
      narrowQuery(query, conditionOf(decide(context), access.model, context)),
  })
  const changeHook = hook((context) => changeDecision(access, context))
  const outcomeHook = hook((context) => outcomeDecision(access, context))
  const hooksIf = <Hook>(isNeeded: boolean, needed: Hook) => (isNeeded ? [needed] : [])
  const { read, create, update } = access
  const isRestricted = (operation: OperationName) =>
    decisionsOf(access, operation).some(({ kind }) => kind !== 'always')
  return {
    access: {
      request: (operation) =>
        hooksIf(isRestricted(operation), {
          name: 'any',
          run: (context) => refuseClosed(access, operation, context),
        }),
      read: hooksIf(
        read.kind !== 'always',
        hook(() => read),
      ),
      change: (operation) =>
        hooksIf(
          changeDecisions(access, operation).some(({ kind }) => kind !== 'always'),
          changeHook,
        ),
      created: hooksIf(
        create.kind !== 'always',
        hook(() => create),
      ),
      // What a change makes of an item depends on what it was: see `Guards.changeDecision`.
      changed: hooksIf(update.kind !== 'always' && update.kind !== 'change', outcomeHook),
      declaration: (operation) =>
        hooksIf<Declaration>(isRestricted(operation), { errors: accessErrors }),
    },
  }
}
