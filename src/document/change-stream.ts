import { memoizeBy } from '../cache/memoize-by.ts'
import type { ChangeWait } from '../operation/changes/change-feed.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import type { ResponseContext } from './response-context.ts'
import { type WrittenTransaction, writeChanges } from './write-changes.ts'

/**
 * Changes as server-sent events (HTML Living Standard, §9.2). It keeps nothing but a position: what
 * the client does not read stays in the log.
 *
 * Only the last event of a transaction has an id, so a client that loses its connection gets all of
 * the transaction again.
 */
export class ChangeStream implements AsyncIterable<string>, AsyncIterator<string> {
  readonly #responseContext: ResponseContext
  readonly #changes: UnreadChanges
  #wait: ChangeWait | undefined
  readonly #release: () => void
  readonly #endMs: number
  readonly #stalled: NodeJS.Timeout
  readonly #closing: AbortSignal
  #after: string | undefined
  #commentMs = 0
  #state: 'new' | 'reset' | 'open' | 'ended' = 'new'

  /** @throws ApiError `too-many-requests` */
  constructor(responseContext: ResponseContext, changes: UnreadChanges) {
    const { feed } = changes
    this.#responseContext = responseContext
    this.#changes = changes
    this.#after = changes.start
    this.#closing = feed.closing
    this.#release = feed.subscribe(responseContext.context.client)
    this.#endMs = performance.now() + changes.lastsMs
    const untilStalledMs = Math.min(changes.lastsMs + stalledMs, maxTimerMs)
    this.#stalled = setTimeout(() => this.#end(), untilStalledMs)
    this.#stalled.unref()
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this
  }

  async next(): Promise<IteratorResult<string>> {
    switch (this.#state) {
      case 'new':
        this.#state = this.#changes.isReset ? 'reset' : 'open'
        return this.#chunk(await this.#opening())
      case 'reset':
        this.#state = 'open'
        return this.#chunk(this.#resetEvent(this.#after!))
      case 'open':
        return this.#next()
      case 'ended':
        return ended
    }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#end()
    return ended
  }

  /** Without data, so it is no event; but the client knows where to go on. */
  async #opening(): Promise<string> {
    const position = this.#after === undefined ? '' : `id: ${this.#changes.seal(this.#after)}\n`
    return `retry: ${retryMs()}\n${position}\n`
  }

  async #next(): Promise<IteratorResult<string>> {
    const { feed } = this.#changes
    try {
      while (this.#state === 'open') {
        const restMs = this.#endMs - performance.now()
        if (restMs <= 0 || this.#closing.aborted) return this.#lastChunk()
        const { arrivals } = feed
        const { text, next, isEnd } = await this.#readShared()
        this.#after = next
        if (text !== '') return this.#chunk(text)
        if (!isEnd) continue
        // By the clock, so that changes which the caller does not see delay no comment.
        const untilCommentMs = this.#commentMs - performance.now()
        if (untilCommentMs <= 0) return this.#chunk(':\n\n')
        this.#wait = feed.wait(arrivals, Math.min(untilCommentMs, restMs))
        await this.#wait.ended
      }
    } catch (error) {
      this.#end()
      throw error
    }
    return ended
  }

  /** Those who stand at the same position, and see and ask for the same, get one text. */
  #readShared(): Promise<StreamPart> {
    const { sharedKey, feed } = this.#changes
    if (sharedKey === undefined || this.#after === undefined) return this.#read()
    const { endpoint, selection } = this.#responseContext
    const fields = [...selection.fields].map(([plural, names]) => [plural, ...names])
    const key = [sharedKey, keyOf(endpoint), JSON.stringify(fields), this.#after]
    const read = () => this.#read()
    // The first one may have left meanwhile.
    return feed.share(key.join(' '), read).catch(read)
  }

  async #read(): Promise<StreamPart> {
    const part = await this.#changes.readArrived(this.#after)
    if (part.kind === 'changes') {
      const transactions = await writeChanges(this.#responseContext, part.changes)
      let text = ''
      for (const [index, each] of transactions.entries()) {
        text += this.#events(each)
        if (text.length >= maxChunkLength && index < transactions.length - 1)
          return { text, next: each.position, isEnd: false }
      }
      return { text, next: part.next, isEnd: part.isEnd }
    }
    const next = part.kind === 'reset' ? part.next : await this.#changes.feed.end()
    return { text: this.#resetEvent(next), next, isEnd: false }
  }

  #events({ changes, position }: WrittenTransaction): string {
    const last = changes.length - 1
    return changes
      .map(({ kind, text }, index) => {
        const id = index === last ? `id: ${this.#changes.seal(position)}\n` : ''
        return `event: ${kind}\n${id}data: ${text}\n\n`
      })
      .join('')
  }

  #resetEvent(next: string): string {
    return `event: reset\nid: ${this.#changes.seal(next)}\ndata: {}\n\n`
  }

  #lastChunk(): IteratorResult<string> {
    const position = this.#after === undefined ? '' : `id: ${this.#changes.seal(this.#after)}\n`
    this.#end()
    return this.#chunk(`retry: ${retryMs()}\n${position}\n`)
  }

  #chunk(value: string): IteratorResult<string> {
    this.#commentMs = performance.now() + this.#changes.feed.heartbeatMs
    return { done: false, value }
  }

  #end(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearTimeout(this.#stalled)
    this.#wait?.end()
    this.#release()
  }
}

const ended: IteratorResult<string> = Object.freeze({ done: true, value: undefined })

/** A client that does not read has at most so many characters in memory, or one transaction. */
const maxChunkLength = 262_144

/** A client that does not read is no subscriber any more so long after its time, in ms. */
const stalledMs = 5_000

/** Timers of Node.js allow at most 2^31 - 1 ms. */
const maxTimerMs = 2 ** 31 - 1

/** Events as text, and where the log goes on. */
interface StreamPart {
  readonly text: string
  readonly next: string
  readonly isEnd: boolean
}

let keys = 0

/** Tells the endpoints of a process apart. */
const keyOf = memoizeBy((_endpoint: object): string => String(keys++))

/** Clients of a service that starts anew do not all come at once. */
function retryMs(): number {
  return 1_000 + Math.floor(Math.random() * 2_000)
}
