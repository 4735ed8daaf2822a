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
 * Sets `Changes-Position`: where the log ended before the items are read, so that a client that
 * reads on from there misses nothing.
 */
export async function announcePosition(parts: AnnouncedParts): Promise<void> {
  const { feed, view, clientCondition, context } = parts
  const logged = await feed.knownEnd()
  const position = feed.positions.seal({
    logged,
    binding: bindingOf(view.model.name, clientCondition, context.caller),
    rights: rightsOf(parts),
    timeMs: context.now.getTime(),
  })
  context.setHeader('changes-position', position)
}
