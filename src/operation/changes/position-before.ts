import type { Condition } from '../../query/query-plan.ts'
import type { ChangeFeed } from './change-feed.ts'
import { bindingOf, type FollowedParts, rightsOf } from './followed-list.ts'

/** The items of which a response says where to follow their changes. */
export interface AnnouncedParts extends FollowedParts {
  readonly feed: ChangeFeed
  /** The filter of the client. */
  readonly clientCondition: Condition
}

/**
 * `Changes-Position`: where the log ends before the items are read, so that a client that reads on
 * from there misses nothing.
 */
export async function positionBefore(parts: AnnouncedParts): Promise<string> {
  const { feed, view, clientCondition, context } = parts
  const logged = await feed.knownEnd()
  return feed.positions.seal({
    logged,
    binding: bindingOf(view.model.name, clientCondition, context.caller),
    rights: rightsOf(parts),
    timeMs: context.now.getTime(),
  })
}
