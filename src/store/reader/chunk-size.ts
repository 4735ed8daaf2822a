import { maxStreamChunkBytes } from '../../concurrency/stream-budget.ts'

/** A statement was aborted above its byte limit. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

/**
 * The maximum bytes of text that lists read at a time; short texts may add as much again. A single
 * item may be larger.
 */
export const maxChunkBytes = 1_048_576

/** After so many chunks, a count that was too large is tried again. */
const retryAfterChunks = 16

/**
 * How many items a list reads at a time: fewer where they are large, because a slow client holds
 * one chunk in memory.
 */
export class ChunkSize {
  readonly #maxCount: number
  #count: number
  /** The count that failed last. */
  #failedCount = Number.POSITIVE_INFINITY
  #chunksRead = 0

  /** @param firstCount fewer where a chunk that is too large costs much */
  constructor(maxCount: number, firstCount: number = maxCount) {
    this.#maxCount = maxCount
    this.#count = firstCount
  }

  /**
   * @param read reads so many items and bytes at most; throws `TooManyBytes` where there are more
   */
  async next<T>(read: (count: number, maxBytes: number) => T | Promise<T>): Promise<T> {
    for (;;) {
      const count = this.#count
      try {
        const chunk = await read(
          count,
          count === 1 ? Number.POSITIVE_INFINITY : Math.min(maxChunkBytes, maxStreamChunkBytes()),
        )
        this.#grow()
        return chunk
      } catch (error) {
        if (!(error instanceof TooManyBytes) || count === 1) throw error
        this.#failedCount = count
        this.#chunksRead = 0
        this.#count = Math.max(1, Math.floor(count / 4))
      }
    }
  }

  /** A count that failed is tried again only after a while, because a failed read is wasted. */
  #grow(): void {
    this.#chunksRead++
    if (this.#chunksRead % retryAfterChunks === 0) this.#failedCount = Number.POSITIVE_INFINITY
    const doubled = Math.min(this.#maxCount, this.#count * 2)
    if (doubled < this.#failedCount) this.#count = doubled
  }
}

/** Undefined on `TooManyBytes`. */
export async function unlessTooManyBytes<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TooManyBytes) return undefined
    throw error
  }
}
