import { type ApiError, refusal } from '../error/api-error.ts'
import { shortened } from '../error/shortened.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import type { Job } from './job.ts'

/**
 * The one door to an item. An item that the caller may not see is missing in the same words as one that does not exist.
 * @throws ApiError `not-found`
 */
export function findItem(reader: StoreReader, { view, plan, context }: Job): Promise<StoredItem> {
  return reader.find(view.model, plan.condition).then((item) => {
    if (item) return item
    throw notFound(view.model.name, context.id!)
  })
}

function notFound(model: string, id: string): ApiError {
  return refusal('not-found', `There is no ${model} with the id '${shortened(id, 128)}'.`)
}
