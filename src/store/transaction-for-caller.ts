import { TimeSlice } from '../concurrency/time-slice.ts'
import type { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ManyRelation, ModelDescription } from '../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../query/query-plan.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { countOf } from '../text/message-text.ts'
import type { StoreCall } from './store-call.ts'
import type {
  InsertOptions,
  ItemCount,
  StoreTransaction,
  WriteOptions,
} from './store-transaction.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import { TransactionWrapper } from './wrap-store.ts'

export const changeLimitErrors = ['limit-exceeded'] as const

const { createApiError } = refusalsOf(changeLimitErrors)

/**
 * Wraps a transaction for one caller: it yields to other requests, stops when the caller leaves,
 * and limits how many items it changes.
 * @throws ApiError `limit-exceeded` from the write that exceeds the limit
 */
export function transactionForCaller(
  transaction: StoreTransaction,
  call: StoreCall,
  maxChangedItems: number,
): UnitOfWork {
  return new CallerTransaction(transaction, call, maxChangedItems)
}

class CallerTransaction extends TransactionWrapper {
  readonly #call: StoreCall
  readonly #maxChangedItems: number
  readonly #slice: TimeSlice
  #changedCount = 0

  constructor(inner: StoreTransaction, call: StoreCall, maxChangedItems: number) {
    super(inner)
    this.#call = call
    this.#maxChangedItems = maxChangedItems
    this.#slice = new TimeSlice(call, { holdsLock: true })
  }

  override find(model: ModelDescription, condition: Condition) {
    return this.#inSlice(() => super.find(model, condition))
  }

  override list(model: ModelDescription, plan: QueryPlan) {
    return this.#batchesInSlices(super.list(model, plan, this.#call))
  }

  override page(model: ModelDescription, plan: QueryPlan) {
    return this.#inSlice(() => super.page(model, plan, this.#call))
  }

  override count(model: ModelDescription, condition: Condition) {
    return this.#inSlice(() => super.count(model, condition, this.#call))
  }

  override countEach(counts: readonly ItemCount[]) {
    return this.#inSlice(() => super.countEach(counts))
  }

  override relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ) {
    return this.#batchesInSlices(super.relatedPages(model, relation, owners, plan, this.#call))
  }

  override insert(model: ModelDescription, item: StoredItem, options?: InsertOptions) {
    return this.#countChange(() => super.insert(model, item, options))
  }

  override replace(model: ModelDescription, item: StoredItem, options?: WriteOptions) {
    return this.#countChange(() => super.replace(model, item, options))
  }

  override remove(model: ModelDescription, id: string) {
    return this.#countChange(() => super.remove(model, id))
  }

  #inSlice<T>(call: () => Promise<T>): Promise<T> {
    return this.#slice.isOver ? this.#slice.yieldToEventLoop().then(call) : call()
  }

  #countChange<T>(call: () => Promise<T>): Promise<T> {
    this.#changedCount++
    return this.#changedCount > this.#maxChangedItems
      ? Promise.reject(tooManyChanges(this.#maxChangedItems))
      : this.#inSlice(call)
  }

  async *#batchesInSlices<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const batch of batches) {
      yield batch
      if (this.#slice.isOver) await this.#slice.yieldToEventLoop()
    }
  }
}

function tooManyChanges(limit: number): ApiError {
  return createApiError(
    'limit-exceeded',
    `A request may change at most ${countOf(limit, 'item')}, including items that refer to the changed ones. Nothing was changed.`,
    undefined,
    { meta: { limit } },
  )
}
