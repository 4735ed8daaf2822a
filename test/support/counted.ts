import type { Store } from 'resourcery'
import { storeWith } from '../../src/store/forward.ts'

/** A store that writes down each question that it answers outside of transactions, as `page film`. */
export function counted(store: Store): { readonly store: Store; readonly asked: string[] } {
  const asked: string[] = []
  const { texts, version } = store
  return {
    asked,
    store: storeWith(store, {
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
        asked.push(`pages ${relation.target.name}`)
        return store.relatedPages(model, relation, owners, plan)
      },
      ...(version && {
        version: (model, condition) => {
          asked.push(`version ${model.name}`)
          return version(model, condition)
        },
      }),
      // What has no answer here is asked again in another form, and written down then.
      ...(texts && {
        texts: {
          page: async (model, ...rest) => {
            const found = await texts.page(model, ...rest)
            if (found) asked.push(`page ${model.name}`)
            return found
          },
          list: (model, plan) => {
            const found = texts.list(model, plan)
            if (found) asked.push(`list ${model.name}`)
            return found
          },
        },
      }),
    }),
  }
}
