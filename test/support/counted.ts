import type { Store } from 'resourcery'
import { wrapStore } from '../../src/store/wrap-store.ts'

/**
 * A store that writes down each question that it answers outside of transactions, as `page film`.
 */
export function counted(store: Store): { readonly store: Store; readonly asked: string[] } {
  const asked: string[] = []
  const { rawJson, findVersion } = store
  return {
    asked,
    store: wrapStore(store, {
      find: (model, condition) => {
        asked.push(`find ${model.name}`)
        return store.find(model, condition)
      },
      list: (model, plan) => {
        asked.push(`list ${model.name}`)
        return store.list(model, plan)
      },
      page: (model, plan) => {
        asked.push(`page ${model.name}`)
        return store.page(model, plan)
      },
      count: (model, condition) => {
        asked.push(`count ${model.name}`)
        return store.count(model, condition)
      },
      relatedPages: (model, relation, owners, plan) => {
        asked.push(`pages ${relation.relatedModel.name}`)
        return store.relatedPages(model, relation, owners, plan)
      },
      ...(findVersion && {
        findVersion: (model, condition) => {
          asked.push(`version ${model.name}`)
          return findVersion(model, condition)
        },
      }),
      // What has no answer here is asked again in another form, and written down then.
      ...(rawJson && {
        rawJson: {
          page: async (model, ...rest) => {
            const found = await rawJson.page(model, ...rest)
            if (found) asked.push(`page ${model.name}`)
            return found
          },
          list: (model, plan) => {
            const found = rawJson.list(model, plan)
            if (found) asked.push(`list ${model.name}`)
            return found
          },
        },
      }),
    }),
  }
}
