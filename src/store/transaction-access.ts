import type { StoreAccess, StoreTransaction } from './store.ts'
import { readerOf } from './wrap-store.ts'

/**
 * A transaction that is under way, to whoever knows stores only: what they write is part of it, and
 * is kept or undone with it. It has no faster reads (`texts`, `version`): those look past the
 * transaction, at what is committed.
 */
export function transactionAccess(transaction: StoreTransaction): StoreAccess {
  return { ...readerOf(transaction), write: (work) => work(transaction) }
}
