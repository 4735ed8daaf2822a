import { withoutMembers } from '../../access/mask-items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { anyOf } from '../../query/conditions.ts'
import type { LoggedAt, LoggedChange } from '../../store/change-log.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { FollowedList } from './followed-list.ts'
import { satisfiedBy } from './satisfied-by.ts'

/** A change of a list, as its caller sees it. Items have only members that the caller may see. */
export type VisibleChange = {
  readonly model: ModelDescription
  readonly id: string
  /** In the log. */
  readonly position: string
  readonly transaction: string
} & (
  | { readonly kind: 'create'; readonly item: StoredItem }
  /** What the caller sees of both may be the same. */
  | { readonly kind: 'update'; readonly before: StoredItem; readonly item: StoredItem }
  /** It may exist, and be in the list no longer. */
  | { readonly kind: 'delete' }
)

/** What decides about past items. */
export interface PastItems {
  /** Reads whole items. */
  readonly reader: StoreReader
  readonly call: StoreCall
}

type Entry = LoggedChange & LoggedAt

/**
 * What a caller sees of changes of one model, by what was before and what is after: a change that
 * moves an item into the list creates it, and one that moves it out deletes it.
 * @param sinceMs when the client last knew which items are in the list
 */
export async function decideChanges(
  list: FollowedList,
  entries: readonly Entry[],
  sinceMs: number,
  past: PastItems,
): Promise<readonly VisibleChange[]> {
  const before = await itemsOf(entries, 'before', list, past, sinceMs)
  const after = await itemsOf(entries, 'after', list, past, undefined)
  return entries.flatMap((entry, index): readonly VisibleChange[] => {
    const { id, position, transaction } = entry
    const shared = { model: list.model, id, position, transaction }
    const [old, item] = [before[index], after[index]]
    if (item)
      return [
        old
          ? { ...shared, kind: 'update', before: old, item }
          : { ...shared, kind: 'create', item },
      ]
    return old ? [{ ...shared, kind: 'delete' }] : []
  })
}

/** One side of each change; undefined where it is not in the list. */
async function itemsOf(
  entries: readonly Entry[],
  side: 'before' | 'after',
  { model, condition, conditionAt, masks }: FollowedList,
  { reader, call }: PastItems,
  sinceMs: number | undefined,
): Promise<readonly (StoredItem | undefined)[]> {
  const indexes: number[] = []
  const items: StoredItem[] = []
  for (const [index, entry] of entries.entries()) {
    const item = entry[side]
    if (!item) continue
    indexes.push(index)
    items.push(item)
  }
  // Rules may have let the client see the item when it last asked, and not now.
  const inList = sinceMs === undefined ? condition : eitherOf(condition, conditionAt(sinceMs))
  const areVisible = await satisfiedBy(reader, model, items, inList, call)
  const hidden = items.map((): string[] => [])
  for (const mask of masks) {
    const shows = await satisfiedBy(reader, model, items, mask.condition, call)
    for (const [index, isShown] of shows.entries()) if (!isShown) hidden[index]!.push(mask.name)
  }
  const sides = entries.map((): StoredItem | undefined => undefined)
  for (const [index, item] of items.entries())
    if (areVisible[index]) sides[indexes[index]!] = withoutMembers(model, item, hidden[index]!)
  return sides
}

function eitherOf(condition: FollowedList['condition'], other: FollowedList['condition']) {
  return condition === other ? condition : anyOf([condition, other])
}
