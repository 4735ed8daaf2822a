import { lazyIteration } from '../cache/lazy-iteration.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { Condition } from '../query/query-plan.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'

/**
 * Reads in a transaction, for code that decides by what it finds, such as whether a room is free.
 * Lists, counts and groups lock what they find: no other transaction of such code adds an item
 * meanwhile that this one would have found.
 */
export function lockingReader(reader: StoreReader, transaction: StoreTransaction): StoreReader {
  const { locks } = transaction
  if (!locks) return reader
  const locked = (model: ModelDescription, condition: Condition) =>
    locks.lockItems(model, condition)
  return {
    ...reader,
    list: (model, plan, caller) =>
      lazyIteration(async () => {
        await locked(model, plan.condition)
        return reader.list(model, plan, caller)
      }),
    async page(model, plan, caller) {
      await locked(model, plan.condition)
      return reader.page(model, plan, caller)
    },
    async count(model, condition, caller) {
      await locked(model, condition)
      return reader.count(model, condition, caller)
    },
    async groups(model, plan, caller) {
      await locked(model, plan.condition)
      return reader.groups(model, plan, caller)
    },
  }
}
