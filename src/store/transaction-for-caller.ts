import { TimeSlice } from '../concurrency/time-slice.ts'
import { type ApiError, createApiError } from '../error/api-error.ts'
import type { Caller, StoreTransaction } from './store.ts'
import { type EveryMember, wrapTransaction } from './wrap-store.ts'

/**
 * A transaction as a request uses it: other requests are served while it is under way, however much
 * it changes; it ends when its caller leaves, and where it would change more items than one request
 * may.
 * @throws ApiError `limit-exceeded` from the write that goes beyond
 */
export function transactionForCaller(
  transaction: StoreTransaction,
  caller: Caller,
  maxChangedItems: number,
): StoreTransaction {
  const slices = new TimeSlice()
  let changed = 0
  const nextSlice = async (): Promise<void> => {
    await slices.yieldToEventLoop()
    caller.signal.throwIfAborted()
  }
  const sliced = <T>(work: () => Promise<T>): Promise<T> =>
    slices.isOver() ? nextSlice().then(work) : work()
  const writing = <T>(work: () => Promise<T>): Promise<T> => {
    changed++
    return changed > maxChangedItems
      ? Promise.reject(tooManyChanges(maxChangedItems))
      : sliced(work)
  }
  return wrapTransaction(transaction, {
    find: (model, condition) => sliced(() => transaction.find(model, condition)),
    async *list(model, plan) {
      for await (const batch of transaction.list(model, plan, caller)) {
        yield batch
        if (slices.isOver()) await nextSlice()
      }
    },
    page: (model, plan) => sliced(() => transaction.page(model, plan, caller)),
    count: (model, condition) => sliced(() => transaction.count(model, condition, caller)),
    async *relatedPages(model, relation, owners, plan) {
      for await (const batch of transaction.relatedPages(model, relation, owners, plan, caller)) {
        yield batch
        if (slices.isOver()) await nextSlice()
      }
    },
    insert: (model, item) => writing(() => transaction.insert(model, item)),
    replace: (model, item) => writing(() => transaction.replace(model, item)),
    remove: (model, id) => writing(() => transaction.remove(model, id)),
  } satisfies EveryMember<StoreTransaction>)
}

function tooManyChanges(limit: number): ApiError {
  return createApiError(
    'limit-exceeded',
    `One request may change at most ${limit} items, and this one would change more, those that refer to its own among them; nothing was changed.`,
    undefined,
    { meta: { limit } },
  )
}
