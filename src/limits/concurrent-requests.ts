import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { withEnd } from '../http/derived-body.ts'

/** Counts the requests of each key that are under way in this process. */
export class ConcurrentRequests {
  readonly #limit: number
  readonly #counts = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Runs a request, which counts until its body is sent or closed.
   * @returns undefined if there are too many
   */
  async run(key: string, request: () => Promise<ApiResponse>): Promise<ApiResponse | undefined> {
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#limit) return undefined
    this.#counts.set(key, count + 1)
    let isReleased = false
    const release = () => {
      if (!isReleased) this.#release(key)
      isReleased = true
    }
    let body: ResponseBody
    try {
      const response = await request()
      body = withEnd(response.body, release)
      return body === response.body ? response : { ...response, body }
    } catch (error) {
      release()
      throw error
    }
  }

  #release(key: string): void {
    const count = this.#counts.get(key)! - 1
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}
