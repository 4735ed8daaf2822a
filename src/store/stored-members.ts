import type { OldItem } from '../model/declare/backfill.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { blobKeysMember } from '../stored-item/item-resources.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** All members of a stored item, whatever model wrote it, by the names in its text. */
export function storedMembers({
  text,
  hiddenText,
}: Pick<StoredItem, 'text' | 'hiddenText'>): Readonly<Record<string, unknown>> {
  const hidden = hiddenText === null ? {} : JSON.parse(hiddenText)
  const { id: _, [blobKeysMember]: __, ...members } = { ...hidden, ...JSON.parse(text) }
  return members
}

/** The members by the names that they have in the model, if it declares them. */
export function oldItemOf(
  { fieldsByWireName }: ModelDescription,
  id: string,
  members: Readonly<Record<string, unknown>>,
): OldItem {
  const entries = Object.entries(members).map(([wireName, value]) => [
    fieldsByWireName.get(wireName)?.name ?? wireName,
    value,
  ])
  return { ...Object.fromEntries(entries), id }
}
