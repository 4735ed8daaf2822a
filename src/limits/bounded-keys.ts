import { hash } from 'node:crypto'

/** Keys beyond the limit share this number of keys. */
const sharedKeys = 1_024

/**
 * Bounds the number of keys that a limiter in memory holds, however many clients there are. While
 * there are too many, new ones share keys, and so their points.
 */
export class BoundedKeys {
  readonly #maxKeys: number
  readonly #periodMs: number
  // A key is in use for at most two periods after it was added.
  #current = new Set<string>()
  #previous = new Set<string>()
  #periodEndsAtMs = 0

  constructor(maxKeys: number, periodMs: number) {
    this.#maxKeys = maxKeys
    this.#periodMs = periodMs
  }

  /** The key of a client, or one that it shares with others. */
  bounded(key: string, nowMs: number): string {
    this.#rotate(nowMs)
    if (this.#current.has(key)) return key
    if (!this.#previous.has(key) && this.size >= this.#maxKeys)
      return `shared:${hash('sha256', key, 'buffer').readUInt32BE() % sharedKeys}`
    this.#previous.delete(key)
    this.#current.add(key)
    return key
  }

  get size(): number {
    return this.#current.size + this.#previous.size
  }

  #rotate(nowMs: number): void {
    if (nowMs < this.#periodEndsAtMs) return
    const isRecent = nowMs < this.#periodEndsAtMs + this.#periodMs
    this.#previous = isRecent ? this.#current : new Set()
    this.#current = new Set()
    this.#periodEndsAtMs = nowMs + this.#periodMs
  }
}
