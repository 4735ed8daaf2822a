import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import { allOf, never } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { OperationInput } from '../operation-input.ts'
import { inverseLinkCondition, type LinkageChange } from './inverse-links.ts'
import type { ItemsToWrite } from './items-to-lock.ts'

type Input = Pick<OperationInput, 'guards' | 'context'>

interface ItemGroup extends Omit<ItemsToWrite, 'ids'> {
  readonly condition: Condition
  readonly ids: Set<string>
}

/** Items that operations name, with what they must satisfy so that the caller may write them. */
export class WritableItems {
  readonly #groups = new Map<string, ItemGroup>()
  readonly #related: ItemsToWrite[] = []

  add(
    model: ModelDescription,
    id: string,
    change: ItemsToWrite['change'],
    conditionOf: () => Condition,
  ): void {
    const condition = conditionOrNever(conditionOf)
    if (condition.kind === 'never') return
    const key = `${change} ${model.name} ${JSON.stringify(condition)}`
    const group = this.#groups.get(key) ?? { model, condition, change, ids: new Set() }
    this.#groups.set(key, group)
    group.ids.add(id)
  }

  /** Those that hold the inverse relations of a payload: of the item in the path, or a new one. */
  addLinked(
    input: Input,
    model: ModelDescription,
    { relations }: ItemPayload,
    change: LinkageChange,
  ): void {
    for (const relation of model.relations) {
      const linkage = relations.get(relation.name)
      if (relation.kind !== 'inverse' || linkage?.kind !== 'many') continue
      for (const { value } of linkage.ids)
        this.add(relation.relatedModel, value, 'write', () =>
          linkedCondition(input, relation, value),
        )
      const { id } = input.context
      // Only rollups need those that leave the relation. Others are locked when they are written.
      if (change !== 'replace' || id === undefined || model.rollupFields.length === 0) continue
      const condition = conditionOrNever(() => inverseLinkCondition(input, relation, id))
      if (condition.kind === 'never') continue
      this.#related.push({ model: relation.relatedModel, condition, change: 'write' })
    }
  }

  toList(): readonly ItemsToWrite[] {
    return [
      ...Array.from(this.#groups.values(), ({ model, condition, change, ids }) => ({
        model,
        change,
        ids: [...ids],
        ...(condition.kind !== 'always' && { condition }),
      })),
      ...this.#related,
    ]
  }
}

/** What a related item must satisfy so that the caller may change its relation to the owner. */
function linkedCondition(
  { guards, context }: Input,
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
