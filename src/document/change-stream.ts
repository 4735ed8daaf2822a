import { memoizeBy } from '../cache/memoize-by.ts'
import type { ChangeWait, SharedPart, SharedWait } from '../operation/changes/change-feed.ts'
import { entriesPerRead } from '../operation/changes/read-transactions.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import { writeEvents } from './change-events.ts'
import type { ChangesContext } from './response-context.ts'
import { UnwritableState } from './unwritable-state.ts'
import type { ChangesReader } from './write-changes.ts'

/**
 * Changes as server-sent events (HTML Living Standard, §9.2). It keeps nothing but a position: what
 * the client does not read stays in the log.
 *
 * Only the last event of a transaction has an id, so a client that loses its connection gets all of
 * the transaction again.
 */
export class ChangeStream implements AsyncIterable<string>, AsyncIterator<string> {
  readonly #reader: ChangesReader
  readonly #changes: UnreadChanges
  readonly #sharedKey: string | undefined
  readonly #release: () => void
  readonly #endMs: number
  readonly #closing: AbortSignal
  #wait: ChangeWait | SharedWait<StreamPart> | undefined
  #timer: NodeJS.Timeout | undefined
  #timerMs = Number.POSITIVE_INFINITY
  #isAsked = false
  /** The position after what was sent. */
  #after: string | undefined
  /** Where a client goes on that connects again: before a transaction that is sent in parts. */
  #resumeAfter: string | undefined
  /** Is a part of a transaction sent? */
  #isWithin = false
  #entriesPerRead = entriesPerRead
  #commentMs = 0
  #state: 'new' | 'reset' | 'open' | 'ended' = 'new'

  /** @throws ApiError `too-many-requests` */
  constructor(changesContext: ChangesContext, changes: UnreadChanges) {
    const { feed } = changes
    this.#reader = { changesContext, contexts: changes.contexts }
    this.#changes = changes
    this.#sharedKey = sharedKeyOf(changesContext, changes)
    this.#after = changes.start
    this.#resumeAfter = changes.start
    this.#closing = feed.closing
    this.#release = feed.subscribe(changesContext.context.client)
    this.#endMs = performance.now() + changes.lastsMs
    this.#callAt(this.#endMs)
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this
  }

  async next(): Promise<IteratorResult<string>> {
    this.#isAsked = true
    try {
      return await this.#nextChunk()
    } catch (error) {
      this.#end()
      throw error
    } finally {
      this.#isAsked = false
    }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#end()
    return ended
  }

