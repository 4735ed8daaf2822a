import { clientAtAddress } from '../context/caller-or-address.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { RefusalLimit, RefusedPart } from '../middleware/client-limit.ts'
import { LookUpQueue } from './look-up-queue.ts'
import type { Quota } from './quota.ts'
import type { RateLimiterResult } from './rate-limiter.ts'

/**
 * Limits requests that are refused before they have a rule or a caller. They have points apart from
 * those of anonymous requests, so that reading much does not lock out callers of the same address.
 * Credentials and paths have points of their own: any page can send its visitor to unknown paths,
 * and that must not lock out the visitor.
 */
export class RefusedRequests implements RefusalLimit {
  readonly #quota: Quota
  readonly #maxKeys: number
  /** The points for credentials that are left to addresses which have taken some. */
  readonly #left = new Map<string, PointsLeft>()
  readonly #lookUps = new LookUpQueue((key, running) => running < this.#pointsLeft(key))

  constructor(quota: Quota, maxKeys: number) {
    this.#quota = quota
    this.#maxKeys = maxKeys
  }

  lookUp<Found>(request: ApiRequest, find: () => Found | Promise<Found>): Found | Promise<Found> {
    // All clients share an unknown address, and one of them must not lock out the others.
    if (request.address === undefined) return find()
    return this.#lookUps.run(keyOf('credential', request), find)
  }

  async take(part: RefusedPart, request: ApiRequest): Promise<ResponseHeaders> {
    const key = keyOf(part, request)
    const result = await this.#quota.take(key, 1)
    if (!result) return {}
    if (part === 'credential') this.#remember(key, result)
    const headers = this.#quota.withHeaders({}, result)
    if (!result.isExceeded) return headers
    return this.#refuse(headers, result.msBeforeNext)
  }

  #refuse(headers: ResponseHeaders, msBeforeNext: number): never {
    const result = { remainingPoints: 0, msBeforeNext }
    throw this.#quota.exceeded(result, this.#quota.withHeaders(headers, result), 'refused')
  }

  /** @throws ApiError `too-many-requests` where none is left */
  #pointsLeft(key: string): number {
    const known = this.#left.get(key)
    if (!known) return this.#quota.points
    const msBeforeNext = known.untilMs - Date.now()
    if (msBeforeNext <= 0) {
      this.#left.delete(key)
      return this.#quota.points
    }
    return known.points > 0 ? known.points : this.#refuse({}, msBeforeNext)
  }

  /** Beyond the bound, an address is refused after its credential was looked up. */
  #remember(key: string, { remainingPoints, msBeforeNext }: RateLimiterResult): void {
    const nowMs = Date.now()
    this.#left.delete(key)
    // The oldest come first. Looking at all of them each time would cost more than a look-up.
    for (const [other, { untilMs }] of this.#left) {
      if (untilMs > nowMs) break
      this.#left.delete(other)
    }
    if (this.#left.size < this.#maxKeys)
      this.#left.set(key, { points: remainingPoints, untilMs: nowMs + msBeforeNext })
  }
}

interface PointsLeft {
  readonly points: number
  /** When they all come back. */
  readonly untilMs: number
}

/** No client of `limit()` has such a key: theirs start with another word. */
function keyOf(part: RefusedPart, { address }: ApiRequest): string {
  return `${part}:${clientAtAddress(address)}`
}
