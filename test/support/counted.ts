import type { Store } from 'resourcery'

/** A store that writes down each question it is asked outside of transactions, as `page film`. */
export function counted(store: Store): { readonly store: Store; readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    store: {
      open: (models) => store.open(models),
      write: (work) => store.write(work),
      close: () => store.close(),
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
    },
  }
}
