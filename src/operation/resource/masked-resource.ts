import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ResourceOperationInput } from '../operation-input.ts'
import { itemsWithMasked } from '../shown-item.ts'

/** Does the caller not see the field of the resource? Then no answer depends on what it holds. */
export async function isMaskedResource(
  reader: StoreReader,
  input: ResourceOperationInput,
  item: StoredItem,
): Promise<boolean> {
  const { name } = input.resourceTarget.path.itemField
  return (await itemsWithMasked(reader, input, input.view.model, [item], name)).has(item.id)
}