  async #nextChunk(): Promise<IteratorResult<string>> {
    switch (this.#state) {
      case 'new':
        this.#state = this.#changes.isReset ? 'reset' : 'open'
        return this.#chunk(this.#opening())
      case 'reset':
        this.#state = 'open'
        return this.#chunk(this.#resetEvent(this.#after!))
      case 'open':
        return this.#nextOfOpen()
      case 'ended':
        return ended
    }
  }

  /** Without data, so it is no event; but the client knows where to go on. */
  #opening(): string {
    const after = this.#resumeAfter
    const position = after === undefined ? '' : `id: ${this.#changes.seal(after)}\n`
    return `retry: ${retryMs()}\n${position}\n`
  }

  async #nextOfOpen(): Promise<IteratorResult<string>> {
    while (this.#state === 'open') {
      const nowMs = performance.now()
      if (this.#closing.aborted) return this.#lastChunk()
      // A transaction is not cut by the end of the stream.
      if (nowMs >= this.#endMs && !this.#isWithin) return this.#lastChunk()
      const part = await this.#nextPart()
      if (part) {
        this.#take(part)
        if (part.text !== '') return this.#chunk(part.text)
      } else if (
        !this.#isOver() &&
        performance.now() >= this.#commentMs &&
        performance.now() < this.#endMs
      )
        // By the clock, so that changes which the caller does not see delay no comment.
        return this.#chunk(':\n\n')
    }
    return ended
  }

  /** Those who stand at the same position, and see and ask for the same, get one text. */
  async #nextPart(): Promise<StreamPart | undefined> {
    const { feed } = this.#changes
    if (!this.#isWithin) this.#callAt(Math.min(this.#commentMs, this.#endMs))
    if (this.#sharedKey !== undefined && this.#after !== undefined) {
      const wait = feed.waitShared(this.#sharedKey, this.#after, (after) => this.#read(after))
      this.#wait = wait
      return wait.ended
    }
    const { arrivals } = feed
    const part = await this.#read(this.#after)
    if (part.text !== '' || !part.isEnd) return part
    this.#take(part)
    // Whoever ended the stream during the read did not find this wait.
    if (this.#isOver()) return undefined
    this.#callAt(Math.min(this.#commentMs, this.#endMs))
    this.#wait = feed.wait(arrivals, maxTimerMs)
    await this.#wait.ended
    return undefined
  }

  #isOver(): boolean {
    return this.#state === 'ended' || this.#closing.aborted
  }

  #take({ next, isWithin, enough }: StreamPart): void {
    this.#after = next
    this.#isWithin = isWithin
    if (!isWithin) this.#resumeAfter = next
    // What does not fit would be read and decided again.
    this.#entriesPerRead = enough ?? Math.min(2 * this.#entriesPerRead, entriesPerRead)
  }

  async #read(after: string | undefined): Promise<StreamPart> {
    const part = await this.#changes.readArrived(after, this.#entriesPerRead, this.#isWithin)
    if (part.kind !== 'changes') {
      const next = part.kind === 'reset' ? part.next : await this.#changes.feed.end()
      return this.#resetPart(next)
    }
    const { changes, next, isEnd, isOpen = false } = part
    const { seal } = this.#changes
    const written = await writeEvents(changes, isOpen, this.#reader, seal).catch(
      undefinedIfUnwritable,
    )
    if (!written) return this.#resetPart(await this.#changes.feed.end())
    const { text, count, isWithin } = written
    if (count === changes.length) return { text, next, isEnd, isWithin }
    const { position } = changes[count - 1]!
    return { text, next: position, isEnd: false, isWithin, enough: 2 * count }
  }

  #resetPart(next: string): StreamPart {
    return { text: this.#resetEvent(next), next, isEnd: false, isWithin: false }
  }

  #resetEvent(next: string): string {
    return `event: reset\nid: ${this.#changes.seal(next)}\ndata: {}\n\n`
  }

  #lastChunk(): IteratorResult<string> {
    const chunk = this.#chunk(this.#opening())
    this.#end()
    return chunk
  }

  #chunk(value: string): IteratorResult<string> {
    this.#commentMs = performance.now() + this.#changes.feed.heartbeatMs
    return { done: false, value }
  }

  /** Sets the timer, unless it comes earlier anyway. */
  #callAt(timeMs: number): void {
    if (timeMs >= this.#timerMs) return
    clearTimeout(this.#timer)
    this.#timerMs = timeMs
    const untilMs = Math.min(Math.max(1, timeMs - performance.now()), maxTimerMs)
    this.#timer = setTimeout(() => this.#onTime(), untilMs).unref()
  }

  #onTime(): void {
    this.#timerMs = Number.POSITIVE_INFINITY
    const nowMs = performance.now()
    if (!this.#isAsked) {
      // A client that does not read is no subscriber any more.
      if (nowMs >= this.#endMs) this.#end()
      else this.#callAt(this.#endMs)
      return
    }
    // The rest of a transaction is in the log, so nobody waits for long.
    if (this.#isWithin) {
      this.#callAt(nowMs + stalledLookMs)
      return
    }
    const dueMs = Math.min(this.#commentMs, this.#endMs)
    if (nowMs >= dueMs) this.#wait?.end()
    this.#callAt(nowMs < dueMs ? dueMs : this.#endMs)
  }

  #end(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearTimeout(this.#timer)
    this.#timerMs = Number.NEGATIVE_INFINITY
    this.#wait?.end()
    this.#release()
  }
}

const ended: IteratorResult<string> = Object.freeze({ done: true, value: undefined })

/** How often a client is looked at that reads a transaction in parts, in milliseconds. */
const stalledLookMs = 1_000

/** Who gets a change that cannot be written reads the list again. */
function undefinedIfUnwritable(error: unknown): undefined {
  if (!(error instanceof UnwritableState)) throw error
}

/** Timers of Node.js allow at most 2^31 - 1 ms. */
const maxTimerMs = 2 ** 31 - 1

/** Events as text, and where the log goes on. */
interface StreamPart extends SharedPart {
  /** Does the text end within a transaction? */
  readonly isWithin: boolean
  /** Not all changes that were read fitted: how many are enough. */
  readonly enough?: number
}

function sharedKeyOf(
  { endpoint, selection }: ChangesContext,
  { sharedKey }: UnreadChanges,
): string | undefined {
  if (sharedKey === undefined) return undefined
  const fields = [...selection.fields].map(([plural, names]) => [plural, ...names])
  return [sharedKey, keyOf(endpoint), JSON.stringify(fields)].join(' ')
}

let keys = 0

/** Tells the endpoints of a process apart. */
const keyOf = memoizeBy((_endpoint: object): string => String(keys++))

/** Clients of a service that starts anew do not all come at once. */
function retryMs(): number {
  return 1_000 + Math.floor(Math.random() * 2_000)
}
