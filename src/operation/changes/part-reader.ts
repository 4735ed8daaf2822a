import { type Context, contextAt } from '../../context/context.ts'
import type { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ChangeEntry } from '../../store/change-log.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { FeedInput, ListToFollow } from '../operation-input.ts'
import type { LogPart } from './change-feed.ts'
import { decideChanges, type VisibleChange } from './decide-changes.ts'
import { type FollowedList, followedList } from './followed-list.ts'
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

/** Time moves few items in less, and each look for them is a query. */
const minMoveMs = 1_000

/** Reads the changes of lists, one part after the other, each by the rules of its time. */
export class PartReader {
  readonly #input: FeedInput
  readonly #toFollow: readonly ListToFollow[]
  readonly #contexts = new Map<ModelDescription, Context>()
  #lists: readonly FollowedList[]
  /** The time whose rules decide which items the client has: that of its position at first. */
  #timeMs: number
  /** That of the lists. */
  #nowMs: number
  /** The client is at that time from this position on. */
  #nowFrom: string | undefined

  /** @param lists those that are followed, by the rules of the request */
  constructor(
    input: FeedInput,
    toFollow: readonly ListToFollow[],
    lists: readonly FollowedList[],
    timeMs: number,
  ) {
    this.#input = input
    this.#toFollow = toFollow
    this.#lists = lists
    this.#timeMs = timeMs
    this.#nowMs = input.context.now.getTime()
    this.#noteContexts()
  }

  /** Of the request for each list, at the time of the last part. */
  get contexts(): ReadonlyMap<ModelDescription, Context> {
    return this.#contexts
  }

  /** The time whose rules decide which items a client has that has read up to a position. */
  timeMsAt(position: string): number {
    return position === this.#nowFrom ? this.#nowMs : this.#timeMs
  }

  async read(
    after: string | undefined,
    readNext: () => Promise<ReadTransactions>,
  ): Promise<ChangesPart> {
    if (after !== undefined) this.#timeMs = this.timeMsAt(after)
    const read = await readNext()
    if (read.kind === 'unknown') return { kind: 'unknown', error: invalidPosition(this.#input) }
    if (read.kind === 'expired') return read
    // Whoever waits for changes may wait for minutes.
    this.#renew()
    const { entries, next, isEnd, isOpen } = read
    const part = { after, entries, next }
    const changes: VisibleChange[] = []
    for (const list of this.#lists) {
      const ofList = await changesOfList(this.#input, list, this.#timeMs, part)
      if (!ofList) return this.#reset()
      changes.push(...ofList)
    }
    if (isEnd && (await this.#moveOn(part)) === 'moved') return this.#reset()
    const ordered = this.#lists.length > 1 ? inOrder(changes, entries) : changes
    return { kind: 'changes', changes: ordered, next, isEnd, isOpen }
  }

  /** Decides by the rules of now. */
  #renew(): void {
    const now = this.#input.feed.clock()
    if (now.getTime() <= this.#nowMs || !this.#lists.some((list) => list.dependsOnTime)) return
    this.#nowFrom = undefined
    this.#nowMs = now.getTime()
    this.#lists = this.#toFollow.map((each) => {
      const context = contextAt(each.context, now)
      return followedList({ ...each, context }, each.conditionFor(context))
    })
    this.#noteContexts()
  }

  #noteContexts(): void {
    for (const { model, context } of this.#lists) this.#contexts.set(model, context)
  }

  /** The client reads all lists again, so what happened until now is of no use. */
  async #reset(): Promise<ChangesPart> {
    this.#timeMs = this.#nowMs
    return { kind: 'reset', next: await this.#input.feed.end() }
  }

  /**
   * At the end of the log, looks for items that time has moved. While a change is still to come,
   * time may have moved its item before.
   */
  async #moveOn(part: LogPart): Promise<'moved' | undefined> {
    if (this.#nowMs - this.#timeMs < minMoveMs) return undefined
    if (await hasMovedSince(this.#input, this.#lists, this.#timeMs)) return 'moved'
    // Read after the items, so that it has what has changed them since.
    const following = await this.#input.feed.following(part)
    if (following?.count === 0) this.#nowFrom = part.next
    return undefined
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
