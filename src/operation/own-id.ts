import type { ModelView } from '../model/model-view.ts'
import type { StoredValues } from '../store/stored-item.ts'

/** What needs no look into the store: a new item may relate to itself, and is not there before it is written. */
export function ownLinks({ model }: ModelView, id: string): StoredValues {
  const leadingBack = model.owned.filter((field) => field.target === model)
  return { id, ...Object.fromEntries(leadingBack.map((field) => [field.name, [id]])) }
}
