import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { OperationInput } from './operation-input.ts'

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

export function missingItemDetail(modelName: string, id: string): string {
  return `There is no ${modelName} with the id '${truncate(id, 128)}'.`
}
