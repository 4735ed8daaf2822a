import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { isPromise } from '../concurrency/is-promise.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { withEnd } from '../http/derived-body.ts'
import { formatValue } from '../model/check-options.ts'
import { countOf } from '../text/message-text.ts'
import { type FailureHandling, passOrRefuse, reportFailure } from './limiter-failures.ts'
import { MemoryCounter, type RequestCounter } from './request-counter.ts'

/** How many requests of each client may be under way. */
export class ConcurrentRequests {
  readonly #limit: number
  readonly #counter: RequestCounter
  readonly #failures: FailureHandling

  constructor(limit: number, failures: FailureHandling, counter?: RequestCounter) {
    this.#limit = limit
    this.#failures = failures
    this.#counter = counter ?? new MemoryCounter()
  }

  /**
   * Runs a request, which counts until its body is sent or closed.
   * @throws ApiError `too-many-requests`, `overloaded`
   */
  async run(client: string, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const request = randomUUID()
    if (!(await this.#begin(client, request))) return next()
    let hasEnded = false
    const end = () => {
      if (!hasEnded) void this.#end(client, request)
      hasEnded = true
    }
    try {
      const response = await next()
      const body = withEnd(response.body, end)
      return body === response.body ? response : { ...response, body }
    } catch (error) {
      end()
      throw error
    }
  }

  /** @returns whether the request is counted: all pass while the counter fails, by default */
  async #begin(client: string, request: string): Promise<boolean> {
    let mayRun: boolean
    let begun: unknown
    try {
      begun = this.#counter.begin(client, request, this.#limit)
      mayRun = await inTime(begun)
    } catch (error) {
      // It may have counted the request before it failed, or count it later.
      void Promise.allSettled([begun]).then(() => this.#end(client, request))
      passOrRefuse(this.#failures, error)
      return false
    }
    if (mayRun) return true
    throw temporaryRefusal(
      'too-many-requests',
      `At most ${countOf(this.#limit, 'request')} may run at a time. Try again when another request has ended.`,
    )
  }

  /** The response does not wait for it. */
  async #end(client: string, request: string): Promise<void> {
    try {
      await this.#counter.end(client, request)
    } catch (error) {
      reportFailure(this.#failures, error)
    }
  }
}

/** A counter that says nothing would stop all requests. */
const maxBeginMs = 2_000

/** @throws Error if `begin` takes too long, or returns something else */
async function inTime(begun: unknown): Promise<boolean> {
  const timeout = new AbortController()
  const late = async () => {
    await wait(maxBeginMs, undefined, { signal: timeout.signal, ref: false })
    throw new Error(
      `'begin' of the option 'requestCounter' took more than ${maxBeginMs / 1_000} s.`,
    )
  }
  try {
    const value = isPromise(begun) ? await Promise.race([begun, late()]) : begun
    if (typeof value === 'boolean') return value
    throw new TypeError(
      `'begin' of the option 'requestCounter' must return true or false; got ${formatValue(value)}.`,
    )
  } finally {
    timeout.abort()
  }
}
