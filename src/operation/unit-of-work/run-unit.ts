import { refuseFormerTransactionMembers } from '../../store/former-members.ts'
import type { Store } from '../../store/store.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { BeginObserver, WriteObserver } from '../../store/write-observer.ts'
import { UnitOfWork } from './unit-of-work.ts'
import type { SourceOf } from './write-source.ts'

/** The store, and who takes part in each of its transactions. */
export interface UnitSettings {
  readonly store: Pick<Store, 'write'>
  readonly observers: readonly BeginObserver<UnitOfWork>[]
  /** Undefined where items are loaded. */
  readonly sourceOf?: SourceOf | undefined
  readonly call?: StoreCall | undefined
}

/** Runs the work in a transaction, again if the store does, and waits for its observers. */
export async function runUnit<T>(
  { store, observers: begins, sourceOf, call }: UnitSettings,
  work: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  let observers: readonly WriteObserver<UnitOfWork>[] = []
  const result = await store.write(async (transaction) => {
    if (!checkedStores.has(store)) checkTransaction(store, transaction)
    const begun: WriteObserver<UnitOfWork>[] = []
    for (const begin of begins) begun.push(typeof begin === 'function' ? begin() : begin)
    observers = begun
    for (const observer of begun) if (observer.begin) await observer.begin(transaction)
    const unit = UnitOfWork.begin(transaction, begun, sourceOf, call)
    const value = await unit.write(work)
    const settled = unit.settle()
    if (settled) await settled
    for (const observer of begun) {
      const done = observer.beforeCommit?.(transaction, value)
      if (done) await done
    }
    return value
  }, call)
  // Blobs are deleted before code runs that may take long.
  for (const observer of observers.toReversed()) {
    const done = observer.committed?.()
    if (done) await done
  }
  return result
}

/** Stores whose transactions have been looked at. */
const checkedStores = new WeakSet<object>()

function checkTransaction(
  store: object,
  transaction: Parameters<typeof refuseFormerTransactionMembers>[0],
): void {
  refuseFormerTransactionMembers(transaction)
  checkedStores.add(store)
}
