import type { ModelDescription, StoredValues, StoreReader } from '../../store/public.ts'
import { type MovedItem, nameOf } from './item-source.ts'
import type { ModelPlan } from './move-plan.ts'
import { findItems } from './target-items.ts'

/**
 * Returns the values of an item with those deferred relations emptied that lead to an item which is
 * neither in the store nor in the batch. So most items need no second write.
 */
export async function emptyingMissing(
  store: StoreReader,
  plans: readonly ModelPlan[],
  batch: readonly MovedItem[],
): Promise<(model: ModelDescription, values: StoredValues) => StoredValues> {
  const present = new Set(batch.map(({ model, values }) => nameOf(model, values.id)))
  const deferredOf = (model: ModelDescription) =>
    plans.find((plan) => plan.model === model)!.deferred
  const others = new Map<ModelDescription, Set<string>>()
  for (const { model, values } of batch)
    for (const { name, relatedModel } of deferredOf(model))
      for (const id of idsIn(values[name])) {
        if (present.has(nameOf(relatedModel, id))) continue
        const ids = others.get(relatedModel) ?? new Set()
        others.set(relatedModel, ids.add(id))
      }
  for (const [model, ids] of others)
    for (const id of (await findItems(store, model, [...ids])).keys())
      present.add(nameOf(model, id))
  return (model, values) => {
    const emptyRelations = deferredOf(model)
      .filter(({ name, relatedModel }) =>
        idsIn(values[name]).some((id) => !present.has(nameOf(relatedModel, id))),
      )
      .map(({ name, kind }) => [name, kind === 'toOne' ? null : []])
    return emptyRelations.length === 0
      ? values
      : { ...values, ...Object.fromEntries(emptyRelations) }
  }
}

function idsIn(linkage: unknown): readonly string[] {
  if (Array.isArray(linkage)) return linkage
  return typeof linkage === 'string' ? [linkage] : []
}
