import type { Context } from '../../context/context.ts'
import type { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { ChangeEntry } from '../../store/change-log.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { FeedInput } from '../operation-input.ts'
import type { LogPart } from './change-feed.ts'
import { decideChanges, type VisibleChange } from './decide-changes.ts'
import type { FollowedList } from './followed-list.ts'
import { hasMovedSince } from './has-moved-since.ts'
import { invalidPosition, invalidPositionErrors } from './invalid-position.ts'
import { PastStates } from './past-states.ts'
import type { ReadTransactions } from './read-transactions.ts'

export const partReaderErrors: readonly ErrorCode[] = [...invalidPositionErrors]

/** What follows a position, as its caller sees it. */
export type ChangesPart =
  | {
      readonly kind: 'changes'
      /** Those of one transaction stand together. */
      readonly changes: readonly VisibleChange[]
      /** The position after them, in the log. */
      readonly next: string
      readonly isEnd: boolean
      /** The last transaction may go on after them. */
      readonly isOpen?: boolean | undefined
    }
  /** Nobody can tell what changed: the list has to be read again, and then what follows `next`. */
  | { readonly kind: 'reset'; readonly next: string }
  /** The log no longer has what follows the position. */
  | { readonly kind: 'expired' }
  /** The position is of another log, which a backup or a new name has replaced. */
  | { readonly kind: 'unknown'; readonly error: ApiError }

/** Reads the changes of lists, one part after the other. */
export class PartReader {
  readonly #input: FeedInput
  readonly #lists: readonly FollowedList[]
  /** The time whose rules decide which items the client has: that of its position at first. */
  #timeMs: number
  /** The position from which on that is now. */
  #nowFrom: string | undefined

  constructor(input: FeedInput, lists: readonly FollowedList[], timeMs: number) {
    this.#input = input
    this.#lists = lists
    this.#timeMs = timeMs
  }

  /** The time whose rules decide which items a client has that has read up to a position. */
  timeMsAt(position: string): number {
    return position === this.#nowFrom ? this.#nowMs : this.#timeMs
  }

  get #nowMs(): number {
    return this.#input.context.now.getTime()
  }

  async read(
    after: string | undefined,
    readNext: () => Promise<ReadTransactions>,
  ): Promise<ChangesPart> {
    const { feed } = this.#input
    if (after !== undefined) this.#timeMs = this.timeMsAt(after)
    const read = await readNext()
    if (read.kind === 'unknown') return { kind: 'unknown', error: invalidPosition(this.#input) }
    if (read.kind === 'expired') return read
    const { entries, next, isEnd, isOpen } = read
    const part = { after, entries, next }
    const changes: VisibleChange[] = []
    for (const list of this.#lists) {
      const ofList = await changesOfList(this.#input, list, this.#timeMs, part)
      // The client reads all lists again, so what happened until now is of no use.
      if (!ofList) {
        this.#timeMs = this.#nowMs
        return { kind: 'reset', next: await feed.end() }
      }
      changes.push(...ofList)
    }
    if (isEnd) await this.#moveOn(part)
    const ordered = this.#lists.length > 1 ? inOrder(changes, entries) : changes
    return { kind: 'changes', changes: ordered, next, isEnd, isOpen }
  }

  /**
   * At the end of the log, unless time moves an item that has just changed, or a change is still to
   * come whose item time may have moved before.
   */
  async #moveOn(part: LogPart): Promise<void> {
    if (this.#timeMs === this.#nowMs) return
    if (await hasMovedSince(this.#input, this.#lists, this.#timeMs)) return
    // Read after the items, so that it has what has changed them since.
    const following = await this.#input.feed.following(part)
    if (following?.count === 0) this.#nowFrom = part.next
  }
}

/** Undefined where nobody can tell what changed in the list. */
async function changesOfList(
  { feed, reader }: FeedInput,
  list: FollowedList,
  sinceMs: number,
  part: LogPart,
): Promise<readonly VisibleChange[] | undefined> {
  const { model, dependencies, context } = list
  const { entries } = part
  const matters = (entry: ChangeEntry) =>
    entry.model === model.name || dependencies.decidedBy(entry).length > 0
  if (!entries.some(matters)) return []
  if (entries.some((entry) => entry.kind === 'erased' && matters(entry))) return undefined
  const deciding = [model, ...dependencies.models].map(({ name }) => name)
  const call = callToPrimary(context)
  const past = new PastStates({
    reader,
    call,
    entries,
    async readFollowing() {
      const following = await feed.following(part)
      return following?.hasErased(deciding) ? undefined : following
    },
  })
  return decideChanges(list, entries, sinceMs, past, call)
}

/** A replica may be behind the log, and states before it cannot be found. */
function callToPrimary({ signal, client, caller, now, state }: Context): StoreCall {
  return { signal, client, caller, now, state }
}

/** The changes of several lists, as they stand in the log. */
function inOrder(
  changes: readonly VisibleChange[],
  entries: readonly ChangeEntry[],
): readonly VisibleChange[] {
  const indexes = new Map(entries.map(({ position }, index) => [position, index]))
  return [...changes].sort(
    (one, other) => indexes.get(one.position)! - indexes.get(other.position)!,
  )
}
