import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { StoreCall } from '../store-call.ts'
import { ConnectionLost } from './postgres-error.ts'

interface OutageOptions {
  /** Opens a connection, and closes it again. */
  probe(): Promise<void>
  /** Called before those who wait go on. */
  onEnd(): void
  readonly maxWaiting: number
  readonly waitMs: number
}

/** How often the server is looked for while calls wait for it. */
const probeMs = 200

/** No failover takes so long, so that nobody waits any more. */
const longOutageMs = 60_000

/**
 * A time in which no server can be connected to, such as that of a failover. Calls wait for its
 * end, and one connection at a time looks for it.
 */
export class Outage {
  readonly #options: OutageOptions
  readonly #beganAt = performance.now()
  #error: ConnectionLost
  #waiting = 0
  /** Looks for the server while somebody waits. */
  #search: Promise<void> | undefined

  constructor(error: ConnectionLost, options: OutageOptions) {
    this.#error = error
    this.#options = options
  }

  /** Then each call tries to connect by itself, and fails at once. */
  get isLong(): boolean {
    return performance.now() - this.#beganAt > longOutageMs
  }

  /**
   * Waits until a server can be connected to.
   * @param since when the call noticed that it cannot be, by `performance.now()`
   * @throws ConnectionLost if that takes too long, or too many calls wait; the reason of the
   * caller's signal
   */
  async untilOver(call: StoreCall | undefined, since: number): Promise<void> {
    const { maxWaiting, waitMs } = this.#options
    const timeoutMs = since + waitMs - performance.now()
    if (timeoutMs <= 0 || this.#waiting >= maxWaiting) throw this.#error
    this.#waiting++
    this.#search ??= this.#untilFound()
    try {
      await withTimeout(this.#search, { waiter: call, timeoutMs, timeoutError: () => this.#error })
    } finally {
      this.#waiting--
    }
  }

  async #untilFound(): Promise<void> {
    // The call that waits first has just tried to connect.
    await pause()
    while (this.#waiting > 0) {
      if (await this.#isFound()) return this.#options.onEnd()
      await pause()
    }
    this.#search = undefined
  }

  async #isFound(): Promise<boolean> {
    try {
      await this.#options.probe()
      return true
    } catch (error) {
      // Calls get any other error themselves.
      if (!(error instanceof ConnectionLost)) return true
      this.#error = error
      return false
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, probeMs))
}
