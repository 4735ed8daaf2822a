import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { itemSizeErrors } from '../../store/item-size-limit.ts'
import type { StoreTransaction, WriteOptions } from '../../store/store.ts'
import { createStoredItem, hasSameContent } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { isKeyChange, keyChange, writeOutcomeErrors, writtenItem } from './write-outcome.ts'

export const changeItemErrors: readonly ErrorCode[] = [...writeOutcomeErrors, ...itemSizeErrors]

export interface ChangeOptions extends WriteOptions {
  /** Does the item get a new version in any case? Default: false. */
  readonly isNewVersion?: boolean
}

/**
 * Writes the values, unless they equal the stored ones: the version stays then.
 */
export async function changeItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  storedItem: StoredItem,
  values: StoredValues,
  payload?: ItemPayload,
  { isNewVersion = false, ...options }: ChangeOptions = {},
): Promise<StoredItem> {
  const item = createStoredItem(model, values, storedItem.revision + 1)
  if (!isNewVersion && hasSameContent(item, storedItem)) return storedItem
  const outcome = await transaction.replace(model, item, options)
  if (outcome.kind === 'exists') throw new Error('A replacement cannot take an id.')
  if (outcome.kind === 'refused' && isKeyChange(model, outcome.fields))
    throw keyChange(model, outcome.fields, payload)
  return writtenItem(model, outcome, payload)
}
