import { lruCache } from '../../../cache/lru-cache.ts'

/** More than there are groups of followers, each with a filter and rights of its own. */
const maxParts = 500

/** What several who follow a list read alike, computed once until changes arrive again. */
export class SharedParts {
  #arrivals = 0
  #parts = lruCache<string, Promise<unknown>>(maxParts)

  get<T>(arrivals: number, key: string, compute: () => Promise<T>): Promise<T> {
    if (arrivals !== this.#arrivals) {
      this.#arrivals = arrivals
      this.#parts = lruCache(maxParts)
    }
    const known = this.#parts.get(key)
    if (known) return known as Promise<T>
    const part = compute()
    this.#parts.set(key, part)
    return part
  }
}
