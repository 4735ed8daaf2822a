import {
  attempt,
  type FailedAttempt,
  noWrites,
  type OtherWrites,
  storeWith,
} from '../../background/attempt.ts'
import type { Lease } from '../../background/lease.ts'
import { growingPause, pause } from '../../concurrency/pause.ts'
import { errorText } from '../../error/error-text.ts'
import {
  type AsideChange,
  insertAside,
  listAside,
  removeAside,
  replaceAside,
} from './aside-table.ts'
import { changeOf, type KeptEntry } from './change.ts'
import type { Consumer } from './consumer-options.ts'
import type { ConsumerServices } from './consumer-services.ts'
import type { ConsumerRow } from './consumer-table.ts'

/** Gives changes to the function of a consumer, and stores what became of them. */
export class Delivery {
  readonly #consumer: Consumer
  readonly #services: ConsumerServices
  readonly #lease: Lease<ConsumerRow>
  /** Aborted when the router closes, or the lease is lost. */
  readonly #signal: AbortSignal
  /** How many changes of an item are put aside. Later ones wait behind them. */
  readonly #asideCounts = new Map<string, number>()

  constructor(
    consumer: Consumer,
    services: ConsumerServices,
    lease: Lease<ConsumerRow>,
    signal: AbortSignal,
    aside: readonly AsideChange[],
  ) {
    this.#consumer = consumer
    this.#services = services
    this.#lease = lease
    this.#signal = signal
    this.#countAll(aside)
  }

  /**
   * Gives these changes, one by one if giving them together fails.
   * @param next the position after them
   * @throws what the store throws, and the reason of the signal
   */
  async give(entries: readonly KeptEntry[], next: string): Promise<void> {
    const waits = entries.some((entry) => this.#isBlocked(entry))
    if (entries.length > 1 && !waits && this.#lease.row.attempts === 0) {
      const error = await this.#attempt(entries, { position: next, attempts: 0 })
      if (!error) return
      const count = `${entries.length} changes together`
      await this.#recordFailure(`at ${count}, and gets them one by one`, error, {})
      await this.#pause(1)
    }
    for (const [index, entry] of entries.entries())
      await this.#giveOne(entry, index === entries.length - 1 ? next : entry.position)
  }

  /** Gives a change that was put aside once more. @returns is it done? */
  async giveAside(aside: AsideChange): Promise<boolean> {
    const error = await this.#attempt([aside.entry], {}, (transaction) =>
      removeAside(transaction, aside),
    )
    if (!error) {
      this.#countAside(aside.entry, -1)
      return true
    }
    const failed = { ...aside, attempts: aside.attempts + 1, error: errorText(error.cause) }
    const { name } = this.#consumer
    await this.#recordFailure(
      `at ${inWords(aside.entry)}, which stays put aside`,
      error,
      {},
      (to) => replaceAside(to, name, failed),
    )
    return false
  }

  async #giveOne(entry: KeptEntry, next: string): Promise<void> {
    while (!this.#isBlocked(entry)) {
      const error = await this.#attempt([entry], { position: next, attempts: 0 })
      if (!error) return
      const attempts = this.#lease.row.attempts + 1
      const { options } = this.#consumer
      if (attempts >= options.attempts) return this.#putAside(entry, next, attempts, error)
      const count = `${attempts} of ${options.attempts} attempts`
      await this.#recordFailure(`at ${inWords(entry)}, after ${count}`, error, { attempts })
      await this.#pause(attempts)
    }
    await this.#countAgain()
    if (!this.#isBlocked(entry)) return this.#giveOne(entry, next)
    const { changes, others } = this.#aside(entry, next, 0, '')
    await this.#store(changes, others)
    this.#countAside(entry, 1)
  }

  async #putAside(
    entry: KeptEntry,
    next: string,
    attempts: number,
    error: FailedAttempt,
  ): Promise<void> {
    const { name } = this.#consumer
    const { changes, others } = this.#aside(entry, next, attempts, errorText(error.cause))
    await this.#recordFailure(
      `at ${inWords(entry)}, after all of ${attempts} attempts. The change is put aside, and later changes of the item wait behind it: 'resourcery consumers <module> --retry ${name}' repeats them`,
      error,
      changes,
      others,
    )
    this.#countAside(entry, 1)
  }

  /** What puts a change aside, under the next number. */
  #aside(entry: KeptEntry, position: string, attempts: number, error: string): AsideWrites {
    const { name } = this.#consumer
    const number = this.#lease.row.asideCount
    return {
      changes: { position, attempts: 0, asideCount: number + 1 },
      others: (transaction) => insertAside(transaction, name, { number, entry, attempts, error }),
    }
  }

  /** @returns why the function failed; undefined if the changes are done */
  async #attempt(
    entries: readonly KeptEntry[],
    changes: Partial<ConsumerRow>,
    others: OtherWrites = noWrites,
  ): Promise<FailedAttempt | undefined> {
    const { consume, options } = this.#consumer
    const services = this.#services
    const signal = this.#signal
    const given = await Promise.all(
      entries.map((entry) => changeOf(services.models.get(entry.model)!, entry)),
    )
    return attempt({
      lease: this.#lease,
      services,
      signal,
      inTransaction: options.inTransaction,
      run: (items) => consume(given, { signal, items }),
      changes: () => changes,
      others,
    })
  }

  #store(changes: Partial<ConsumerRow>, others: OtherWrites): Promise<void> {
    return storeWith(this.#lease, this.#services, changes, others)
  }

  async #recordFailure(
    where: string,
    { cause }: FailedAttempt,
    changes: Partial<ConsumerRow>,
    others: OtherWrites = noWrites,
  ): Promise<void> {
    const error = errorText(cause)
    const { name } = this.#consumer
    this.#services.onError(new Error(`The consumer '${name}' failed ${where}: ${error}`, { cause }))
    await this.#store({ ...changes, error, errorAtMs: Date.now() }, others)
  }

  async #pause(failures: number): Promise<void> {
    const { pauseMs, maxPauseMs } = this.#consumer.options
    await pause(growingPause(failures, pauseMs, maxPauseMs), this.#signal)
    this.#signal.throwIfAborted()
  }

  #isBlocked(entry: KeptEntry): boolean {
    return this.#asideCounts.has(keyOf(entry))
  }

  /** What is put aside may have been erased meanwhile. */
  async #countAgain(): Promise<void> {
    this.#countAll(await listAside(this.#services.store, this.#consumer.name))
  }

  #countAll(aside: readonly AsideChange[]): void {
    this.#asideCounts.clear()
    for (const { entry } of aside) this.#countAside(entry, 1)
  }

  #countAside(entry: KeptEntry, added: number): void {
    const key = keyOf(entry)
    const count = (this.#asideCounts.get(key) ?? 0) + added
    if (count > 0) this.#asideCounts.set(key, count)
    else this.#asideCounts.delete(key)
  }
}

interface AsideWrites {
  readonly changes: Partial<ConsumerRow>
  readonly others: OtherWrites
}

function keyOf({ model, id }: KeptEntry): string {
  return `${model}/${id}`
}

function inWords({ kind, model, id }: KeptEntry): string {
  return `the ${kind} of the ${model} '${id}'`
}
