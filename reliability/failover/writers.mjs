import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { accountCount, accountRequest, writeRequest } from './writes.mjs'

/** How long a writer waits before it sends a write again that was refused. */
const pauseMs = 50

/**
 * Clients that each send one write after the other, and each write until it is acknowledged, with
 * the same Idempotency-Key.
 */
export class Writers {
  /** The numbers of writes, and when they were acknowledged. @type {Map<number, Date>} */
  acknowledged = new Map()
  /** How often there was each status, with its code. @type {Map<string, number>} */
  answers = new Map()
  #address
  #isOver = false
  #numbers
  /** When the last write was acknowledged, by `performance.now()`. */
  #lastSuccessAt = Number.NEGATIVE_INFINITY
  /** @type {Promise<void>[]} */
  #loops = []

  /**
   * @param {string} address of the service
   * @param {IterableIterator<number>} numbers those of the next writes
   */
  constructor(address, numbers) {
    this.#address = address
    this.#numbers = numbers
  }

  /** @param {number} count */
  async start(count) {
    for (let index = 0; index < accountCount; index++) await this.#send(accountRequest(index))
    this.#loops = Array.from({ length: count }, (_, index) => this.#write(index))
    // Writers that are answered with what nobody expects end; stop() throws what they threw.
    for (const loop of this.#loops) loop.catch(() => {})
  }

  async stop() {
    this.#isOver = true
    await Promise.all(this.#loops)
  }

  /**
   * Waits for a write that is acknowledged later.
   *
   * @param {number} time by `performance.now()`
   * @returns {Promise<number>} when it was
   */
  async successAfter(time) {
    while (this.#lastSuccessAt <= time) {
      if (performance.now() > time + 60_000) throw new Error('No write succeeds for a minute.')
      await wait(2)
    }
    return this.#lastSuccessAt
  }

  /** @param {number} index */
  async #write(index) {
    while (!this.#isOver) {
      const number = this.#numbers.next().value
      await this.#send(writeRequest(number, index))
      this.acknowledged.set(number, new Date())
    }
  }

  /** @param {{ path: string, type: string, body: object }} request */
  async #send({ path, type, body }) {
    const headers = {
      'content-type': type,
      'idempotency-key': `"${randomUUID()}"`,
    }
    for (;;) {
      const response = await fetch(`${this.#address}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      const text = await response.text()
      const code = response.ok ? '' : JSON.parse(text).errors[0].code
      this.#count(`${response.status} ${code}`.trim())
      if (response.ok) {
        this.#lastSuccessAt = performance.now()
        return
      }
      // An account is there that a service before this one has made.
      if (code === 'already-exists') return
      // 409: the first request with the key is still under way.
      if (response.status !== 503 && response.status !== 409)
        throw new Error(`A write was answered with ${response.status}: ${text}`)
      await wait(pauseMs)
    }
  }

  /** @param {string} answer */
  #count(answer) {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1)
  }
}
