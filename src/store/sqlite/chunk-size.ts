import { maxStreamChunkBytes } from '../../concurrency/stream-budget.ts'
import { TooManyBytes } from './connection.ts'

/**
 * Bytes of the texts that lists read at a time; short ones may come to as much again. A single item
 * may be larger.
 */
export const maxChunkBytes = 1_048_576

/** How many chunks are read before more items are tried than were too many. */
const retryAfterChunks = 16

/**
 * How many items a list reads at a time: fewer where they are large, for a reader that stalls holds
 * one chunk.
 */
export class ChunkSize {
  readonly #most: number
  #count: number
  /** So many were too many lately. */
  #tooMany = Number.POSITIVE_INFINITY
  #read = 0

  constructor(most: number) {
    this.#most = most
    this.#count = most
  }

  /**
   * @param read with how many items at most, and how many bytes; `TooManyBytes` where they come to
   * more
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
        this.#tooMany = count
        this.#read = 0
        this.#count = Math.max(1, Math.floor(count / 4))
      }
    }
  }

  /** What was too many is tried again after a while only, for it is read in vain. */
  #grow(): void {
    this.#read++
    if (this.#read % retryAfterChunks === 0) this.#tooMany = Number.POSITIVE_INFINITY
    const more = Math.min(this.#most, this.#count * 2)
    if (more < this.#tooMany) this.#count = more
  }
}

/** Undefined where the texts come to more than is read at a time. */
export async function unlessTooManyBytes<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TooManyBytes) return undefined
    throw error
  }
}
