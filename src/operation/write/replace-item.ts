import type { ErrorCode } from '../../error/catalog.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { checkPreconditions, preconditionCheck, preconditionErrors } from '../preconditions.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeExisting, changeExistingErrors } from './change-existing.ts'
import { completeNewItem, createItemErrors, storeNewItem } from './create-item.ts'
import { checkGuardedMembers, guardedMemberErrors } from './guarded-members.ts'
import { itemIdErrors, refuseUnusableId } from './item-id.ts'
import { lockForLinks } from './lock-for-links.ts'
import { readOnlyInverseErrors, readOnlyInverseProblems } from './read-only-inverses.ts'
import { otherIdErrors, refuseOtherId } from './refuse-other-id.ts'
import { serviceMemberErrors, withServiceMembers } from './service-members.ts'

export const replaceItemErrors: readonly ErrorCode[] = [
  ...changeExistingErrors,
  ...otherIdErrors,
  ...itemIdErrors,
  ...serviceMemberErrors,
  ...guardedMemberErrors,
  ...readOnlyInverseErrors,
  ...createItemErrors,
  ...preconditionErrors,
]

/**
 * ReplaceItem: the payload replaces the whole item. Creates the item if the model allows `upsert`.
 */
export function replaceItem(input: PayloadOperationInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    await lockForLinks(transaction, input, {
      change: 'replace',
      replacesItem: true,
      check: (item) => preconditionCheck(transaction, input)(item),
    })
    const isNew = input.view.model.allowsUpsert && !(await itemExists(transaction, input))
    return isNew ? createWithId(transaction, input) : changeExisting(transaction, input, 'replace')
  })
}

/**
 * An item that the caller may see, but not replace, exists too: nothing can be created in its
 * place.
 */
async function itemExists(
  transaction: UnitOfWork,
  { view, plan, guards, context }: PayloadOperationInput,
): Promise<boolean> {
  const { model } = view
  if (await transaction.find(model, plan.condition)) return true
  const visible = andAlso(guards.readCondition(model, context), idEquals(context.id!))
  return (await transaction.find(model, visible)) !== undefined
}

async function createWithId(
  transaction: UnitOfWork,
  sentInput: PayloadOperationInput,
): Promise<OperationResult> {
  const input = withServiceMembers(sentInput)
  refuseOtherId(input)
  refuseUnusableId(input)
  const id = input.context.id!
  const guarded = await checkGuardedMembers(transaction, sentInput, undefined)
  const problems = [
    ...guarded.problems,
    ...(await readOnlyInverseProblems(transaction, input, undefined)),
  ]
  const members = await completeNewItem(transaction, input, id, problems)
  checkPreconditions(input, undefined)
  const item = await storeNewItem(transaction, input, { ...members, id }, guarded.outcome)
  return { kind: 'created', item }
}
