import type { StoreTransaction } from 'resourcery/store'
import { readerOf } from '../../src/store/wrap-store.ts'

/** The methods of a transaction, which may be an instance of a class, to replace some of them. */
export function methodsOf(transaction: StoreTransaction): StoreTransaction {
  const { fastPaths, locks, requestRecords } = transaction
  return {
    ...readerOf(transaction),
    insert: (...args) => transaction.insert(...args),
    replace: (...args) => transaction.replace(...args),
    remove: (...args) => transaction.remove(...args),
    fastPaths,
    locks,
    requestRecords,
  }
}
