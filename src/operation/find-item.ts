import { refusalsOf } from '../error/refusals.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { missingItemDetail } from './missing-item-detail.ts'
import type { OperationInput } from './operation-input.ts'

export const findItemErrors = ['not-found'] as const

const { createApiError } = refusalsOf(findItemErrors)

/**
 * Finds the item in the path. An item that the caller may not see is reported like one that does
 * not exist.
 * @throws ApiError `not-found`
 */
export function findItem(
  reader: StoreReader,
  { view, plan, context }: OperationInput,
): Promise<StoredItem> {
  return reader.find(view.model, plan.condition).then((item) => {
    if (item) return item
    throw createApiError('not-found', missingItemDetail(view.model.name, context.id!))
  })
}
