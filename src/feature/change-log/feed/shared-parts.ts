import { lruCache } from '../../../cache/lru-cache.ts'

/** More than there are groups of followers, each with a filter and rights of its own. */
const maxParts = 500

/** How long they are kept, in milliseconds: what is erased must not be sent again. */
const maxPartsMs = 10_000

/**
 * What several who follow a list read alike, computed once until changes arrive again, and for 10
 * seconds at most.
 */
export class SharedParts {
  #arrivals = 0
  #erasures = 0
  #parts = lruCache<string, Promise<unknown>>(maxParts)
  #clearing: NodeJS.Timeout | undefined

  get<T>(arrivals: number, key: string, compute: () => Promise<T>): Promise<T> {
    if (arrivals !== this.#arrivals) {
      this.#arrivals = arrivals
      this.clear()
    }
    const known = this.#parts.get(key)
    if (known) return known as Promise<T>
    const part = compute()
    this.#parts.set(key, part)
    this.#clearing ??= setTimeout(() => this.clear(), maxPartsMs).unref()
    return part
  }

  /** How often something in the log was erased: what was read before must not be sent after it. */
  get erasures(): number {
    return this.#erasures
  }

  /** Something in the log was erased. */
  forget(): void {
    this.#erasures++
    this.clear()
  }

  clear(): void {
    clearTimeout(this.#clearing)
    this.#clearing = undefined
    this.#parts = lruCache(maxParts)
  }
}
