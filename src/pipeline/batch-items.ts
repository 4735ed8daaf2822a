import type { ModelDescription } from '../model/model-description.ts'
import { pathView } from '../rule/rule.ts'
import type { ItemIds } from '../store/store-transaction.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * The items that the operations of a batch name and may write: those of their paths, and those that
 * hold the inverse relations of their payloads.
 */
export function batchItems(calls: readonly BatchCall[]): readonly ItemIds[] {
  const items = new Map<ModelDescription, Set<string>>()
  const add = (model: ModelDescription, ids: readonly string[]): void => {
    const idsOfModel = items.get(model) ?? new Set()
    for (const id of ids) idsOfModel.add(id)
    if (idsOfModel.size > 0) items.set(model, idsOfModel)
  }
  for (const { endpoint, context, payload } of calls) {
    const { model } = pathView(endpoint.rule)
    if (context.id !== undefined) add(model, [context.id])
    for (const relation of payload ? model.relations : []) {
      const linkage = payload!.relations.get(relation.name)
      if (relation.kind === 'inverse' && linkage?.kind === 'many')
        add(
          relation.relatedModel,
          linkage.ids.map((id) => id.value),
        )
    }
  }
  return Array.from(items, ([model, ids]) => ({ model, ids: [...ids] }))
}
