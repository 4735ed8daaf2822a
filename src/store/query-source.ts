import type { ModelDescription } from '../model/model-description.ts'
import type { QuerySource } from '../query/query.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { toCodeValues, toStoredOperand } from '../stored-item/code-values.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoreReader } from './store-reader.ts'

/** Runs the queries for one model on a store. */
export function querySource(store: StoreReader, model: ModelDescription): QuerySource {
  return {
    toStored: (path, value) => toStoredOperand(model, path, value),
    size: ({ condition }) => store.count(model, condition),
    exec: async function* (plan: QueryPlan) {
      for await (const batch of store.list(model, plan))
        for (const item of batch) yield toCodeValues(model, readStoredValues(model, item))
    },
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
    exec: async function* (plan: QueryPlan) {
      await open()
      yield* source.exec(plan)
    },
  }
}
