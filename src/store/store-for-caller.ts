import type { ManyRelation, ModelDescription } from '../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../query/query-plan.ts'
import type { ReadFastPaths, Store, StoreAccess } from './store.ts'
import type { CallerWrites, StoreCall } from './store-call.ts'
import type { RawJsonReader } from './store-reader.ts'
import type { StoreTransaction } from './store-transaction.ts'
import { transactionForCaller } from './transaction-for-caller.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import type { EveryMember } from './wrap-store.ts'

/** Takes part in each transaction of a caller. */
export interface TransactionObserver {
  /** A transaction begins, perhaps again: writes go through what this returns. */
  begin(unit: UnitOfWork): UnitOfWork
  /** What was written since the last `begin` is durable. */
  committed(): Promise<void> | undefined
}

/** Takes part in each transaction of one request, outside of all other wrappers. */
export interface TransactionRecorder {
  /** Runs the work, and writes what is kept about it into its transaction. */
  record<T>(
    transaction: StoreTransaction,
    work: (transaction: StoreTransaction) => Promise<T>,
  ): Promise<T>
}

/**
 * Wraps a store for one caller: all reads and writes stop when the caller leaves.
 * @param maxChangedItems how many items one transaction of the caller may change
 */
export function storeForCaller(
  store: Store,
  call: StoreCall,
  maxChangedItems: number = Number.POSITIVE_INFINITY,
  observer?: TransactionObserver,
  recorder?: TransactionRecorder,
): StoreAccess {
  return new CallerStoreAccess(store, call, maxChangedItems, observer, recorder)
}

/** The object that all callers of a store share; locks are found by it. */
export function underlyingStore(access: StoreAccess): object {
  return access instanceof CallerStoreAccess ? access.store : access
}

/** With {@link StoreCall.mayChangeMany}. Its signal is still created only when it is read. */
export function allowManyChanges(call: StoreCall): StoreCall {
  return new CallerOfManyChanges(call)
}

class CallerOfManyChanges implements StoreCall {
  readonly mayChangeMany = true
  readonly caller: unknown
  readonly writes: CallerWrites | undefined
  readonly #call: StoreCall

  constructor(call: StoreCall) {
    this.writes = call.writes
    this.caller = call.caller
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  get isAborted(): boolean | undefined {
    return this.#call.isAborted
  }

  get now(): Date | undefined {
    return this.#call.now
  }

  get client(): string | undefined {
    return this.#call.client
  }

  get state(): StoreCall['state'] {
    return this.#call.state
  }
}

/** A class, because one object is created for each request and its methods are shared. */
class CallerStoreAccess implements EveryMember<StoreAccess>, ReadFastPaths {
  readonly store: Store
  readonly #call: StoreCall
  readonly #maxChangedItems: number
  readonly #observer: TransactionObserver | undefined
  readonly #recorder: TransactionRecorder | undefined

  constructor(
    store: Store,
    call: StoreCall,
    maxChangedItems: number,
    observer: TransactionObserver | undefined,
    recorder: TransactionRecorder | undefined,
  ) {
    this.#maxChangedItems = maxChangedItems
    this.#observer = observer
    this.#recorder = recorder
    this.store = store
    this.#call = call
  }

  /** The same object, so that a request creates no other one. */
  get fastPaths(): ReadFastPaths | undefined {
    return this.store.fastPaths && this
  }

  get findVersion(): ReadFastPaths['findVersion'] {
    const { fastPaths } = this.store
    return (
      fastPaths?.findVersion &&
      ((model, condition) => fastPaths.findVersion!(model, condition, this.#call))
    )
  }

  get rawJson(): RawJsonReader | undefined {
    const rawJson = this.store.fastPaths?.rawJson
    return (
      rawJson && {
        page: (model, plan, linked, format) =>
          rawJson.page(model, plan, linked, format, this.#call),
        list: (model, plan) => rawJson.list(model, plan, this.#call),
      }
    )
  }

  find(model: ModelDescription, condition: Condition) {
    return this.store.find(model, condition, this.#call)
  }

  list(model: ModelDescription, plan: QueryPlan) {
    return this.store.list(model, plan, this.#call)
  }

  page(model: ModelDescription, plan: QueryPlan) {
    return this.store.page(model, plan, this.#call)
  }

  count(model: ModelDescription, condition: Condition) {
    return this.store.count(model, condition, this.#call)
  }

  relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ) {
    return this.store.relatedPages(model, relation, owners, plan, this.#call)
  }

  write<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const observer = this.#observer
    return observer ? this.#writeObserved(work, observer) : this.#write(work)
  }

  async #writeObserved<T>(
    work: (unit: UnitOfWork) => Promise<T>,
    observer: TransactionObserver,
  ): Promise<T> {
    const result = await this.#write((unit) => work(observer.begin(unit)))
    const committed = observer.committed()
    if (committed) await committed
    return result
  }

  #write<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const call = this.#call
    const recorder = this.#recorder
    const workForCaller = (transaction: StoreTransaction) =>
      work(transactionForCaller(transaction, call, this.#maxChangedItems))
    return this.store.write(
      recorder ? (transaction) => recorder.record(transaction, workForCaller) : workForCaller,
      call,
    )
  }
}
