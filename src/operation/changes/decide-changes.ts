import { withoutMembers } from '../../access/mask-items.ts'
import { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ChangeEntry, LoggedAt, LoggedChange } from '../../store/change-log.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { affectedIds } from './affected-items.ts'
import type { FollowedList } from './followed-list.ts'
import { type ItemViews, itemViews } from './item-view.ts'
import { type MovesByTime, movesByTime } from './moves-by-time.ts'
import type { PastSource, PastStates } from './past-states.ts'

/** A change of a list, as its caller sees it. Items have only members that the caller may see. */
export type VisibleChange = {
  readonly model: ModelDescription
  readonly id: string
  /** In the log. */
  readonly position: string
  readonly transaction: string
} & (
  | { readonly kind: 'create'; readonly item: StoredItem }
  /** What the caller sees of both may be the same, unless it has to be sent anyway. */
  | {
      readonly kind: 'update'
      readonly before: StoredItem
      readonly item: StoredItem
      /** Do their links differ, or may the client have another state of it? */
      readonly isSent: boolean
    }
  /** It may exist, and be in the list no longer. */
  | { readonly kind: 'delete' }
)

/** Where a list and its past are decided. */
interface Deciding {
  readonly list: FollowedList
  readonly past: PastStates
  readonly views: ItemViews
  readonly moves: MovesByTime | undefined
  readonly slice: TimeSlice
}

type Entry = LoggedChange & LoggedAt

/**
 * What a caller sees of changes, by what was before and what is after: a change that moves an item
 * into the list creates it, and one that moves it out deletes it. Related items are those of the
 * same time.
 * @param sinceMs the time whose rules decided which items the client has
 * @returns undefined where an item moves that does not change, or where that cannot be known; so
 * too where time has moved an item out of the list that changed since
 */
export async function decideChanges(
  list: FollowedList,
  entries: readonly ChangeEntry[],
  sinceMs: number,
  past: PastStates,
  call: StoreCall,
): Promise<readonly VisibleChange[] | undefined> {
  const views = itemViews(list)
  const moves = movesByTime(list, sinceMs)
  const decided = await past.settle(async (before) => {
    const deciding = { list, past, views, moves, slice: new TimeSlice(call) }
    const visible: VisibleChange[] = []
    for (const [index, entry] of entries.entries()) {
      if (entry.kind === 'erased') continue
      // A position may stand between any two changes, so each is decided on its own.
      const sources = [before(index), before(index + 1)] as const
      if (entry.model === list.model.name) {
        const own = ownChange(deciding, entry, sources)
        if (!own) return 'moved'
        visible.push(...own)
      }
      if (await movesOthers(deciding, entry, sources)) return 'moved'
      if (deciding.slice.isOver) await deciding.slice.yieldToEventLoop()
    }
    return visible
  })
  return decided === 'moved' ? undefined : decided
}

type Sources = readonly [before: PastSource, after: PastSource]

/** What the list shows of a change of one of its items; undefined where nobody knows. */
function ownChange(
  deciding: Deciding,
  { id, position, transaction, before, after }: Entry,
  [earlier, later]: Sources,
): readonly VisibleChange[] | undefined {
  const { list, past, views, moves } = deciding
  const { model, dependencies } = list
  const shared = { model, id, position, transaction }
  const old = before ? past.valuesOf(model, before) : undefined
  const item = after ? past.valuesOf(model, after) : undefined
  if (old && hasLeft(deciding, old, earlier)) return undefined
  const wasListed = old !== undefined && isListed(deciding, old, earlier)
  if (!after || !item || !isListed(deciding, item, later))
    return wasListed ? [{ ...shared, kind: 'delete' }] : []
  const shown = withoutMembers(model, after, views.hiddenNames(item, later))
  if (!before || !wasListed) return [{ ...shared, kind: 'create', item: shown }]
  const mayLinkOthers =
    dependencies.has(model.name) || views.linkedIds(old) !== views.linkedIds(item)
  return [
    {
      ...shared,
      kind: 'update',
      before: withoutMembers(model, before, views.hiddenNames(old, earlier)),
      item: shown,
      isSent:
        moves?.isShownMoved(old, earlier) ||
        (mayLinkOthers && views.linksOf(old, earlier) !== views.linksOf(item, later)),
    },
  ]
}

type Item = Parameters<ItemViews['isListed']>

/** Does the client have it by the rules of then, and may it still see it by those of now? */
function isListed({ views, moves }: Deciding, ...item: Item): boolean {
  return views.isListed(...item) && (moves?.wasListed(...item) ?? true)
}

/** Has time moved it out of the list, since the client knew it? */
function hasLeft({ views, moves }: Deciding, ...item: Item): boolean {
  return moves?.wasListed(...item) === true && !views.isListed(...item)
}

/** Does a change move other items in or out of the list, or change what the caller sees of them? */
async function movesOthers(
  deciding: Deciding,
  entry: Entry,
  [earlier, later]: Sources,
): Promise<boolean> {
  const { list, views, moves, slice } = deciding
  for (const id of affectedIds(list.dependencies, entry, [earlier, later])) {
    if (id === entry.id && entry.model === list.model.name) continue
    const values = earlier.get(list.model, id)
    if (!values) continue
    if (hasLeft(deciding, values, earlier)) return true
    const wasListed = isListed(deciding, values, earlier)
    if (wasListed !== isListed(deciding, values, later)) return true
    if (wasListed && moves?.isShownMoved(values, earlier)) return true
    if (wasListed && shownOf(views, values, earlier) !== shownOf(views, values, later)) return true
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  return false
}

function shownOf(views: ItemViews, ...item: Item): string {
  return `${views.hiddenNames(...item).join()}\n${views.linksOf(...item)}`
}
