import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { pause } from '../concurrency/pause.ts'
import type { Store } from '../store/store.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import { LeaseWatch } from './lease-watch.ts'
import type { LeasedRow, LeasedRows } from './leased-rows.ts'

/** How work goes from one process to another, in milliseconds. */
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

/** A crash is noticed within 7 s, and the work goes on within 10 s. No clocks are compared. */
export const leaseTimes: LeaseTimes = Object.freeze({
  renewMs: 1_500,
  ownMs: 4_000,
  expireMs: 5_500,
  lookMs: 1_000,
})

/** Another process has the work. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface LeaseSettings<Row extends LeasedRow> {
  readonly store: Store
  readonly rows: LeasedRows<Row>
  /** Of the row. */
  readonly name: string
  readonly times: LeaseTimes
  /**
   * Does all that the function writes depend on the lease? Then it need not stop because the lease
   * may be lost: it cannot write what another process has done.
   */
  readonly isFenced: boolean
  /** Is there work for an owner of the row? Nobody waits where there is none. Default: yes. */
  isWanted?(row: Row): boolean
}

/**
 * The right to be the one process that does the work of a row. All that an owner writes is fenced:
 * the transaction fails if another process has taken over.
 */
export class Lease<Row extends LeasedRow> {
  readonly #settings: LeaseSettings<Row>
  readonly #owner: string
  readonly #lost = new AbortController()
  /** When the last write of the owner began that is committed. */
  #writtenAt: number
  #timer: NodeJS.Timeout | undefined
  #row: Row
  #renewing: Promise<void> = Promise.resolve()
  #onRow: (row: Row) => void = () => undefined
  #unwritten: Partial<Row> = {}

  private constructor(settings: LeaseSettings<Row>, owner: string, row: Row, since: number) {
    this.#settings = settings
    this.#owner = owner
    this.#row = row
    this.#writtenAt = since
    this.#schedule()
  }

  /**
   * Waits until no other process has the row. Undefined if the signal is aborted before, or the row
   * is not wanted any more.
   */
  static async acquire<Row extends LeasedRow>(
    settings: LeaseSettings<Row>,
    signal: AbortSignal,
  ): Promise<Lease<Row> | undefined> {
    const { store, rows, name, times } = settings
    const watch = new LeaseWatch()
    while (!signal.aborted) {
      const row = await rows.get(store, name)
      if (settings.isWanted?.(row) === false) return undefined
      if (watch.isFree(row, times.expireMs)) {
        const lease = await Lease.take(settings, row)
        if (lease) return lease
      }
      await pause(times.lookMs, signal)
    }
    return undefined
  }

  /** Takes a row as it was seen; undefined if another process was faster. */
  static async take<Row extends LeasedRow>(
    settings: LeaseSettings<Row>,
    seen: LeasedRow,
  ): Promise<Lease<Row> | undefined> {
    const { store, rows, name } = settings
    const owner = `${hostname()} ${process.pid} ${randomUUID()}`
    const since = performance.now()
    const row = await store.write((transaction) =>
      rows.change(transaction, name, (row) =>
        // A replica may have said what is not so any more.
        row.owner === seen.owner && row.beat === seen.beat && settings.isWanted?.(row) !== false
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
  get row(): Row {
    return this.#row
  }

  /** @param listener called with what each renewal finds */
  onRenewal(listener: (row: Row) => void): void {
    this.#onRow = listener
  }

  /** Has the next renewal write this too, for what need not be durable at once. */
  writeLater(changes: Partial<Row>): void {
    this.#unwritten = { ...this.#unwritten, ...changes }
  }

  /**
   * Changes the row, with other writes of the transaction or on its own.
   * @param changes a function is called once the other writes are done
   * @throws LeaseLost, which undoes the transaction
   */
  async change(
    changes: Partial<Row> | (() => Partial<Row>),
    write: (work: (transaction: StoreTransaction) => Promise<void>) => Promise<void> = (work) =>
      this.#settings.store.write(work),
  ): Promise<void> {
    const since = performance.now()
    const unwritten = this.#unwritten
    let changed: Row | undefined
    await write(async (transaction) => {
      const ofCall = typeof changes === 'function' ? changes() : changes
      changed = await this.#changeIn(transaction, { ...unwritten, ...ofCall })
    })
    // What was to be done may have turned out to write nothing.
    if (!changed) return
    if (this.#unwritten === unwritten) this.#unwritten = {}
    this.#writtenAt = since
    this.#row = changed
  }

  /** Lets another process take over at once. @param changes written with it */
  async release(changes: Partial<Row> = {}): Promise<void> {
    this.#stop()
    await this.#renewing
    try {
      await this.change({ ...changes, owner: '' })
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }

  async #changeIn(transaction: StoreTransaction, changes: Partial<Row>): Promise<Row> {
    const { rows, name } = this.#settings
    const row = await rows.change(transaction, name, (row) =>
      row.owner === this.#owner ? { ...row, ...changes, beat: row.beat + 1 } : undefined,
    )
    const isOwn = row?.owner === this.#owner || (changes.owner === '' && row?.owner === '')
    if (isOwn) return row
    this.#lose()
    throw new LeaseLost(`Another process has taken over ${rows.inWords(name)}.`)
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
    const { rows, name } = this.#settings
    this.#lost.abort(new LeaseLost(`Another process may have taken over ${rows.inWords(name)}.`))
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
