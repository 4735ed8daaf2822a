import type { ModelDescription } from '../model/model-description.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import { readerOf } from '../store/wrap-store.ts'

/**
 * Reads in a transaction for code that decides by what it finds, such as whether a room is free.
 * Lists and counts lock the model: no other transaction of such code adds an item meanwhile that
 * this one would have found.
 */
export function lockingReader(transaction: StoreTransaction): StoreReader {
  const reader = readerOf(transaction)
  if (!transaction.lockModel) return reader
  const locked = (model: ModelDescription) => transaction.lockModel!(model)
  return {
    ...reader,
    async *list(model, plan, caller) {
      await locked(model)
      yield* reader.list(model, plan, caller)
    },
    async page(model, plan, caller) {
      await locked(model)
      return reader.page(model, plan, caller)
    },
    async count(model, condition, caller) {
      await locked(model)
      return reader.count(model, condition, caller)
    },
  }
}
