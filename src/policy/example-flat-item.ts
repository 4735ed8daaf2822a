import type { ModelView } from '../model/model-view.ts'
import type { Purpose } from '../serializer/serializer.ts'
import { exampleItem } from './example-item.ts'

/**
 * An example of a flat item that a client can send, for the document; undefined if there is none.
 *
 * ```ts
 * exampleFlatItem(view, 'create') // { title: 'Frankenstein', author: 'mary-shelley', … }
 * ```
 */
export function exampleFlatItem(view: ModelView, purpose: Purpose): object | undefined {
  const item = exampleItem(view, purpose)
  if (!item) return undefined
  const relations = item.relations.map(([{ wireName, kind }, ids]) => [
    wireName,
    kind === 'toOne' ? ids[0] : ids,
  ])
  const id = purpose === 'create' && item.id !== undefined ? { id: item.id } : {}
  return { ...id, ...item.values, ...Object.fromEntries(relations) }
}
