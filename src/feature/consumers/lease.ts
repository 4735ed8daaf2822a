import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { pause } from '../../concurrency/pause.ts'
import type { Store } from '../../store/store.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { type ConsumerRow, changeConsumer, findConsumer } from './consumer-table.ts'

/** How a consumer goes from one process to another, in milliseconds. */
export interface LeaseTimes {
  /** The owner writes this often. */
  readonly renewMs: number
  /** An owner that could not write for so long stops: others may take over soon. */
  readonly ownMs: number
  /** Others take over when the owner has not written for so long. */
  readonly expireMs: number
  /** Others look this often. */
  readonly lookMs: number
}

/** A crashed process is replaced within 7 s. No clocks of two machines are compared. */
export const leaseTimes: LeaseTimes = Object.freeze({
  renewMs: 1_500,
  ownMs: 4_000,
  expireMs: 5_500,
  lookMs: 1_000,
})

/** Another process has the consumer. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface LeaseSettings {
  readonly store: Store
  readonly name: string
  readonly times: LeaseTimes
  /**
   * Does all that the function writes depend on the lease? Then it need not stop because the lease
   * may be lost: it cannot write what another process has done.
   */
  readonly isFenced: boolean
}

/**
 * The right to be the one process that runs a consumer. All that an owner writes is fenced: the
 * transaction fails if another process has taken over.
 */
export class Lease {
  readonly #settings: LeaseSettings
  readonly #owner: string
  readonly #lost = new AbortController()
  /** When the last write of the owner began that is committed. */
  #writtenAt: number
  #timer: NodeJS.Timeout | undefined
  #row: ConsumerRow
  #renewing: Promise<void> = Promise.resolve()
  #onRow: (row: ConsumerRow) => void = () => undefined
  #unwritten: Partial<ConsumerRow> = {}

  private constructor(settings: LeaseSettings, owner: string, row: ConsumerRow, since: number) {
    this.#settings = settings
    this.#owner = owner
    this.#row = row
    this.#writtenAt = since
    this.#schedule()
  }

  /** Waits until no other process has the consumer. Undefined if the signal is aborted before. */
  static async acquire(settings: LeaseSettings, signal: AbortSignal): Promise<Lease | undefined> {
    const { store, name, times } = settings
    let seen: ConsumerRow | undefined
    let seenAt = 0
    while (!signal.aborted) {
      const row = await findConsumer(store, name)
      const now = performance.now()
      if (!row) throw new Error(`The position of the consumer '${name}' has been removed.`)
      if (seen?.beat !== row.beat || seen.owner !== row.owner) {
        seen = row
        seenAt = now
      }
      if (row.owner === '' || now - seenAt >= times.expireMs) {
        const lease = await Lease.#take(settings, row)
        if (lease) return lease
      } else await pause(times.lookMs, signal)
    }
    return undefined
  }

  static async #take(settings: LeaseSettings, seen: ConsumerRow): Promise<Lease | undefined> {
    const { store, name } = settings
    const owner = `${hostname()} ${process.pid} ${randomUUID()}`
    const since = performance.now()
    const row = await store.write((transaction) =>
      changeConsumer(transaction, name, (row) =>
        // A replica may have said what is not so any more.
        row.owner === seen.owner && row.beat === seen.beat
          ? { ...row, owner, beat: row.beat + 1 }
          : undefined,
      ),
    )
    return row?.owner === owner ? new Lease(settings, owner, row, since) : undefined
  }

  /** Aborted when the lease is lost, or may be lost. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** As this process has read or written it last. */
  get row(): ConsumerRow {
    return this.#row
  }

  /** @param listener called with what each renewal finds */
  onRenewal(listener: (row: ConsumerRow) => void): void {
    this.#onRow = listener
  }

  /** Has the next renewal write this too, for what need not be durable at once. */
  writeLater(changes: Partial<ConsumerRow>): void {
    this.#unwritten = { ...this.#unwritten, ...changes }
  }

  /**
   * Changes the consumer, with other writes of the transaction or on its own.
   * @throws LeaseLost, which undoes the transaction
   */
  async change(
    changes: Partial<ConsumerRow>,
    write: (work: (transaction: StoreTransaction) => Promise<void>) => Promise<void> = (work) =>
      this.#settings.store.write(work),
  ): Promise<void> {
    const since = performance.now()
    const unwritten = this.#unwritten
    let changed: ConsumerRow | undefined
    await write(async (transaction) => {
      changed = await this.#changeIn(transaction, { ...unwritten, ...changes })
    })
    if (this.#unwritten === unwritten) this.#unwritten = {}
    this.#writtenAt = since
    this.#row = changed!
  }

  /** Lets another process take over at once. */
  async release(): Promise<void> {
    this.#stop()
    await this.#renewing
    try {
      await this.change({ owner: '' })
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }

  async #changeIn(
    transaction: StoreTransaction,
    changes: Partial<ConsumerRow>,
  ): Promise<ConsumerRow> {
    const { name } = this.#settings
    const row = await changeConsumer(transaction, name, (row) =>
      row.owner === this.#owner ? { ...row, ...changes, beat: row.beat + 1 } : undefined,
    )
    const isOwn = row?.owner === this.#owner || (changes.owner === '' && row?.owner === '')
    if (isOwn) return row
    this.#lose()
    throw new LeaseLost(`Another process has taken over the consumer '${name}'.`)
  }

  #schedule(): void {
    const { renewMs } = this.#settings.times
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew()
    }, renewMs)
  }

  async #renew(): Promise<void> {
    // The store may let a renewal wait for long.
    const deadline = this.#settings.isFenced ? undefined : this.#loseLater()
    try {
      await this.change({})
      this.#onRow(this.#row)
    } catch {
      // The lease is lost, or the store is not available and the next renewal tries again.
    } finally {
      clearTimeout(deadline)
    }
    if (this.#timer) this.#schedule()
  }

  #loseLater(): NodeJS.Timeout {
    const leftMs = this.#writtenAt + this.#settings.times.ownMs - performance.now()
    return setTimeout(() => this.#lose(), Math.max(leftMs, 0))
  }

  #lose(): void {
    this.#stop()
    this.#lost.abort(new LeaseLost(`The consumer '${this.#settings.name}' may have another owner.`))
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
