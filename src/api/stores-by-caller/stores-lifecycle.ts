import { type RegularWork, regularly } from '../../background/regularly.ts'
import { OutdatedProcess, StoreClosed, StoreUnavailable } from '../../store/store-failures.ts'
import { withStoreOfWork } from './name-store.ts'
import { StorePlans } from './store-plans.ts'
import type { StoreRouter } from './store-router.ts'

/** How long a store that was away at the start is left alone before it is opened again. */
const retryMs = 2_000

/** Can the store come back by itself? */
function isAway(error: unknown): boolean {
  return (
    error instanceof StoreUnavailable &&
    !(error instanceof StoreClosed || error instanceof OutdatedProcess)
  )
}

/**
 * Opens and closes the stores of a router. A store that is away does not keep the others closed:
 * one cluster must not take the callers of all others down with it.
 */
export class StoresLifecycle {
  readonly #stores: readonly StoreRouter[]
  readonly #onError: (error: unknown) => void
  readonly #away = new Set<StoreRouter>()
  #retrying: RegularWork | undefined
  #isClosed = false

  constructor(stores: readonly StoreRouter[], onError: (error: unknown) => void) {
    this.#stores = stores
    this.#onError = onError
  }

  /**
   * @param openEntrance what has to be open before the stores
   * @throws what a store throws that is not only away, after it has closed all stores; or that of
   * the first one, if all are away
   */
  async open(openEntrance: () => Promise<unknown>): Promise<void> {
    this.#isClosed = false
    await openEntrance()
    const plans = await StorePlans.of(this.#stores)
    plans.refuseHalfChanged()
    const results = await Promise.allSettled(this.#stores.map(({ router }) => router.open()))
    const failures = results.flatMap((result, index) =>
      result.status === 'rejected'
        ? [{ store: this.#stores[index]!, error: result.reason as unknown }]
        : [],
    )
    const defect = failures.find(({ error }) => !isAway(error))
    if (defect) {
      const opened = this.#stores.filter((_, index) => results[index]!.status === 'fulfilled')
      // What failed is the reason, also where closing fails too.
      await this.close().catch(this.#onError)
      throw plans.withChangedStores(withStoreOfWork(defect.store.name, defect.error), opened)
    }
    if (failures.length === this.#stores.length)
      throw withStoreOfWork(failures[0]!.store.name, failures[0]!.error)
    for (const { store, error } of failures) {
      this.#away.add(store)
      this.#onError(withStoreOfWork(store.name, error))
    }
    // It may have been closed while stores opened.
    if (this.#away.size > 0 && !this.#isClosed)
      this.#retrying ??= regularly(() => this.#retry(), retryMs, this.#onError)
  }

  /** Its requests open a store too, but not its jobs and consumers. */
  async #retry(): Promise<void> {
    for (const store of this.#away)
      try {
        await store.router.open()
        this.#away.delete(store)
      } catch (error) {
        // That it is away has been reported.
        if (!isAway(error)) this.#onError(withStoreOfWork(store.name, error))
      }
    if (this.#away.size > 0) return
    void this.#retrying?.stop()
    this.#retrying = undefined
  }

  /** Closes all stores, whatever one of them throws. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#away.clear()
    await this.#retrying?.stop()
    this.#retrying = undefined
    const results = await Promise.allSettled(this.#stores.map(({ router }) => router.close()))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
}
