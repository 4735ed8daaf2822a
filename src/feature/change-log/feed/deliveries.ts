/** So many clients get a text in one turn of the event loop: less than a millisecond of work. */
const perTurn = 25

/**
 * Gives thousands of clients what they wait for in many short turns of the event loop, so that
 * requests are served between them. It has a queue of its own, or other work would wait behind all
 * of them.
 */
export class Deliveries {
  #waiting: (() => void)[] = []
  #next = 0

  add(deliver: () => void): void {
    if (this.#waiting.push(deliver) === 1) setImmediate(() => this.#deliverSome())
  }

  #deliverSome(): void {
    const end = Math.min(this.#next + perTurn, this.#waiting.length)
    while (this.#next < end) this.#waiting[this.#next++]!()
    if (this.#next < this.#waiting.length) {
      setImmediate(() => this.#deliverSome())
      return
    }
    this.#waiting = []
    this.#next = 0
  }
}
