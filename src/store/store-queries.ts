import { lazyIteration } from '../cache/lazy-iteration.ts'
import type { MaybePromise } from '../concurrency/maybe-promise.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { type ModelView, readableValues } from '../model/model-view.ts'
import type { QuerySource } from '../query/query.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { StoredValues } from '../query/query-types.ts'
import { StoredOperands, toCodeValues } from '../stored-item/code-values.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoreReader } from './store-reader.ts'

/** What queries of code find. */
export interface QueryScope {
  /** What each query is narrowed to. */
  narrow(plan: QueryPlan): MaybePromise<QueryPlan>
  /** What the items show. */
  readonly view?: ModelView
}

/**
 * Runs the queries for one model on a store.
 * @param storeOf called when a query runs; most only collect conditions
 * @param scope default: all items, and everything of them
 */
export class StoreQueries extends StoredOperands implements QuerySource {
  readonly #storeOf: () => MaybePromise<StoreReader>
  readonly #scope: QueryScope | undefined

  constructor(
    model: ModelDescription,
    storeOf: () => MaybePromise<StoreReader>,
    scope?: QueryScope,
  ) {
    super(model)
    this.#storeOf = storeOf
    this.#scope = scope
  }

  async size(plan: QueryPlan): Promise<number> {
    const store = await this.#storeOf()
    return store.count(this.model, (await this.#narrowed(plan)).condition)
  }

  exec(plan: QueryPlan): AsyncIterable<StoredValues> {
    return lazyIteration(async () =>
      valuesOf(await this.#storeOf(), this.model, await this.#narrowed(plan), this.#scope?.view),
    )
  }

  #narrowed(plan: QueryPlan): MaybePromise<QueryPlan> {
    return this.#scope ? this.#scope.narrow(plan) : plan
  }
}

async function* valuesOf(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
  view: ModelView | undefined,
): AsyncGenerator<StoredValues> {
  for await (const batch of store.list(model, plan))
    for (const item of batch) {
      const values = toCodeValues(model, readStoredValues(model, item))
      yield view ? readableValues(view, values) : values
    }
}
