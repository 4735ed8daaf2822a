/** Counts the requests of clients that are under way, for several processes: in Redis, say. */
export interface RequestCounter {
  /**
   * Counts a request, unless `limit` requests of its client are under way. What a process that is
   * killed has begun must end by itself after a time. It must settle within 2 s: else it has
   * failed, and `end` follows whatever it returns later.
   * @param client who sends it
   * @param request its id, unlike those of all other requests
   * @returns whether it may run
   */
  begin(client: string, request: string, limit: number): boolean | Promise<boolean>
  /**
   * The response is sent, or the client has left; or `begin` has failed, and may have counted the
   * request. Called once for each request, unless `begin` has returned false in time.
   */
  end(client: string, request: string): void | Promise<void>
}

/** Counts those of this process. */
export class MemoryCounter implements RequestCounter {
  readonly #counts = new Map<string, number>()

  begin(client: string, _request: string, limit: number): boolean {
    const count = this.#counts.get(client) ?? 0
    if (count >= limit) return false
    this.#counts.set(client, count + 1)
    return true
  }

  end(client: string): void {
    const count = this.#counts.get(client)! - 1
    if (count === 0) this.#counts.delete(client)
    else this.#counts.set(client, count)
  }
}
