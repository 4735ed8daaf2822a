import { conditionOf } from '../access/field-guards.ts'
import type { ModelAccess } from '../access/model-access.ts'
import type { Context } from '../context/context.ts'
import { refusalsOf } from '../error/refusals.ts'
import { toWords } from '../model/naming.ts'
import { type OperationName, operations } from '../rule/operations.ts'
import { decisionsOf, isAction, isDeletion } from './access-decisions.ts'

export const accessErrors = ['unauthorized', 'forbidden'] as const

const { refuse } = refusalsOf(accessErrors)

/**
 * Refuses what no item could allow. The response must not depend on any item: what is hidden would
 * else differ from what does not exist.
 * @throws ApiError `unauthorized` where signing in could help, or `forbidden`
 */
export function refuseClosed(
  access: ModelAccess,
  operation: OperationName,
  context: Context,
): void {
  const decisions = isAction(operation)
    ? [access.read, access.action(context.action!)]
    : decisionsOf(access, operation)
  for (const decision of decisions) {
    if (conditionOf(decision, access.model, context).kind !== 'never') continue
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
