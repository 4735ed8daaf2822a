import { setImmediate } from 'node:timers/promises'

/** So many clients get a text in one turn of the event loop: less than a millisecond of work. */
const perTurn = 25

/**
 * Gives thousands of clients what they wait for in many short turns of the event loop, so that
 * requests are served between them. It has a queue of its own, or other work would wait behind all
 * of them.
 */
export class Deliveries {
  #queue: (() => void)[] = []
  #isDelivering = false

  add(deliver: () => void): void {
    this.#queue.push(deliver)
    if (!this.#isDelivering) void this.#deliver()
  }

  /** Resolves once clients have what is queued now. */
  ofNow(): Promise<void> | undefined {
    return this.#isDelivering ? new Promise((resolve) => this.add(resolve)) : undefined
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true
    while (this.#queue.length > 0) {
      const queued = this.#queue
      this.#queue = []
      for (const [index, deliver] of queued.entries()) {
        if (index % perTurn === 0) await setImmediate()
        deliver()
      }
    }
    this.#isDelivering = false
  }
}
