import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso } from '../../query/conditions.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { OperationInput } from '../operation-input.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeItem, changeItemErrors } from './change-item.ts'
import { changeRulesOutcome } from './change-rules.ts'
import { checkOutcome, checkOutcomeErrors } from './check-outcome.ts'

export const changeGuardedItemErrors: readonly ErrorCode[] = [
  ...changeItemErrors,
  ...checkOutcomeErrors,
]

/**
 * Writes the values for a client: query hooks and access rules check the written item.
 * @param changedFields those whose own rules hold
 * @param unseenChanges members that count as changed, because the caller does not see them
 * @throws ApiError `forbidden`
 */
export async function changeGuardedItem(
  transaction: UnitOfWork,
  input: Pick<OperationInput, 'guards' | 'context'>,
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  payload?: ItemPayload,
  changedFields: readonly string[] = [],
  unseenChanges?: ReadonlySet<string>,
): Promise<StoredItem> {
  const rulesOutcome = await changeRulesOutcome(
    transaction,
    input,
    model,
    storedItem,
    changedFields,
  )
  const item = await changeItem(transaction, model, storedItem, values, payload, {
    ...(unseenChanges && { unseenChanges }),
  })
  if (item !== storedItem)
    await checkOutcome(
      transaction,
      andAlso(input.guards.outcomeCondition(model, input.context, item.id), rulesOutcome),
      model,
      item,
    )
  return transaction.latest(model, item)
}
