import { setImmediate } from 'node:timers/promises'

/** So many clients get a text in one turn of the event loop: less than a millisecond of work. */
const perTurn = 25

interface Delivery<R> {
  readonly receivers: ReadonlySet<R>
  deliver(receiver: R): void
}

/**
 * Gives thousands of clients what they wait for in many short turns of the event loop, so that
 * requests are served between them. It has a queue of its own, or other work would wait behind all
 * of them.
 */
export class Deliveries {
  #queue: Delivery<unknown>[] = []
  #isDelivering = false

  /** @param receivers those who have left it when their turn comes get nothing */
  add<R>(receivers: ReadonlySet<R>, deliver: (receiver: R) => void): void {
    const delivery: Delivery<R> = { receivers, deliver }
    this.#queue.push(delivery)
    if (!this.#isDelivering) void this.#deliver()
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true
    while (this.#queue.length > 0) {
      const queued = this.#queue
      this.#queue = []
      await setImmediate()
      let count = 0
      for (const { receivers, deliver } of queued)
        for (const receiver of receivers) {
          deliver(receiver)
          if (++count % perTurn === 0) await setImmediate()
        }
    }
    this.#isDelivering = false
  }
}
