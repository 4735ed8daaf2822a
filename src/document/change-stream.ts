import type { Chunk } from '../http/chunk.ts'
import { sharedChunk } from '../http/shared-chunk.ts'
import type {
  ChangeWait,
  SharedPart,
  SharedReader,
  SharedWaits,
} from '../operation/changes/change-feed.ts'
import { entriesPerRead } from '../operation/changes/read-transactions.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import { writeEvents } from './change-events.ts'
import type { ChangesContext } from './response-context.ts'
import { sharedKeyOf } from './shared-key.ts'
import { UnwritableState } from './unwritable-state.ts'
import type { ChangesReader } from './write-changes.ts'

/**
 * Changes as server-sent events (HTML Living Standard, §9.2). It keeps nothing but a position: what
 * the client does not read stays in the log.
 *
 * Only the last event of a transaction has an id, so a client that loses its connection gets all of
 * the transaction again.
 */
export class ChangeStream
  implements AsyncIterable<Chunk>, AsyncIterator<Chunk>, SharedReader<StreamPart>
{
  readonly #reader: ChangesReader
  readonly #changes: UnreadChanges
  /** Undefined where nobody else may see and ask for the same. */
  readonly #shared: SharedWaits | undefined
  readonly #release: () => void
  readonly #endMs: number
  readonly #closing: AbortSignal
  #wait: ChangeWait | SharedWaits | undefined
  #timer: NodeJS.Timeout | undefined
  #timerMs = Number.POSITIVE_INFINITY
  /** Who waits for the next chunk. */
  #asked: Asked | undefined
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
    const sharedKey = sharedKeyOf(changesContext, changes)
    this.#shared = sharedKey === undefined ? undefined : feed.shareWaits(sharedKey, this)
    this.#after = changes.start
    this.#resumeAfter = changes.start
    this.#closing = feed.closing
    this.#release = feed.subscribe(changesContext.context.client)
    this.#endMs = performance.now() + changes.lastsMs
    this.#callAt(this.#endMs)
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk> {
    return this
  }

  /** Thousands of streams wait, so it makes no promise but this one. */
  next(): Promise<IteratorResult<Chunk>> {
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject }
      this.#advance()
    })
  }

  async return(): Promise<IteratorResult<Chunk>> {
    this.#end()
    return ended
  }

  async read(after: string | undefined): Promise<StreamPart> {
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
    const chunk = this.#shared ? sharedChunk(text) : text
    if (count === changes.length) return { text, chunk, next, isEnd, isWithin }
    const { position } = changes[count - 1]!
    return { text, chunk, next: position, isEnd: false, isWithin, enough: 2 * count }
  }

  /** @param part undefined if the wait ended before there was one */
  take(part: StreamPart | undefined): void {
    if (part) this.#moveTo(part)
    if (part && part.text !== '') this.#send(part.chunk)
    // By the clock, so that changes which the client does not see delay no comment.
    else if (!part && this.#isCommentDue()) this.#send(comment)
    else this.#advance()
  }

  fail(error: unknown): void {
    const asked = this.#asked
    this.#asked = undefined
    this.#end()
    asked?.reject(error)
  }

  /** Sends what comes next, or waits for it. */
  #advance(): void {
    switch (this.#state) {
      case 'new':
        this.#state = this.#changes.isReset ? 'reset' : 'open'
        this.#send(this.#opening())
        return
      case 'reset':
        this.#state = 'open'
        this.#send(this.#resetEvent(this.#after!))
        return
      case 'open':
        if (this.#isLast()) this.#sendLast()
        else this.#waitForPart()
        return
      case 'ended':
        this.#settle(ended)
    }
  }

  /** Without data, so it is no event; but the client knows where to go on. */
  #opening(): string {
    const after = this.#resumeAfter
    const position = after === undefined ? '' : `id: ${this.#changes.seal(after)}\n`
    return `retry: ${retryMs()}\n${position}\n`
  }

  #isLast(): boolean {
    if (this.#closing.aborted) return true
    // A transaction is not cut by the end of the stream.
    return !this.#isWithin && performance.now() >= this.#endMs
  }

  #isCommentDue(): boolean {
    const nowMs = performance.now()
    return !this.#isOver() && nowMs >= this.#commentMs && nowMs < this.#endMs
  }

  /** Those who stand at the same position, and see and ask for the same, get one part. */
  #waitForPart(): void {
    if (!this.#isWithin) this.#callAt(Math.min(this.#commentMs, this.#endMs))
    if (this.#shared && this.#after !== undefined) {
      this.#wait = this.#shared
      this.#shared.waitAfter(this.#after)
    } else void this.#readAlone().catch((error) => this.fail(error))
  }

  async #readAlone(): Promise<void> {
    const { feed } = this.#changes
    const { arrivals } = feed
    const part = await this.read(this.#after)
    if (part.text !== '' || !part.isEnd) return this.take(part)
    this.#moveTo(part)
    // Whoever ended the stream during the read did not find this wait.
    if (!this.#isOver()) {
      this.#callAt(Math.min(this.#commentMs, this.#endMs))
      const wait = feed.wait(arrivals, maxTimerMs)
      this.#wait = wait
      await wait.ended
    }
    this.take(undefined)
  }

  #isOver(): boolean {
    return this.#state === 'ended' || this.#closing.aborted
  }

  #moveTo({ next, isWithin, enough }: StreamPart): void {
    this.#after = next
    this.#isWithin = isWithin
    if (!isWithin) this.#resumeAfter = next
    // What does not fit would be read and decided again.
    this.#entriesPerRead = enough ?? Math.min(2 * this.#entriesPerRead, entriesPerRead)
  }

  #resetPart(next: string): StreamPart {
    const text = this.#resetEvent(next)
    return { text, chunk: text, next, isEnd: false, isWithin: false }
  }

  #resetEvent(next: string): string {
    return `event: reset\nid: ${this.#changes.seal(next)}\ndata: {}\n\n`
  }

  #sendLast(): void {
    this.#send(this.#opening())
    this.#end()
  }

  #send(value: Chunk): void {
    this.#commentMs = performance.now() + this.#changes.feed.heartbeatMs
    this.#settle({ done: false, value })
  }

  #settle(result: IteratorResult<Chunk>): void {
    const asked = this.#asked
    this.#asked = undefined
    asked?.resolve(result)
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
    if (!this.#asked) {
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

interface Asked {
  readonly resolve: (result: IteratorResult<Chunk>) => void
  readonly reject: (error: unknown) => void
}

const comment = sharedChunk(':\n\n')

const ended: IteratorResult<Chunk> = Object.freeze({ done: true, value: undefined })

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
  /** The text as it is sent. */
  readonly chunk: Chunk
  /** Does the text end within a transaction? */
  readonly isWithin: boolean
  /** Not all changes that were read fitted: how many are enough. */
  readonly enough?: number
}

/** Clients of a service that starts anew do not all come at once. */
function retryMs(): number {
  return 1_000 + Math.floor(Math.random() * 2_000)
}
