import type { ChangeFeed, SharedPart, SharedWait } from '../../../operation/changes/change-feed.ts'
import type { Deliveries } from './deliveries.ts'
import { SharedParts } from './shared-parts.ts'
import { WaitingGroup } from './waiting-group.ts'

/** Those who wait for the same at the same position, in groups. */
export class SharedWaits {
  readonly #feed: Pick<ChangeFeed, 'arrivals' | 'wait'>
  readonly #groups = new Map<string, WaitingGroup>()
  readonly #parts = new SharedParts()
  readonly #deliveries: Deliveries

  constructor(feed: Pick<ChangeFeed, 'arrivals' | 'wait'>, deliveries: Deliveries) {
    this.#feed = feed
    this.#deliveries = deliveries
  }

  wait<P extends SharedPart>(
    key: string,
    after: string,
    read: (after: string) => Promise<P>,
  ): SharedWait<P> {
    const id = idOf(key, after)
    const known = this.#groups.get(id)
    if (known) return known.add(read)
    const group = new WaitingGroup({
      feed: this.#feed,
      parts: this.#parts,
      deliveries: this.#deliveries,
      key,
      after,
      moved: (to) => this.#move(group, to),
      left: () => this.#remove(group),
    })
    this.#groups.set(id, group)
    const wait = group.add(read)
    void group.run()
    return wait
  }

  /** Something in the log was erased. */
  forget(): void {
    this.#parts.clear()
  }

  /** Ends all waits of now. */
  end(): void {
    for (const group of [...this.#groups.values()]) group.end()
  }

  /** @returns the group that waits there already, if there is one */
  #move(group: WaitingGroup, after: string): WaitingGroup | undefined {
    this.#remove(group)
    const id = idOf(group.key, after)
    const known = this.#groups.get(id)
    if (!known) this.#groups.set(id, group)
    return known
  }

  #remove(group: WaitingGroup): void {
    const id = idOf(group.key, group.after)
    if (this.#groups.get(id) === group) this.#groups.delete(id)
  }
}

function idOf(key: string, after: string): string {
  return `${key} ${after}`
}
