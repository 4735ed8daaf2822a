import type { Guards } from '../context/guards.ts'
import type { InverseField, ModelDescription } from '../model/model-description.ts'
import { allOf, never } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import { pathView } from '../rule/rule.ts'
import type { ItemIds } from '../store/store-transaction.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * The items that the operations of a batch name and that the caller may write: those of their
 * paths, and those that hold the inverse relations of their payloads.
 */
export function batchItems(guards: Guards, calls: readonly BatchCall[]): readonly ItemIds[] {
  const groups = new Map<string, ItemGroup>()
  const add = (model: ModelDescription, id: string, conditionOf: () => Condition): void => {
    const condition = conditionOrNever(conditionOf)
    if (condition.kind === 'never') return
    const key = `${model.name} ${JSON.stringify(condition)}`
    const group = groups.get(key) ?? { model, condition, ids: new Set() }
    groups.set(key, group)
    group.ids.add(id)
  }
  for (const call of calls) {
    const { endpoint, context, payload } = call
    const { model } = pathView(endpoint.rule)
    const { id } = context
    if (id !== undefined) add(model, id, () => endpoint.itemCondition(context))
    for (const relation of payload ? model.relations : []) {
      const linkage = payload!.relations.get(relation.name)
      if (relation.kind !== 'inverse' || linkage?.kind !== 'many') continue
      for (const { value } of linkage.ids)
        add(relation.relatedModel, value, () => linkedCondition(guards, call, relation, value))
    }
  }
  return Array.from(groups.values(), ({ model, condition, ids }) => ({
    model,
    ids: [...ids],
    ...(condition.kind !== 'always' && { condition }),
  }))
}

interface ItemGroup {
  readonly model: ModelDescription
  readonly condition: Condition
  readonly ids: Set<string>
}

/** What a related item must satisfy so that the caller may change its relation to the owner. */
function linkedCondition(
  guards: Guards,
  { context }: BatchCall,
  { relatedModel, inverseOf }: InverseField,
  id: string,
): Condition {
  return allOf([
    guards.readCondition(relatedModel, context),
    guards.writeCondition(relatedModel, context, id),
    guards.fields.writeCondition(relatedModel, inverseOf.name, context),
  ])
}

/** A hook that throws does so again when its operation runs, after those before it. */
function conditionOrNever(conditionOf: () => Condition): Condition {
  try {
    return conditionOf()
  } catch {
    return never
  }
}
