import { TimeSlice } from '../concurrency/time-slice.ts'
import { type ApiError, createApiError } from '../error/api-error.ts'
import type { Caller, StoreTransaction } from './store.ts'
import { type EveryMember, wrapTransaction } from './wrap-store.ts'

/**
 * Wraps a transaction for one caller: it yields to other requests, stops when the caller leaves, and
 * limits how many items it changes.
 * @throws ApiError `limit-exceeded` from the write that exceeds the limit
 */
export function transactionForCaller(
  transaction: StoreTransaction,
  caller: Caller,
  maxChangedItems: number,
): StoreTransaction {
  const slice = new TimeSlice(caller, { holdsLock: true })
  let changedCount = 0
  const inSlice = <T>(call: () => Promise<T>): Promise<T> =>
    slice.isOver ? slice.yieldToEventLoop().then(call) : call()
  const countChange = <T>(call: () => Promise<T>): Promise<T> => {
    changedCount++
    return changedCount > maxChangedItems
      ? Promise.reject(tooManyChanges(maxChangedItems))
      : inSlice(call)
  }
  return wrapTransaction(transaction, {
    find: (model, condition) => inSlice(() => transaction.find(model, condition)),
    async *list(model, plan) {
      for await (const batch of transaction.list(model, plan, caller)) {
        yield batch
        if (slice.isOver) await slice.yieldToEventLoop()
      }
    },
    page: (model, plan) => inSlice(() => transaction.page(model, plan, caller)),
    count: (model, condition) => inSlice(() => transaction.count(model, condition, caller)),
    async *relatedPages(model, relation, owners, plan) {
      for await (const batch of transaction.relatedPages(model, relation, owners, plan, caller)) {
        yield batch
        if (slice.isOver) await slice.yieldToEventLoop()
      }
    },
    insert: (model, item) => countChange(() => transaction.insert(model, item)),
    replace: (model, item) => countChange(() => transaction.replace(model, item)),
    remove: (model, id) => countChange(() => transaction.remove(model, id)),
  } satisfies EveryMember<StoreTransaction>)
}

function tooManyChanges(limit: number): ApiError {
  return createApiError(
    'limit-exceeded',
    `A request may change at most ${limit} items, including items that refer to the changed ones. Nothing was changed.`,
    undefined,
    { meta: { limit } },
  )
}
