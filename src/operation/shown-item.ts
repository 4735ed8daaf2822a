import { maskedNames, withoutMembers } from '../access/mask-items.ts'
import type { ModelDescription } from '../model/model-description.ts'
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

/** The ids of the items whose caller does not see one of their fields. */
export async function itemsWithMasked(
  reader: StoreReader,
  { guards, context }: Pick<OperationInput, 'guards' | 'context'>,
  model: ModelDescription,
  items: readonly StoredItem[],
  name: string,
): Promise<ReadonlySet<string>> {
  if (!guards.fields.hasMasks(model)) return noNames
  const masks = guards.fields.masksOf(model, context).filter((mask) => mask.name === name)
  const masked = await maskedNames(reader, model, items, masks)
  return new Set(items.filter((_, index) => masked[index]!.length > 0).map(({ id }) => id))
}

const noNames: ReadonlySet<string> = new Set()
