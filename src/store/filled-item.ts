import type { OldItem } from '../model/declare/backfill.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { blobKeysMember } from '../stored-item/item-resources.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { storedNames } from '../stored-item/stored-names.ts'
import { withHiddenMembers } from '../stored-item/undeclared-members.ts'
import { type BackfillField, backfillValue } from './backfill.ts'

/**
 * The item with the values of backfills among its hidden members, where a migration finds them. The
 * item itself if it has all of them.
 *
 * @param renewed the wire names of fields whose values among the hidden members are made again
 */
export async function filledItem(
  model: ModelDescription,
  fields: readonly BackfillField[],
  filledBefore: StoredItem,
  renewed: ReadonlySet<string> = new Set(),
): Promise<StoredItem> {
  const item = withoutHidden(filledBefore, renewed)
  const stored = storedMembers(item)
  const old = oldItemOf(model, item.id, stored)
  const members: Record<string, unknown> = {}
  for (const field of fields) {
    if (storedNames(model, field).some((name) => Object.hasOwn(stored, name))) continue
    const value = await backfillValue(model, field, old)
    if (value !== undefined) members[field.wireName] = value
  }
  return Object.keys(members).length === 0
    ? item
    : withHiddenMembers(item, { members, blobKeys: {} })
}

function withoutHidden(item: StoredItem, names: ReadonlySet<string>): StoredItem {
  if (item.hiddenText === null || names.size === 0) return item
  const members = Object.entries(JSON.parse(item.hiddenText))
  const kept = members.filter(([name]) => !names.has(name))
  if (kept.length === members.length) return item
  const { id, text, relationsOffset, hash, revision } = item
  const hiddenText = kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept))
  return { id, text, relationsOffset, hash, revision, hiddenText }
}

/** All members of a stored item, whatever model wrote it, by the names in its text. */
function storedMembers({
  text,
  hiddenText,
}: Pick<StoredItem, 'text' | 'hiddenText'>): Readonly<Record<string, unknown>> {
  const hidden = hiddenText === null ? {} : JSON.parse(hiddenText)
  const { id: _, [blobKeysMember]: __, ...members } = { ...hidden, ...JSON.parse(text) }
  return members
}

/** The members by the names that they have in the model, if it declares them, or did (`was`). */
function oldItemOf(
  model: ModelDescription,
  id: string,
  members: Readonly<Record<string, unknown>>,
): OldItem {
  const names = new Map<string, string>()
  for (const field of [...model.valueFields, ...model.ownedRelations, ...model.resourceFields]) {
    const storedName = storedNames(model, field).find((name) => Object.hasOwn(members, name))
    if (storedName !== undefined) names.set(storedName, field.name)
  }
  const entries = Object.entries(members).map(([name, value]) => [names.get(name) ?? name, value])
  return { ...Object.fromEntries(entries), id }
}
