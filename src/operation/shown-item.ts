import { maskedNames, withoutMembers } from '../access/mask-items.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { OperationInput } from './operation-input.ts'

/** The item as the caller of the operation sees it, whose version is in the tags that it has. */
export async function shownItem(
  reader: StoreReader,
  input: Pick<OperationInput, 'guards' | 'view' | 'context'>,
  item: StoredItem,
): Promise<StoredItem> {
  return (await seenItem(reader, input, item)).shown
}

/** The same, with the names of the fields that the caller does not see in this item. */
export async function seenItem(
  reader: StoreReader,
  input: Pick<OperationInput, 'guards' | 'view' | 'context'>,
  item: StoredItem,
): Promise<{ readonly shown: StoredItem; readonly masked: ReadonlySet<string> }> {
  const { guards, view, context } = input
  if (!guards.fields.hasMasks(view.model)) return { shown: item, masked: noNames }
  const masks = guards.fields.masksOf(view.model, context)
  const [masked] = await maskedNames(reader, view.model, [item], masks)
  return { shown: withoutMembers(view.model, item, masked!), masked: new Set(masked) }
}

const noNames: ReadonlySet<string> = new Set()
