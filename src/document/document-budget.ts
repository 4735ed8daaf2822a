import { memoizeBy } from '../cache/memoize-by.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import type { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Chunk } from '../http/chunk.ts'
import type { StoreCall } from '../store/store-call.ts'
import type { DocumentServices } from './document-services.ts'
import { closableChunks } from './started-stream.ts'

export const documentBudgetErrors = ['overloaded'] as const

const { temporaryRefusal } = refusalsOf(documentBudgetErrors)

export interface DocumentLimits {
  /** Large documents that collect identifiers at a time. */
  readonly maxParallel: number
  /** Documents that may wait for that. */
  readonly maxWaiting: number
  /** How long a document waits, in milliseconds. */
  readonly maxWaitMs: number
  /** Bytes that documents may hold together before another one may start. */
  readonly maxBytes: number
}

/**
 * `maxBytes` is about a quarter of a million identifiers. Readers that stall are cut off, so others
 * do not wait for them long.
 */
export const defaultDocumentLimits: DocumentLimits = {
  maxParallel: 4,
  maxWaiting: 100,
  maxWaitMs: 10_000,
  maxBytes: 33_554_432,
}

/**
 * The memory and the semaphore that the large documents of one router share. Each holds the ids of
 * its linkage, and of all that it includes, until it is sent.
 */
export class SharedDocumentBudget {
  readonly limits: DocumentLimits
  readonly semaphore: Semaphore
  usedBytes = 0
  waitingCount = 0

  constructor(limits: DocumentLimits) {
    this.limits = limits
    this.semaphore = new Semaphore(limits.maxParallel)
  }

  get isFull(): boolean {
    return this.usedBytes >= this.limits.maxBytes
  }
}

/** The budget that all documents of the router share. */
export const documentBudgetOf: (services: DocumentServices) => SharedDocumentBudget = memoizeBy(
  (_: DocumentServices) => new SharedDocumentBudget(defaultDocumentLimits),
)

/**
 * A document takes a share of the budget once it holds more ids. The items that it includes are
 * kept until they are written up to this number; further ones are read again.
 */
export const maxUnbudgetedIds = 2_000

/** About what an id takes in a set. */
export const bytesPerIdentifier = 128

/**
 * The share of one document, its linkage and its included items together: a document that has begun
 * is not refused because of what it holds itself. It holds the semaphore only while it collects
 * identifiers, so others do not wait for its reader.
 */
export class DocumentBudget {
  readonly #shared: SharedDocumentBudget
  readonly #caller: StoreCall
  #usedBytes = 0
  #release: (() => void) | undefined
  #hasBegun = false
  #isClosed = false

  constructor(shared: SharedDocumentBudget, caller: StoreCall) {
    this.#shared = shared
    this.#caller = caller
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /**
   * Waits for the semaphore, unless the document holds it.
   * @param usedBytes what the document holds now
   * @throws ApiError `overloaded` if the document has not started and the others hold too much; the
   * reason of the signal
   */
  async acquire(usedBytes: number = this.#usedBytes): Promise<void> {
    if (!this.#release) {
      const release = await (this.#hasBegun
        ? this.#shared.semaphore.acquire({ waiter: this.#caller })
        : this.#begin())
      if (this.#isClosed) return release()
      this.#hasBegun = true
      this.#release = release
    }
    this.#shared.usedBytes += usedBytes - this.#usedBytes
    this.#usedBytes = usedBytes
  }

  /** Releases the semaphore. Call it before anything waits for the reader. */
  release(): void {
    this.#release?.()
    this.#release = undefined
  }

  /** The document is complete, or was aborted. */
  close(): void {
    this.#isClosed = true
    this.release()
    this.#shared.usedBytes -= this.#usedBytes
    this.#usedBytes = 0
  }

  async #begin(): Promise<() => void> {
    const shared = this.#shared
    if (shared.isFull || shared.waitingCount >= shared.limits.maxWaiting) throw overloaded()
    shared.waitingCount++
    try {
      const release = await shared.semaphore.acquire({
        waiter: this.#caller,
        timeoutMs: shared.limits.maxWaitMs,
        timeoutError: overloaded,
      })
      if (!shared.isFull) return release
      release()
    } finally {
      shared.waitingCount--
    }
    throw overloaded()
  }
}

/** The document keeps its share until its body is sent or closed. */
export function closeAfterSending(response: ApiResponse, budget: DocumentBudget): ApiResponse {
  const { body } = response
  if (body.kind !== 'stream') {
    budget.close()
    return response
  }
  const iterator = body.chunks[Symbol.asyncIterator]()
  const chunks = closableChunks(remainingOf(iterator), async () => {
    budget.close()
    await iterator.return?.()
  })
  return { ...response, body: { ...body, chunks } }
}

async function* remainingOf(iterator: AsyncIterator<Chunk>): AsyncGenerator<Chunk> {
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
}

function overloaded(): ApiError {
  return temporaryRefusal('overloaded', 'Too many large responses are waiting. Try again later.')
}
