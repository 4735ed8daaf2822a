/** What a limiter knows about a key after a request. */
export interface RateLimiterResult {
  readonly remainingPoints: number
  /** The milliseconds until the points come back. */
  readonly msBeforeNext: number
}

/** A limiter of the package rate-limiter-flexible, or one like it. */
export interface RateLimiter {
  /** The points of a key in each period. */
  readonly points: number
  /** The period, in seconds. */
  readonly duration: number
  /**
   * Takes points of a key. It rejects with a result where too few are left, and with an `Error`
   * where it cannot tell.
   */
  consume(key: string, points?: number): Promise<RateLimiterResult>
}

export function isRateLimiterResult(value: unknown): value is RateLimiterResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Error) &&
    'msBeforeNext' in value &&
    typeof value.msBeforeNext === 'number'
  )
}
