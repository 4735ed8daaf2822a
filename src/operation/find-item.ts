import type { Context } from '../context/context.ts'
import { refusalsOf } from '../error/refusals.ts'
import { isSafe } from '../http/safe-method.ts'
import { toWords } from '../model/naming.ts'
import { narrowsItems } from '../model/narrows-items.ts'
import { andAlso, idEquals } from '../query/conditions.ts'
import { operations } from '../rule/operations.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { missingItemDetail } from './missing-item-detail.ts'
import type { OperationInput } from './operation-input.ts'

export const findItemErrors = ['not-found', 'forbidden'] as const

const { createApiError } = refusalsOf(findItemErrors)

/** Which item a request is about, and what the caller may see of it. */
export type FindItemInput = Pick<OperationInput, 'view' | 'context' | 'guards' | 'plan'>

/**
 * Finds the item in the path. An item that the caller may not see is reported like one that does
 * not exist.
 * @throws ApiError `not-found`, or `forbidden` for an item that the caller may see and not change
 */
export function findItem(reader: StoreReader, input: FindItemInput): Promise<StoredItem> {
  return reader
    .find(input.view.model, input.plan.condition)
    .then((item) => item ?? refuseMissing(reader, input))
}

async function refuseMissing(reader: StoreReader, input: FindItemInput): Promise<never> {
  const { name } = input.view.model
  if (await isVisible(reader, input))
    throw createApiError('forbidden', seenDetail(name, input.context))
  throw createApiError('not-found', missingItemDetail(name, input.context.id!))
}

function seenDetail(model: string, { action, rule }: Context): string {
  const item = toWords(model)
  if (action !== undefined) return `You may see this ${item}, but not call '${action}' on it.`
  if (operations[rule.operation].hooks.includes('restoreVersion'))
    return `You may see this ${item}, but not restore its versions.`
  if (isSafe(rule)) return `You may see this ${item}, but not its versions.`
  return operations[rule.operation].hooks.includes('delete_')
    ? `You may see this ${item}, but not delete it.`
    : `You may see this ${item}, but not change it.`
}

/** Would the caller get the item that the operation may not change? */
async function isVisible(
  reader: StoreReader,
  { view, guards, context }: FindItemInput,
): Promise<boolean> {
  const { operation, target } = context.rule
  const isGuarded =
    view.guardedChanges.has(operation) || (target.kind === 'action' && narrowsItems(target.action))
  if (!isGuarded) return false
  const id = context.id!
  const visible = guards.itemCondition(view.model, context, id)
  return (await reader.find(view.model, andAlso(visible, idEquals(id)))) !== undefined
}
