import { clientAtAddress } from '../context/caller-or-address.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { RefusalLimit, RefusedPart } from '../middleware/client-limit.ts'
import type { Quota } from './quota.ts'

/**
 * Limits requests that are refused before they have a rule or a caller. They have points apart from
 * those of anonymous requests, so that reading much does not lock out callers of the same address.
 * Credentials and paths have points of their own: any page can send its visitor to unknown paths,
 * and that must not lock out the visitor.
 */
export class RefusedRequests implements RefusalLimit {
  readonly #quota: Quota
  readonly #maxKeys: number
  /** Until when an address has no points, so that its guesses are refused without a look-up. */
  readonly #blockedUntilMs = new Map<string, number>()

  constructor(quota: Quota, maxKeys: number) {
    this.#quota = quota
    this.#maxKeys = maxKeys
  }

  refuseBlocked(request: ApiRequest): void {
    if (this.#blockedUntilMs.size === 0) return
    const key = keyOf('credential', request)
    const untilMs = this.#blockedUntilMs.get(key)
    if (untilMs === undefined) return
    const msBeforeNext = untilMs - Date.now()
    if (msBeforeNext > 0) this.#refuse({}, msBeforeNext)
    this.#blockedUntilMs.delete(key)
  }

  async take(part: RefusedPart, request: ApiRequest): Promise<ResponseHeaders> {
    const key = keyOf(part, request)
    const result = await this.#quota.take(key, 1)
    if (!result) return {}
    const headers = this.#quota.withHeaders({}, result)
    if (!result.isExceeded) return headers
    // All clients share an unknown address, and one of them must not lock out the others.
    if (part === 'credential' && request.address !== undefined)
      this.#block(key, result.msBeforeNext)
    return this.#refuse(headers, result.msBeforeNext)
  }

  #refuse(headers: ResponseHeaders, msBeforeNext: number): never {
    const result = { remainingPoints: 0, msBeforeNext }
    throw this.#quota.exceeded(result, this.#quota.withHeaders(headers, result), 'refused')
  }

  /** Beyond the bound, an address is refused after its credential was looked up. */
  #block(key: string, ms: number): void {
    const nowMs = Date.now()
    // The oldest come first. Looking at all of them each time would cost more than a look-up.
    for (const [other, untilMs] of this.#blockedUntilMs) {
      if (untilMs > nowMs) break
      this.#blockedUntilMs.delete(other)
    }
    if (this.#blockedUntilMs.size < this.#maxKeys) this.#blockedUntilMs.set(key, nowMs + ms)
  }
}

/** No client of `limit()` has such a key: theirs start with another word. */
function keyOf(part: RefusedPart, { address }: ApiRequest): string {
  return `${part}:${clientAtAddress(address)}`
}
