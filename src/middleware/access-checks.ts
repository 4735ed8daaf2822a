import type { AccessDecision } from '../access/access-decision.ts'
import { conditionOf } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { Context } from '../context/context.ts'
import { allOf, always } from '../query/conditions.ts'
import type { Declaration } from '../rule/declaration.ts'
import type { OperationName } from '../rule/operations.ts'
import {
  creationDecision,
  decisionsOf,
  outcomeDecision,
  ownDecisions,
  requestDecisions,
} from './access-decisions.ts'
import type { Middleware } from './middleware.ts'
import type { NamedRequestHook } from './named-hook.ts'
import type { ConditionFor } from './narrowing.ts'
import { accessErrors, refuseClosed } from './refuse-closed.ts'

/** How the access rules of a model are checked. Rules that always hold are left out. */
export interface AccessChecks {
  /** Refuses callers to whom the operation is closed, whatever the item. */
  request(operation: OperationName): readonly NamedRequestHook[]
  /** Which items exist for the caller. */
  readonly read: readonly ConditionFor[]
  /** Which of these the operation may change, or show as they were. */
  own(operation: OperationName): readonly ConditionFor[]
  /** What a new item must satisfy. */
  readonly created: readonly ConditionFor[]
  /** What a changed item must satisfy. */
  readonly changed: readonly ConditionFor[]
  declaration(operation: OperationName): readonly Declaration[]
}

/** Middleware that enforces access rules. */
export interface AccessMiddleware extends Middleware {
  readonly access: AccessChecks
}

export function accessOf(middleware: Middleware): AccessChecks | undefined {
  return (middleware as Partial<AccessMiddleware>).access
}

export function accessMiddleware(access: ModelAccess): AccessMiddleware {
  const condition =
    (decide: (context: Context) => AccessDecision): ConditionFor =>
    (context) =>
      conditionOf(decide(context), access.model, context)
  const ownCondition: ConditionFor = (context) =>
    allOf(
      requestDecisions(access, context).map((decision) =>
        conditionOf(decision, access.model, context),
      ),
    )
  const creationCondition = condition((context) => creationDecision(access, context))
  // What a change makes of an item may depend on what it was: see `Guards.changeDecision`.
  const outcomeCondition: ConditionFor = (context) => {
    const decision = outcomeDecision(access, context)
    return decision.kind === 'change' ? always : conditionOf(decision, access.model, context)
  }
  const listIf = <Check>(isNeeded: boolean, needed: Check) => (isNeeded ? [needed] : [])
  const { read, create, restore, update, restoreVersion } = access
  const isRestricted = (operation: OperationName) =>
    decisionsOf(access, operation).some(({ kind }) => kind !== 'always')
  return {
    access: {
      request: (operation) =>
        listIf(isRestricted(operation), {
          name: 'any',
          run: (context) => refuseClosed(access, operation, context),
        }),
      read: listIf(
        read.kind !== 'always',
        condition(() => read),
      ),
      own: (operation) =>
        listIf(
          ownDecisions(access, operation).some(({ kind }) => kind !== 'always'),
          ownCondition,
        ),
      created: listIf(
        [create, restore].some(({ kind }) => kind !== 'always'),
        creationCondition,
      ),
      changed: listIf(
        [update, restoreVersion].some(({ kind }) => kind !== 'always' && kind !== 'change'),
        outcomeCondition,
      ),
      declaration: (operation) =>
        listIf<Declaration>(isRestricted(operation), { errors: accessErrors }),
    },
  }
}
