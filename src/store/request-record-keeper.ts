import type { RequestRecords } from './request-records.ts'

const sweepIntervalMs = 60_000
/** The rows of one transaction, so that others do not wait for long. */
const sweptAtOnce = 500

/**
 * Bounds the number of request records, and removes those that have expired: when the router opens,
 * and at most once a minute while requests come. It needs no timer, and no table is scanned per
 * request.
 */
export class RequestRecordKeeper {
  readonly #records: RequestRecords
  readonly #maxRecords: number
  readonly #onError: (error: unknown) => void
  #estimatedCount = 0
  #sweptAtMs = Number.NEGATIVE_INFINITY
  #sweeping: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(
    records: RequestRecords,
    maxRecords: number,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.#records = records
    this.#maxRecords = maxRecords
    this.#onError = onError
  }

  /** Are there as many as there may be? Other processes are counted once a minute. */
  get isFull(): boolean {
    return this.#estimatedCount >= this.#maxRecords
  }

  /** Called for each new record. */
  added(): void {
    this.#estimatedCount++
  }

  /** Starts to remove what has expired, if that was not done within the last minute. */
  sweepSometimes(nowMs: number): void {
    if (this.#isClosed || nowMs - this.#sweptAtMs < sweepIntervalMs) return
    this.#sweptAtMs = nowMs
    this.#sweeping = this.#sweep(nowMs).catch((error: unknown) => {
      if (!this.#isClosed) this.#onError(error)
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sweeping
  }

  async #sweep(nowMs: number): Promise<void> {
    while (!this.#isClosed) {
      const removed = await this.#records.removeExpired(nowMs, sweptAtOnce)
      if (removed < sweptAtOnce) break
    }
    if (!this.#isClosed) this.#estimatedCount = await this.#records.count()
  }
}
