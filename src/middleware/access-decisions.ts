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
  const { creates, guards, hooks } = operations[operation]
  // It is about no item.
  if (guards.length === 0 && hooks.length === 0) return []
  if (creates === 'always') return [access.create]
  return [access.read, ...ownDecisions(access, operation)]
}

/** What an operation needs besides that the caller reads the item. */
export function ownDecisions(
  access: ModelAccess,
  operation: OperationName,
): readonly AccessDecision[] {
  const ofKept = keptDecisions(access, operation)
  if (ofKept) return ofKept
  const { changesItems, creates } = operations[operation]
  if (!changesItems || creates === 'always') return []
  if (isDeletion(operation)) return [access.delete]
  return isAction(operation) ? access.allActions : [access.update]
}

/** Those for versions and for the trash; undefined for other operations. */
function keptDecisions(
  { readVersions, restoreVersion, readTrash, restore, purge }: ModelAccess,
  operation: OperationName,
): readonly AccessDecision[] | undefined {
  switch (operation) {
    case 'GetVersions':
    case 'GetVersion':
      return [readVersions]
    case 'RestoreVersion':
      return [readVersions, restoreVersion]
    case 'GetTrash':
    case 'GetTrashedItem':
      return [readTrash]
    case 'RestoreItem':
      return [readTrash, restore]
    case 'PurgeItem':
      return [readTrash, purge]
    default:
      return undefined
  }
}

/** The rules for what a request does with an item of the model, besides that it reads it. */
export function requestDecisions(access: ModelAccess, context: Context): readonly AccessDecision[] {
  const { rule } = context
  const ofKept = isAbout(access, rule) ? keptDecisions(access, rule.operation) : undefined
  return ofKept ?? [changeDecision(access, context)]
}

/** The rule for the change that a request makes to an item of the model. */
function changeDecision(access: ModelAccess, { rule, action }: Context): AccessDecision {
  // A request about another model changes an item of this one through a relation.
  if (!isAbout(access, rule)) return access.update
  if (isDeletion(rule.operation)) return access.delete
  return action === undefined ? access.update : access.action(action)
}

/** The code of an action may change what it likes. */
export function outcomeDecision(access: ModelAccess, { rule }: Context): AccessDecision {
  if (!isAbout(access, rule)) return access.update
  if (rule.target.kind === 'action') return { kind: 'always' }
  return rule.operation === 'RestoreVersion' ? access.restoreVersion : access.update
}

/** The rule for an item that a request creates. */
export function creationDecision(access: ModelAccess, { rule }: Context): AccessDecision {
  return rule.operation === 'RestoreItem' && isAbout(access, rule) ? access.restore : access.create
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
