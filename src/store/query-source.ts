import { lazyIteration } from '../cache/lazy-iteration.ts'
import type { MaybePromise } from '../concurrency/maybe-promise.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { type ModelView, readableValues } from '../model/model-view.ts'
import type { QuerySource } from '../query/query.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { StoredValues } from '../query/query-types.ts'
import { storedOperandSource, toCodeValues } from '../stored-item/code-values.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoreReader } from './store-reader.ts'

/**
 * Runs the queries for one model on a store.
 * @param narrow what each query is narrowed to
 * @param view what the items show. Default: everything.
 */
export function querySource(
  store: StoreReader,
  model: ModelDescription,
  narrow: (plan: QueryPlan) => MaybePromise<QueryPlan> = (plan) => plan,
  view?: ModelView,
): QuerySource {
  return {
    ...storedOperandSource(model),
    size: async (plan) => store.count(model, (await narrow(plan)).condition),
    exec: (plan) => valuesOf(store, model, () => narrow(plan), view),
  }
}

async function* valuesOf(
  store: StoreReader,
  model: ModelDescription,
  plan: () => MaybePromise<QueryPlan>,
  view: ModelView | undefined,
): AsyncGenerator<StoredValues> {
  for await (const batch of store.list(model, await plan()))
    for (const item of batch) {
      const values = toCodeValues(model, readStoredValues(model, item))
      yield view ? readableValues(view, values) : values
    }
}

/** The same for a store that has to be opened first. */
export function openingQuerySource(
  open: () => Promise<void>,
  store: StoreReader,
  model: ModelDescription,
): QuerySource {
  const source = querySource(store, model)
  return {
    ...source,
    size: async (plan) => {
      await open()
      return source.size(plan)
    },
    exec: (plan) =>
      lazyIteration(async () => {
        await open()
        return source.exec(plan)
      }),
  }
}
