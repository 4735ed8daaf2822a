import { type ApiError, createApiError } from '../error/api-error.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import { countOf } from '../text/message-text.ts'
import { withLimitHeaders } from './limit-headers.ts'
import { type FailureHandling, passOrRefuse } from './limiter-failures.ts'
import { isRateLimiterResult, type RateLimiter, type RateLimiterResult } from './rate-limiter.ts'

/** What is left of a quota after a request. */
export interface QuotaResult extends RateLimiterResult {
  readonly isExceeded: boolean
}

/** The points of each client in each period. */
export class Quota {
  readonly #name: string
  readonly #limiter: RateLimiter
  readonly #failures: FailureHandling

  constructor(name: string, limiter: RateLimiter, failures: FailureHandling) {
    this.#name = name
    this.#limiter = limiter
    this.#failures = failures
  }

  get points(): number {
    return this.#limiter.points
  }

  /**
   * Takes points; undefined while the limiter fails and requests pass.
   * @throws ApiError `overloaded`
   */
  async take(key: string, points: number): Promise<QuotaResult | undefined> {
    try {
      return { ...remainingOf(await this.#limiter.consume(key, points)), isExceeded: false }
    } catch (error) {
      if (isRateLimiterResult(error)) return { ...remainingOf(error), isExceeded: true }
      passOrRefuse(this.#failures, error)
      return undefined
    }
  }

  /** The headers of a response with what is left now. */
  withHeaders(headers: ResponseHeaders, result: RateLimiterResult): ResponseHeaders {
    const { points, duration: seconds } = this.#limiter
    return withLimitHeaders(headers, {
      name: this.#name,
      points,
      seconds,
      remainingPoints: result.remainingPoints,
      secondsUntilReset: secondsOf(result.msBeforeNext),
    })
  }

  /**
   * @param headers further headers of the response
   * @param requests which requests took the points
   */
  exceeded(
    { msBeforeNext }: RateLimiterResult,
    headers: ResponseHeaders = {},
    requests: 'all' | 'refused' = 'all',
  ): ApiError {
    const { points, duration } = this.#limiter
    const seconds = secondsOf(msBeforeNext)
    const limit = `The limit of ${countOf(points, 'point')} in ${countOf(duration, 'second')}`
    return createApiError(
      'too-many-requests',
      `${limit} ${reasons[requests]} Try again in ${countOf(seconds, 'second')}.`,
      undefined,
      { headers: { ...headers, 'retry-after': String(seconds) }, meta: { limit: points } },
    )
  }
}

const reasons = {
  all: 'is exceeded.',
  refused:
    'is used up by requests from this address that were refused, such as those with a wrong credential.',
} as const

/** A request never costs more than a client has, or it could never be sent. */
export function pointsOf(cost: number, points: number): number {
  if (!(cost >= 0)) throw new TypeError(`The cost of a request must be at least 0; got ${cost}.`)
  return Math.min(Math.ceil(cost), points)
}

/** Some limiters count beyond their points. */
function remainingOf({ remainingPoints, msBeforeNext }: RateLimiterResult): RateLimiterResult {
  return { remainingPoints: Math.max(0, remainingPoints), msBeforeNext }
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}
