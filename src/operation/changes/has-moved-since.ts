import { allItemsPlan } from '../../query/query-plan.ts'
import type { FeedInput } from '../operation-input.ts'
import type { FollowedList } from './followed-list.ts'

/** Has the time moved items that did not change? */
export async function hasMovedSince(
  { reader }: FeedInput,
  lists: readonly FollowedList[],
  sinceMs: number,
): Promise<boolean> {
  for (const { context, changedByTime } of lists)
    for (const { model, condition } of changedByTime(sinceMs)) {
      const pageRange = { kind: 'offset', offset: 0, limit: 1 } as const
      const plan = { ...allItemsPlan, condition, pageRange }
      const { entries } = await reader.page(model, plan, context)
      if (entries.length > 0) return true
    }
  return false
}
