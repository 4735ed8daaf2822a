import { type LruCache, lruCache } from '../cache/lru-cache.ts'
import type { ClientUsage, RecordShare, RequestRecords } from './request-records.ts'

const sweepIntervalMs = 60_000
/** The rows of one transaction, so that others do not wait for long. */
const sweptAtOnce = 500
/** How often records are counted again where the first of them has expired. */
const recountIntervalMs = 1_000
const maxCountedClients = 10_000

/** From this part of the whole on, each client has a share. */
export const scarceFrom: number = 1 / 2
/** The part of the whole that one client may keep then. */
export const clientShare: number = 1 / 10

interface CountedClient extends ClientUsage {
  readonly countedAtMs: number
}

/**
 * Bounds the request records, of all clients and of each, and removes those that have expired: when
 * the router opens, and at most once a minute while requests come. It needs no timer, and no table
 * is scanned per request.
 */
export class RequestRecordKeeper {
  readonly #records: RequestRecords
  readonly #limits: RecordShare
  readonly #share: RecordShare
  readonly #onError: (error: unknown) => void
  readonly #clients: LruCache<string, CountedClient> = lruCache(maxCountedClients)
  #estimate = { records: 0, bytes: 0 }
  #firstExpiryMs: number | undefined
  #sweptAtMs = Number.NEGATIVE_INFINITY
  #sweeping: Promise<void> = Promise.resolve()
  #isClosed = false

  /** @param limits how much all clients may keep together */
  constructor(
    records: RequestRecords,
    limits: RecordShare,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.#records = records
    this.#limits = limits
    this.#share = {
      records: Math.max(1, Math.floor(limits.records * clientShare)),
      bytes: Math.max(1, Math.floor(limits.bytes * clientShare)),
    }
    this.#onError = onError
  }

  /**
   * When the client may keep another record; undefined if it may now. The records of other
   * processes are counted once a minute.
   */
  async fullUntilMs(client: string, nowMs: number): Promise<number | undefined> {
    this.#sweepSometimes(nowMs, sweepIntervalMs)
    if (!this.#isUsed(scarceFrom)) return undefined
    if (this.#isUsed(1) && (this.#firstExpiryMs ?? nowMs) <= nowMs) {
      this.#sweepSometimes(nowMs, recountIntervalMs)
      await this.#sweeping
    }
    if (this.#isUsed(1)) return Math.max(this.#firstExpiryMs ?? 0, nowMs + 1)
    const { fullUntilMs } = await this.#counted(client, nowMs)
    return fullUntilMs
  }

  /** Called for each new record. */
  added(client: string, bytes: number, expiresAtMs: number): void {
    this.#estimate.records++
    this.#estimate.bytes += bytes
    this.#firstExpiryMs = Math.min(this.#firstExpiryMs ?? expiresAtMs, expiresAtMs)
    const counted = this.#clients.get(client)
    if (!counted) return
    const usage = { ...counted, records: counted.records + 1, bytes: counted.bytes + bytes }
    // The store says until when.
    const countedAtMs = isWithin(usage, this.#share)
      ? counted.countedAtMs
      : Number.NEGATIVE_INFINITY
    this.#clients.set(client, { ...usage, countedAtMs })
  }

  /** Starts to remove what has expired, if that was not done within the last minute. */
  sweepSometimes(nowMs: number): void {
    this.#sweepSometimes(nowMs, sweepIntervalMs)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sweeping
  }

  #isUsed(part: number): boolean {
    const { records, bytes } = this.#limits
    return !isWithin(this.#estimate, { records: records * part, bytes: bytes * part })
  }

  /** A client that is over its share is not counted again before something of it expires. */
  async #counted(client: string, nowMs: number): Promise<ClientUsage> {
    const counted = this.#clients.get(client)
    if (counted) {
      const { fullUntilMs, countedAtMs } = counted
      const validUntilMs = fullUntilMs ?? countedAtMs + sweepIntervalMs
      if (nowMs < validUntilMs) return counted
    }
    const usage = await this.#records.usageOf(client, this.#share, nowMs)
    this.#clients.set(client, { ...usage, countedAtMs: nowMs })
    return usage
  }

  #sweepSometimes(nowMs: number, intervalMs: number): void {
    if (this.#isClosed || nowMs - this.#sweptAtMs < intervalMs) return
    this.#sweptAtMs = nowMs
    this.#sweeping = this.#sweep(nowMs).catch((error: unknown) => {
      if (!this.#isClosed) this.#onError(error)
    })
  }

  async #sweep(nowMs: number): Promise<void> {
    while (!this.#isClosed) {
      const removed = await this.#records.removeExpired(nowMs, sweptAtOnce)
      if (removed < sweptAtOnce) break
    }
    if (this.#isClosed) return
    const { records, bytes, firstExpiryMs } = await this.#records.usage()
    this.#estimate = { records, bytes }
    this.#firstExpiryMs = firstExpiryMs
  }
}

function isWithin({ records, bytes }: RecordShare, share: RecordShare): boolean {
  return records < share.records && bytes < share.bytes
}
