import type { SentRequest, ServiceClient, ServiceResponse } from './service-client.ts'

/** How long one check waits for rate limits altogether. */
const maxTotalWaitMs = 60_000
/** The shortest wait: `Retry-After` counts whole seconds. */
const minWaitMs = 1_000

/** How rate limits of the service slowed down and refused a check. */
export interface RateLimitCounts {
  /** The number of requests that stayed refused with 429; they say nothing about the service. */
  readonly limitedCount: number
  /** How long the check waited for rate limits, in milliseconds. */
  readonly waitedMs: number
}

/** Thrown for a request that a rate limit still refuses after waiting. */
export class RateLimitedError extends Error {
  constructor({ method, requestTarget }: Pick<SentRequest, 'method' | 'requestTarget'>) {
    super(
      `A rate limit of the service refuses ${method} ${requestTarget} (429); expected limits that the requests of a check do not reach.`,
    )
  }
}

/** Waits as the rate limits of a service say, for a bounded time altogether. */
export class RateLimits {
  #limitedCount = 0
  #waitedMs = 0
  #pause: Promise<unknown> | undefined

  /** @returns true after a wait; false if the request is not to be repeated */
  async wait(retryAfter: string | undefined): Promise<boolean> {
    const pauseMs = waitMsOf(retryAfter)
    if (!this.#pause && (pauseMs === undefined || this.#waitedMs + pauseMs > maxTotalWaitMs)) {
      this.#limitedCount++
      return false
    }
    // Requests that are sent at the same time wait together.
    this.#pause ??= this.#waitFor(pauseMs!)
    await this.#pause
    return true
  }

  counts(): RateLimitCounts {
    return { limitedCount: this.#limitedCount, waitedMs: this.#waitedMs }
  }

  async #waitFor(pauseMs: number): Promise<void> {
    this.#waitedMs += pauseMs
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    this.#pause = undefined
  }
}

/** A client that repeats requests that a rate limit refuses. */
export function withRateLimits(service: ServiceClient, limits: RateLimits): ServiceClient {
  const send = async (request: SentRequest): Promise<ServiceResponse> => {
    const response = await service.send(request)
    if (response.status !== 429 || !(await limits.wait(response.headers['retry-after'])))
      return response
    return send(request)
  }
  return { send }
}

/** `Retry-After` has seconds or a date (RFC 9110 §10.2.3). */
function waitMsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const delayMs = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(delayMs) ? undefined : Math.max(delayMs, minWaitMs)
}
