import type { StoreAccess, StoreTransaction } from './store.ts'

/** A transaction that is under way, to whoever knows stores only: what they write is part of it, and is kept or undone with it. */
export function within(transaction: StoreTransaction): StoreAccess {
  return {
    find: transaction.find,
    list: transaction.list,
    page: transaction.page,
    relatedPages: transaction.relatedPages,
    count: transaction.count,
    write: (work) => work(transaction),
  }
}
