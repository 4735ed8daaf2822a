/** So many works may go on at a time; others wait, first come, first served. */
export class Semaphore {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(most: number) {
    this.#free = most
  }

  /** How many wait. */
  get queueLength(): number {
    return this.#waiting.size
  }

  /**
   * Waits for a slot. What comes back gives it free again, once, however often it is called.
   * @throws the signal's reason where it is aborted before
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const [next] = this.#waiting
      if (!next) this.#free++
      else {
        this.#waiting.delete(next)
        next()
      }
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting.delete(enter)
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(enter)
    })
  }
}
