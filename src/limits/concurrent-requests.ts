import { randomUUID } from 'node:crypto'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { withEnd } from '../http/derived-body.ts'
import { countOf } from '../text/message-text.ts'
import { type FailureHandling, passOrRefuse } from './limiter-failures.ts'
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
      if (!hasEnded) this.#end(client, request)
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
    try {
      mayRun = await this.#counter.begin(client, request, this.#limit)
    } catch (error) {
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
      this.#failures.onError(error)
    }
  }
}
