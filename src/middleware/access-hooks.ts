import type { AccessDecision } from '../access/access-decision.ts'
import { itemCondition } from '../access/evaluate-access.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { Context } from '../context/context.ts'
import { refusalsOf } from '../error/refusals.ts'
import { toWords } from '../model/naming.ts'
import { always, never } from '../query/conditions.ts'
import { narrowQuery } from '../query/query.ts'
import type { Condition } from '../query/query-plan.ts'
import type { Declaration } from '../rule/declaration.ts'
import { type OperationName, operations } from '../rule/operations.ts'
import type { Rule } from '../rule/rule.ts'
import type { Middleware } from './middleware.ts'
import type { NamedQueryHook, NamedRequestHook } from './named-hook.ts'

export const accessErrors = ['unauthorized', 'forbidden'] as const

const { refuse } = refusalsOf(accessErrors)

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
    run: (query, context) => narrowQuery(query, conditionOf(access, decide(context), context)),
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
      changed: hooksIf(update.kind !== 'always', outcomeHook),
      declaration: (operation) =>
        hooksIf<Declaration>(isRestricted(operation), { errors: accessErrors }),
    },
  }
}

function conditionOf(
  { model }: ModelAccess,
  decision: AccessDecision,
  { caller }: Context,
): Condition {
  if (decision.kind === 'always') return always
  return decision.kind === 'never' ? never : itemCondition(decision.expression, model, caller)
}

/** The rules that an operation on the items of this model needs, in the order of their check. */
function decisionsOf(access: ModelAccess, operation: OperationName): readonly AccessDecision[] {
  const { creates, changesItems } = operations[operation]
  if (creates === 'always') return [access.create]
  return changesItems ? [access.read, ...changeDecisions(access, operation)] : [access.read]
}

function changeDecisions(access: ModelAccess, operation: OperationName): readonly AccessDecision[] {
  const { changesItems, creates } = operations[operation]
  if (!changesItems || creates === 'always') return []
  if (isDeletion(operation)) return [access.delete]
  return isAction(operation) ? access.allActions : [access.update]
}

/** The rule for the change that a request makes to an item of the model. */
function changeDecision(access: ModelAccess, { rule, action }: Context): AccessDecision {
  // A request about another model changes an item of this one through a relation.
  if (!isAbout(access, rule)) return access.update
  if (isDeletion(rule.operation)) return access.delete
  return action === undefined ? access.update : access.action(action)
}

/** The code of an action may change what it likes. */
function outcomeDecision(access: ModelAccess, { rule }: Context): AccessDecision {
  const isOwnAction = rule.target.kind === 'action' && isAbout(access, rule)
  return isOwnAction ? { kind: 'always' } : access.update
}

function isAbout({ model }: ModelAccess, rule: Rule): boolean {
  return 'view' in rule && rule.view.model === model
}

function isAction(operation: OperationName): boolean {
  return operations[operation].hooks.includes('action')
}

function isDeletion(operation: OperationName): boolean {
  return operations[operation].hooks.includes('delete_')
}

/**
 * Refuses what no item could allow. The response must not depend on any item: what is hidden would
 * else differ from what does not exist.
 * @throws ApiError `unauthorized` where signing in could help, or `forbidden`
 */
function refuseClosed(access: ModelAccess, operation: OperationName, context: Context): void {
  const decisions = isAction(operation)
    ? [access.read, access.action(context.action!)]
    : decisionsOf(access, operation)
  for (const decision of decisions) {
    if (conditionOf(access, decision, context).kind !== 'never') continue
    const mayHelp = decision.kind !== 'never' && context.caller === undefined
    if (mayHelp)
      throw refuse('unauthorized', `Sign in to ${verbOf(operation)} ${subjectOf(access)}.`)
    if (decision.kind === 'never' || operations[operation].creates === 'always')
      throw refuse('forbidden', `You may not ${verbOf(operation)} ${subjectOf(access)}.`)
  }
}

function verbOf(operation: OperationName): string {
  const { creates, changesItems } = operations[operation]
  if (creates === 'always') return 'create'
  if (isDeletion(operation)) return 'delete'
  return changesItems ? 'change' : 'read'
}

function subjectOf({ model }: ModelAccess): string {
  return toWords(model.plural)
}
