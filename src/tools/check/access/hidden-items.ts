import type { CallerView } from './caller-view.ts'
import { type ComparedCollection, itemTarget } from './compared-items.ts'
import { missingIds } from './missing-ids.ts'

/** An item that one caller sees, and another one does not. */
export interface HiddenItem {
  readonly collection: ComparedCollection
  readonly id: string
  readonly target: string
  /** Does not see the item. */
  readonly view: CallerView
  /** Sees the item. */
  readonly seenBy: CallerView
  /** The ETag that this caller got. */
  readonly tag: string | undefined
  /** Is it 404 for the first caller, or may it be refused as a whole collection is? */
  readonly isMissing: boolean
}

/** A hidden item, with ids of no items to compare responses with. */
export interface ProbedItem extends HiddenItem {
  readonly missing: readonly [string, string]
}

/** Statuses of items that a caller does not see. */
const hiddenStatuses = new Set([401, 403, 404])

export function hiddenItems(
  views: readonly CallerView[],
  collections: readonly ComparedCollection[],
): readonly HiddenItem[] {
  return collections.flatMap((collection) =>
    [...collection.items].flatMap(([id, responses]) => {
      const seenBy = views.find((view) => responses.get(view)?.status === 200)
      if (!seenBy) return []
      const tag = responses.get(seenBy)?.headers.etag
      const target = itemTarget(collection.path, id)
      return views
        .filter((view) => hiddenStatuses.has(responses.get(view)!.status))
        .map((view) => {
          const isMissing = responses.get(view)!.status === 404
          return { collection, id, target, view, seenBy, tag, isMissing }
        })
    }),
  )
}

/** How many hidden items of each collection and caller the check probes. */
const maxProbedItems = 2

export async function probedItems(
  views: readonly CallerView[],
  hidden: readonly HiddenItem[],
): Promise<readonly ProbedItem[]> {
  const probed: ProbedItem[] = []
  for (const item of hidden) {
    const { collection, view } = item
    const others = probed.filter((each) => each.collection === collection && each.view === view)
    if (others.length >= maxProbedItems) continue
    const missing = await missingIds(views, collection, item.id)
    if (missing) probed.push({ ...item, missing })
  }
  return probed
}
