import { Lease, type LeaseTimes, leaseTimes } from '../../background/lease.ts'
import { repeatUntilClosed } from '../../background/repeat-until-closed.ts'
import { type RunningWork, routerCloses } from '../../background/running-work.ts'
import { errorText } from '../../error/error-text.ts'
import type { ChangeEntry } from '../../store/change-log.ts'
import { listAside } from './aside-table.ts'
import type { KeptEntry } from './change.ts'
import type { Consumer } from './consumer-options.ts'
import type { ConsumerServices } from './consumer-services.ts'
import { type ConsumerRow, consumerRows } from './consumer-table.ts'
import { Delivery } from './delivery.ts'
import { Wakeup } from './wakeup.ts'

/** How many changes of the log are read at once, those of other models too. */
const minPageSize = 100

/** A consumer in this process. It runs while no other process does. */
export class RunningConsumer implements RunningWork {
  readonly #consumer: Consumer
  readonly #services: ConsumerServices
  readonly #times: LeaseTimes
  readonly #modelNames: ReadonlySet<string>
  readonly #closing = new AbortController()
  readonly #wakeup = new Wakeup()
  readonly #running: Promise<void>

  constructor(consumer: Consumer, services: ConsumerServices, times: LeaseTimes = leaseTimes) {
    this.#consumer = consumer
    this.#services = services
    this.#times = times
    this.#modelNames = new Set(consumer.options.models.map(({ modelName }) => modelName))
    this.#running = this.#run()
  }

  /** Waits for the function if it runs, and lets another process take over. */
  async close(): Promise<void> {
    this.#closing.abort(routerCloses())
    await this.#running
  }

  async #run(): Promise<void> {
    const unwatch = this.#services.changes.watch(() => this.#wakeup.wake())
    await repeatUntilClosed(
      this.#closing.signal,
      async () => {
        const lease = await Lease.acquire(this.#leaseSettings(), this.#closing.signal)
        if (!lease) return
        try {
          await this.#work(lease)
        } finally {
          await lease.release()
        }
      },
      (error) => this.#report(`cannot go on now: ${errorText(error)}`, error),
    )
    unwatch()
  }

  #leaseSettings() {
    const { store } = this.#services
    const { name, options } = this.#consumer
    const isFenced = options.inTransaction
    return { store, rows: consumerRows, name, times: this.#times, isFenced }
  }

  /** Until the router closes or the lease is lost. */
  async #work(lease: Lease<ConsumerRow>): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, lease.signal])
    const onAbort = () => this.#wakeup.wake()
    signal.addEventListener('abort', onAbort)
    const aside = await listAside(this.#services.store, this.#consumer.name)
    const delivery = new Delivery(this.#consumer, this.#services, lease, signal, aside)
    lease.onRenewal(({ repeatsAsked, repeatsDone }) => {
      if (repeatsAsked > repeatsDone) this.#wakeup.wake()
    })
    let position = lease.row.position
    try {
      while (!signal.aborted) {
        const { repeatsAsked, repeatsDone } = lease.row
        if (repeatsAsked > repeatsDone) await this.#repeatAside(lease, delivery, signal)
        const woken = this.#wakeup.next()
        const read = await this.#read(lease, position)
        await this.#give(delivery, read.entries, read.next, signal)
        if (read.next !== position) lease.writeLater({ position: read.next })
        position = read.next
        if (read.isEnd) await woken
      }
    } catch (error) {
      // What was done is stored, and what was not is done again.
      if (!signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Changes after the position. Where the log has lost some, it says so and reads what is left. */
  async #read(lease: Lease<ConsumerRow>, position: string) {
    const { changes } = this.#services
    const limit = Math.max(this.#consumer.options.maxChanges, minPageSize)
    const read = await changes.read(position === '' ? undefined : position, limit)
    if (read.kind === 'changes') return read
    await this.#reportLoss(
      lease,
      read.kind === 'expired'
        ? 'has lost changes: the log removed some before they were read. It goes on with the oldest change that the log keeps. Keep changes for longer with the option keepDays'
        : 'has a position of another log, as after a backup was restored. It goes on with the oldest change that the log keeps, and may get changes again',
    )
    const rest = await changes.read(undefined, limit)
    if (rest.kind === 'changes') return rest
    throw new Error(`The log of changes cannot be read from its start: ${rest.kind}.`)
  }

  async #give(
    delivery: Delivery,
    entries: readonly ChangeEntry[],
    next: string,
    signal: AbortSignal,
  ): Promise<void> {
    const own = entries.filter(({ model }) => this.#modelNames.has(model))
    const kept = own.filter((entry): entry is KeptEntry => entry.kind !== 'erased')
    const erasedCount = own.length - kept.length
    if (erasedCount > 0)
      this.#report(
        `does not get ${erasedCount} changes: they were erased before it read them`,
        undefined,
      )
    const { maxChanges } = this.#consumer.options
    for (let start = 0; start < kept.length; start += maxChanges) {
      signal.throwIfAborted()
      const chunk = kept.slice(start, start + maxChanges)
      const isLast = start + maxChanges >= kept.length
      await delivery.give(chunk, isLast ? next : chunk.at(-1)!.position)
    }
  }

  /** Gives what is put aside once more; of each item, until one fails. */
  async #repeatAside(
    lease: Lease<ConsumerRow>,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<void> {
    const { repeatsAsked } = lease.row
    const failedItems = new Set<string>()
    for (const aside of await listAside(this.#services.store, this.#consumer.name)) {
      signal.throwIfAborted()
      const { model, id } = aside.entry
      const item = `${model}/${id}`
      if (!this.#modelNames.has(model) || failedItems.has(item)) continue
      if (!(await delivery.giveAside(aside))) failedItems.add(item)
    }
    await lease.change({ repeatsDone: repeatsAsked })
  }

  async #reportLoss(lease: Lease<ConsumerRow>, what: string): Promise<void> {
    this.#report(what, undefined)
    await lease.change({ error: `It ${what}.`, errorAtMs: Date.now() })
  }

  #report(what: string, cause: unknown): void {
    const message = `The consumer '${this.#consumer.name}' ${what.replace(/\.$/, '')}.`
    this.#services.onError(cause === undefined ? new Error(message) : new Error(message, { cause }))
  }
}
