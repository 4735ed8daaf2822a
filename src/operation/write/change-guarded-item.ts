import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { OperationInput } from '../operation-input.ts'
import { latestItem } from '../write-hooks/remembered-items.ts'
import { changeItem, changeItemErrors } from './change-item.ts'
import { checkOutcome, checkOutcomeErrors } from './check-outcome.ts'

export const changeGuardedItemErrors: readonly ErrorCode[] = [
  ...changeItemErrors,
  ...checkOutcomeErrors,
]

/**
 * Writes the values for a client: query hooks check the written item.
 * @throws ApiError `forbidden`
 */
export async function changeGuardedItem(
  transaction: StoreTransaction,
  input: Pick<OperationInput, 'guards' | 'context'>,
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  payload?: ItemPayload,
): Promise<StoredItem> {
  const item = await changeItem(transaction, model, storedItem, values, payload)
  if (item !== storedItem)
    await checkOutcome(
      transaction,
      input.guards.outcomeCondition(model, input.context, item.id),
      model,
      item,
    )
  return latestItem(transaction, model, item)
}
