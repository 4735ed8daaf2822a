import type { Store } from 'resourcery'
import { wrapStore } from '../../src/store/wrap-store.ts'

/** A store that logs each query outside of transactions, as `page film`. */
export function counted(store: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = []
  const { rawJson, findVersion } = store.fastPaths ?? {}
  return {
    calls,
    store: wrapStore(store, {
      find: (model, condition) => {
        calls.push(`find ${model.name}`)
        return store.find(model, condition)
      },
      list: (model, plan) => {
        calls.push(`list ${model.name}`)
        return store.list(model, plan)
      },
      page: (model, plan) => {
        calls.push(`page ${model.name}`)
        return store.page(model, plan)
      },
      count: (model, condition) => {
        calls.push(`count ${model.name}`)
        return store.count(model, condition)
      },
      relatedPages: (model, relation, owners, plan) => {
        calls.push(`pages ${relation.relatedModel.name}`)
        return store.relatedPages(model, relation, owners, plan)
      },
      ...(store.fastPaths && {
        fastPaths: {
          ...store.fastPaths,
          ...(findVersion && {
            findVersion: (model, condition) => {
              calls.push(`version ${model.name}`)
              return findVersion(model, condition)
            },
          }),
          // A query without a result here is sent in another form, and logged then.
          ...(rawJson && {
            rawJson: {
              page: async (model, ...rest) => {
                const result = await rawJson.page(model, ...rest)
                if (result) calls.push(`page ${model.name}`)
                return result
              },
              list: (model, plan) => {
                const result = rawJson.list(model, plan)
                if (result) calls.push(`list ${model.name}`)
                return result
              },
            },
          }),
        },
      }),
    }),
  }
}
