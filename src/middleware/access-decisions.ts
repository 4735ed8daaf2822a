import type { AccessDecision } from '../access/access-decision.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { Context } from '../context/context.ts'
import { type OperationName, operations } from '../rule/operations.ts'
import type { Rule } from '../rule/rule.ts'

/** The rules that an operation on the items of this model needs, in the order of their check. */
export function decisionsOf(
  access: ModelAccess,
  operation: OperationName,
): readonly AccessDecision[] {
  const { creates, changesItems, guards, hooks } = operations[operation]
  // It is about no item.
  if (guards.length === 0 && hooks.length === 0) return []
  if (creates === 'always') return [access.create]
  return changesItems ? [access.read, ...changeDecisions(access, operation)] : [access.read]
}

export function changeDecisions(
  access: ModelAccess,
  operation: OperationName,
): readonly AccessDecision[] {
  const { changesItems, creates } = operations[operation]
  if (!changesItems || creates === 'always') return []
  if (isDeletion(operation)) return [access.delete]
  return isAction(operation) ? access.allActions : [access.update]
}

/** The rule for the change that a request makes to an item of the model. */
export function changeDecision(access: ModelAccess, { rule, action }: Context): AccessDecision {
  // A request about another model changes an item of this one through a relation.
  if (!isAbout(access, rule)) return access.update
  if (isDeletion(rule.operation)) return access.delete
  return action === undefined ? access.update : access.action(action)
}

/** The code of an action may change what it likes. */
export function outcomeDecision(access: ModelAccess, { rule }: Context): AccessDecision {
  const isOwnAction = rule.target.kind === 'action' && isAbout(access, rule)
  return isOwnAction ? { kind: 'always' } : access.update
}

function isAbout({ model }: ModelAccess, rule: Rule): boolean {
  return 'view' in rule && rule.view.model === model
}

export function isAction(operation: OperationName): boolean {
  return operations[operation].hooks.includes('action')
}

export function isDeletion(operation: OperationName): boolean {
  return operations[operation].hooks.includes('delete_')
}
