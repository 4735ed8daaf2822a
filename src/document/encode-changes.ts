import { throwIfAborted } from '../concurrency/yield-to-event-loop.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import type { UnreadChanges } from '../operation/changes/unread-changes.ts'
import { eventStreamMediaType } from '../serializer/event-stream.ts'
import { ChangeStream } from './change-stream.ts'
import { type ChangesContext, contentType, responseHeaders } from './response-context.ts'
import { UnwritableState } from './unwritable-state.ts'
import { type WrittenTransaction, writeChanges } from './write-changes.ts'

export const encodeChangesErrors = ['changes-expired'] as const

const { createApiError } = refusalsOf(encodeChangesErrors)

/** A page of changes, or a stream of them, as the client prefers. */
export async function encodeChanges(
  changesContext: ChangesContext,
  changes: UnreadChanges,
): Promise<ApiResponse> {
  const headers = {
    ...responseHeaders(changesContext, { 'content-type': contentType(changesContext) }),
    'cache-control': 'no-store',
  }
  const { status } = changesContext.endpoint.rule.response
  const { serializer } = changesContext.endpoint
  if (serializer.mediaType === eventStreamMediaType) {
    // Proxies and middleware that compress would hold events back.
    const streamHeaders = {
      ...headers,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    }
    if (changesContext.context.request.method === 'HEAD')
      return { status, headers: streamHeaders, body: noBody }
    const chunks = new ChangeStream(changesContext, changes)
    return { status, headers: streamHeaders, body: { kind: 'stream', chunks } }
  }
  const page = await readPage(changesContext, changes)
  const text = serializer.writeOutput(writePage(page, changes))
  return { status, headers, body: { kind: 'text', text } }
}

interface ChangesPage {
  /** Each of them as a JSON object. */
  readonly texts: readonly string[]
  /** In the log. */
  readonly next: string
  readonly isEnd: boolean
  /** Does the next page begin with changes of the same transaction? */
  readonly isTransactionSplit: boolean
}

function writePage(
  { texts, next, isEnd, isTransactionSplit }: ChangesPage,
  { seal }: UnreadChanges,
): string {
  const split = isTransactionSplit ? ',"isTransactionSplit":true' : ''
  return `{"changes":[${texts.join(',')}],"next":${JSON.stringify(seal(next))},"isEnd":${isEnd}${split}}`
}

const resetPage = (next: string): ChangesPage => ({
  texts: ['{"kind":"reset"}'],
  next,
  isEnd: false,
  isTransactionSplit: false,
})

/**
 * Goes on behind a full page until the next change that the caller sees, or the end: so neither the
 * length of a page nor `isEnd` says anything of other changes.
 */
async function readPage(
  changesContext: ChangesContext,
  changes: UnreadChanges,
): Promise<ChangesPage> {
  const { context, selection } = changesContext
  const { limit, waitMs } = selection.changes!
  if (changes.isReset) return resetPage(changes.start!)
  const page = new PageOfChanges(limit)
  const waiting = waitMs > 0 ? new Waiting(changes, waitMs) : undefined
  const reader = { changesContext, contexts: changes.contexts }
  let after = changes.start
  try {
    for (;;) {
      const { arrivals } = changes.feed
      // While it waits, the changes of now are in memory.
      const part = await (waiting?.hasWaited ? changes.readArrived(after) : changes.read(after))
      if (part.kind === 'unknown') throw part.error
      if (part.kind === 'expired')
        throw createApiError(
          'changes-expired',
          "The log of changes does not reach back to the position. Read the list again, and then the changes since its 'Changes-Position'.",
          { parameter: 'since' },
        )
      // What came before it is of no use: the client reads all of the list again.
      if (part.kind === 'reset') return resetPage(part.next)
      for (const transaction of await writeChanges(reader, part.changes))
        if (!page.add(transaction)) return page.end(undefined)
      after = part.next
      throwIfAborted(context)
      if (!part.isEnd) continue
      if (!page.isEmpty || !waiting?.isUnder(context.isAborted)) return page.end(after)
      await waiting.untilChange(arrivals, context)
    }
  } catch (error) {
    if (error instanceof UnwritableState) return resetPage(await changes.feed.end())
    throw error
  } finally {
    waiting?.end()
  }
}

class PageOfChanges {
  readonly #limit: number
  readonly #texts: string[] = []
  /** The position after each of them. */
  readonly #positions: string[] = []
  /** The last transaction, and the index of its first change. */
  #transaction: { readonly id: string; readonly start: number } | undefined
  #isSplit = false

  constructor(limit: number) {
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0
  }

  /**
   * Changes of another transaction, or further ones of the last.
   * @returns false if the page has no place for it, or for all of it
   */
  add({ transaction, changes }: WrittenTransaction): boolean {
    if (this.#transaction?.id !== transaction)
      this.#transaction = { id: transaction, start: this.#texts.length }
    const { start } = this.#transaction
    const free = this.#limit - this.#texts.length
    const isWhole = changes.length <= free
    // Whatever else the log has between its parts, it comes as a whole where others were before it.
    if (!isWhole && start > 0) {
      this.#texts.length = start
      this.#positions.length = start
      return false
    }
    for (const { kind, text, position } of changes.slice(0, free)) {
      this.#texts.push(`{"kind":"${kind}",${text.slice(1)}`)
      this.#positions.push(position)
    }
    this.#isSplit = !isWhole
    return isWhole
  }

  /** @param end where the log ends, if the page reaches it */
  end(end: string | undefined): ChangesPage {
    return {
      texts: this.#texts,
      next: end ?? this.#positions.at(-1)!,
      isEnd: end !== undefined,
      isTransactionSplit: this.#isSplit,
    }
  }
}

/** Waits for the first change, at most as long as the client asks. */
class Waiting {
  readonly #changes: UnreadChanges
  readonly #untilMs: number
  readonly #closing: AbortSignal
  #release: (() => void) | undefined

  constructor(changes: UnreadChanges, waitMs: number) {
    this.#changes = changes
    this.#closing = changes.feed.closing
    this.#untilMs = performance.now() + waitMs
  }

  get hasWaited(): boolean {
    return this.#release !== undefined
  }

  isUnder(isAborted: boolean | undefined): boolean {
    return !isAborted && !this.#closing.aborted && performance.now() < this.#untilMs
  }

  /** @throws ApiError if too many clients wait */
  async untilChange(
    arrivals: number,
    { client, signal }: ChangesContext['context'],
  ): Promise<void> {
    const { feed } = this.#changes
    this.#release ??= feed.subscribe(client)
    const wait = feed.wait(arrivals, Math.max(1, this.#untilMs - performance.now()))
    const leave = () => wait.end()
    signal.addEventListener('abort', leave)
    await wait.ended
    signal.removeEventListener('abort', leave)
  }

  end(): void {
    this.#release?.()
  }
}
