import type { Store } from '../../store/store.ts'
import type { StoreCall } from '../../store/store-call.ts'
import { CallerReader, type ReadAccess } from '../../store/store-for-caller.ts'
import type { BeginObserver } from '../../store/write-observer.ts'
import { runUnit } from './run-unit.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import type { SourceOf } from './write-source.ts'

/** What operations need: a store for a caller, or a transaction under way. */
export interface StoreAccess extends ReadAccess {
  /** As `write` of a store. In a transaction under way, the work is a part of it. */
  write<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
}

/** A store for an operation: all reads and writes stop when the caller leaves. */
export class OperationStore extends CallerReader implements StoreAccess {
  readonly #observers: readonly BeginObserver<UnitOfWork>[]
  readonly #sourceOf: SourceOf | undefined

  /**
   * @param observers take part in each transaction
   * @param sourceOf undefined for an operation that does not write
   */
  constructor(
    store: Store,
    call: StoreCall,
    observers: readonly BeginObserver<UnitOfWork>[],
    sourceOf: SourceOf | undefined,
  ) {
    super(store, call)
    this.#observers = observers
    this.#sourceOf = sourceOf
  }

  write<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    const { store, call } = this
    return runUnit({ store, call, observers: this.#observers, sourceOf: this.#sourceOf }, work)
  }
}
