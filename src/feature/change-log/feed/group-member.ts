import type {
  SharedPart,
  SharedReader,
  SharedWaits,
} from '../../../operation/changes/change-feed.ts'

/** Where a member waits. */
interface Group {
  remove(member: GroupMember): void
}

/** One who waits in a group, then in another one: nothing is made for each wait. */
export class GroupMember implements SharedWaits {
  /** Undefined while it does not wait. */
  group: Group | undefined
  /** When it got all that was there, in the time of `performance.now`. */
  takenMs: number = Number.NEGATIVE_INFINITY
  readonly #reader: SharedReader<SharedPart>
  readonly #join: (member: GroupMember, after: string) => void

  constructor(
    reader: SharedReader<SharedPart>,
    join: (member: GroupMember, after: string) => void,
  ) {
    this.#reader = reader
    this.#join = join
  }

  waitAfter(after: string): void {
    this.#join(this, after)
  }

  end(): void {
    if (this.#leave()) this.#reader.take(undefined)
  }

  read(after: string): Promise<SharedPart> {
    return this.#reader.read(after)
  }

  take(part: SharedPart): void {
    this.group = undefined
    this.takenMs = part.isEnd ? performance.now() : Number.NEGATIVE_INFINITY
    this.#reader.take(part)
  }

  fail(error: unknown): void {
    if (this.#leave()) this.#reader.fail(error)
  }

  #leave(): boolean {
    const { group } = this
    this.group = undefined
    group?.remove(this)
    return group !== undefined
  }
}
