import type {
  SharedPart,
  SharedReader,
  SharedWaits,
} from '../../../operation/changes/change-feed.ts'
import { GroupMember } from './group-member.ts'
import type { FollowedTail } from './log-tail.ts'
import { SharedParts } from './shared-parts.ts'
import { WaitingGroup } from './waiting-group.ts'

/** Those who wait for the same at the same position, in groups. */
export class WaitingGroups {
  readonly #tail: FollowedTail
  /** By key, then by position: both texts are long, and thousands look them up at once. */
  readonly #groups = new Map<string, Map<string, WaitingGroup>>()
  readonly #parts = new SharedParts()

  constructor(tail: FollowedTail) {
    this.#tail = tail
  }

  member<P extends SharedPart>(key: string, reader: SharedReader<P>): SharedWaits {
    return new GroupMember(reader, (member, after) => this.#add(member, key, after))
  }

  /** Something in the log was erased. */
  forget(): void {
    this.#parts.forget()
  }

  /** Ends all waits of now. */
  end(): void {
    const all = [...this.#groups.values()].flatMap((ofKey) => [...ofKey.values()])
    for (const group of all) group.end()
  }

  #add(member: GroupMember, key: string, after: string): void {
    const known = this.#groups.get(key)?.get(after)
    if (known) known.add(member)
    else this.#begin(member, key, after)
  }

  #begin(member: GroupMember, key: string, after: string): void {
    const group = new WaitingGroup({
      tail: this.#tail,
      parts: this.#parts,
      key,
      after,
      moved: (to) => this.#move(group, to),
      left: () => this.#remove(group),
    })
    this.#set(group, after)
    group.add(member)
    // Those who got the same before join it meanwhile.
    void group.run(member.takenMs + this.#tail.restMs - performance.now())
  }

  /** @returns the group that waits there already, if there is one */
  #move(group: WaitingGroup, after: string): WaitingGroup | undefined {
    this.#remove(group)
    const known = this.#groups.get(group.key)?.get(after)
    if (!known) this.#set(group, after)
    return known
  }

  #set(group: WaitingGroup, after: string): void {
    const ofKey = this.#groups.get(group.key)
    if (ofKey) ofKey.set(after, group)
    else this.#groups.set(group.key, new Map([[after, group]]))
  }

  #remove(group: WaitingGroup): void {
    const ofKey = this.#groups.get(group.key)
    if (ofKey?.get(group.after) !== group) return
    ofKey.delete(group.after)
    if (ofKey.size === 0) this.#groups.delete(group.key)
  }
}
