import { type ApiError, createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { OperationInput } from './operation-input.ts'

/**
 * The one door to an item. An item that the caller may not see is missing in the same words as one
 * that does not exist.
 * @throws ApiError `not-found`
 */
export function findItem(
  reader: StoreReader,
  { view, plan, context }: OperationInput,
): Promise<StoredItem> {
  return reader.find(view.model, plan.condition).then((item) => {
    if (item) return item
    throw notFound(view.model.name, context.id!)
  })
}

function notFound(model: string, id: string): ApiError {
  return createApiError('not-found', `There is no ${model} with the id '${truncate(id, 128)}'.`)
}
