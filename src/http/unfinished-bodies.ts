import type { ApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'

/** Default of `maxUnfinishedBodyBytes`: 64 MiB. */
export const defaultUnfinishedBodyBytes: number = 64 * 1024 * 1024

/** Those that memory holds, the one that waits longest for its next bytes first. */
const unfinishedBodies = new Set<UnfinishedBody>()
let heldBytes = 0

/** Bytes of unfinished bodies in memory, in the whole process. */
export function unfinishedBodyBytes(): number {
  return heldBytes
}

/**
 * A body in memory whose end has not arrived. All of a process share a number of bytes. Beyond it,
 * the one whose last bytes are the oldest is refused: clients that send a part and stop give way to
 * those that go on.
 */
export class UnfinishedBody {
  readonly #maxBytes: number
  readonly #refusal = new AbortController()
  #bytes = 0

  /** @param maxBytes what all unfinished bodies of the process may hold */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Aborted with an ApiError when the body is refused. */
  get signal(): AbortSignal {
    return this.#refusal.signal
  }

  /** @throws ApiError `overloaded` if the body is refused */
  add(bytes: number): void {
    this.hold(this.#bytes + bytes)
  }

  /**
   * @param bytes all that memory holds of it now
   * @throws ApiError `overloaded` if the body is refused
   */
  hold(bytes: number): void {
    this.signal.throwIfAborted()
    heldBytes += bytes - this.#bytes
    this.#bytes = bytes
    unfinishedBodies.delete(this)
    unfinishedBodies.add(this)
    for (const oldest of unfinishedBodies) {
      if (heldBytes <= this.#maxBytes) break
      oldest.#refuse()
    }
    this.signal.throwIfAborted()
  }

  /** Call it when the body has arrived, or is given up. */
  end(): void {
    if (unfinishedBodies.delete(this)) heldBytes -= this.#bytes
  }

  #refuse(): void {
    this.end()
    this.#refusal.abort(tooManyUnfinished())
  }
}

function tooManyUnfinished(): ApiError {
  return temporaryRefusal(
    'overloaded',
    'Too many bytes of unfinished request bodies are in memory. Send the request again later.',
  )
}
