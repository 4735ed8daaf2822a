import { setTimeout as pause } from 'node:timers/promises'
import type { ChangeWait, SharedPart } from '../../../operation/changes/change-feed.ts'
import type { GroupMember } from './group-member.ts'
import type { FollowedTail } from './log-tail.ts'
import type { SharedParts } from './shared-parts.ts'

interface GroupPlace {
  readonly tail: FollowedTail
  readonly parts: SharedParts
  /** Of what its members wait for. */
  readonly key: string
  /** A position in the log. */
  readonly after: string
  /** @returns a group that waits at the new position already */
  moved(after: string): WaitingGroup | undefined
  /** Nobody waits in it any more. */
  left(): void
}

/**
 * Those who wait for the same at one position. Changes that they do not see move all of them on
 * without waking any.
 */
export class WaitingGroup {
  readonly key: string
  readonly #place: GroupPlace
  readonly #members = new Set<GroupMember>()
  #after: string
  #wait: ChangeWait | undefined

  constructor(place: GroupPlace) {
    this.key = place.key
    this.#place = place
    this.#after = place.after
  }

  get after(): string {
    return this.#after
  }

  add(member: GroupMember): void {
    member.group = this
    this.#members.add(member)
  }

  /** Also while its members are given something: the one who leaves does not get it. */
  remove(member: GroupMember): void {
    this.#members.delete(member)
    if (this.#members.size === 0) this.#leave()
  }

  end(): void {
    for (const member of [...this.#members]) member.end()
  }

  /** Reads until there is something for its members, after a rest. */
  async run(restMs: number): Promise<void> {
    if (restMs > 0) await pause(restMs, undefined, { ref: false })
    while (this.#members.size > 0) {
      const { tail, parts } = this.#place
      const { arrivals } = tail
      const { erasures } = parts
      const part = await this.#read(arrivals)
      // The last one may have left meanwhile: nobody may find a group that does not read on.
      if (!part || this.#members.size === 0 || erasures !== parts.erasures) continue
      if (part.text !== '') return this.#deliver(part, erasures)
      if (part.next !== this.#after) {
        const other = this.#place.moved(part.next)
        this.#after = part.next
        if (other) return this.#moveTo(other)
      }
      if (!part.isEnd) continue
      this.#wait = tail.wait(arrivals, maxWaitMs)
      await this.#wait.ended
    }
  }

  /** For all of them by the first one, who may leave meanwhile. */
  async #read(arrivals: number): Promise<SharedPart | undefined> {
    const [member] = this.#members
    const read = () => member!.read(this.#after)
    try {
      // Whoever reads it for others may have left, so a failure may be theirs alone.
      return await this.#place.parts.get(arrivals, `${this.key} ${this.#after}`, read).catch(read)
    } catch (error) {
      if (this.#members.has(member!)) member!.fail(error)
      return undefined
    }
  }

  #moveTo(other: WaitingGroup): void {
    for (const member of this.#members) other.add(member)
  }

  #deliver(part: SharedPart, erasures: number): void {
    const { parts, tail } = this.#place
    this.#place.left()
    tail.deliveries.add(this.#members, (member) => {
      if (erasures === parts.erasures) member.take(part)
      // It reads again from where it is.
      else member.end()
    })
  }

  #leave(): void {
    this.#place.left()
    this.#wait?.end()
  }
}

/** Members end by themselves. */
const maxWaitMs = 2 ** 31 - 1
