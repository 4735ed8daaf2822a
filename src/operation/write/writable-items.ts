import type { ModelDescription } from '../../model/model-description.ts'
import { allOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { OperationInput } from '../operation-input.ts'
import type { ChangedLink } from './changed-links.ts'
import { conditionOrNever } from './condition-or-never.ts'
import type { ItemsToWrite } from './items-to-lock.ts'

type Input = Pick<OperationInput, 'guards' | 'context'>

interface WrittenItem {
  readonly model: ModelDescription
  readonly id: string
  readonly change: ItemsToWrite['change']
  /** Default: any. */
  readonly members?: readonly string[]
  readonly isNamed?: false
}

interface ItemGroup extends Omit<ItemsToWrite, 'ids'> {
  readonly condition: Condition
  readonly ids: Set<string>
}

/** Items that operations name, with what they must satisfy so that the caller may write them. */
export class WritableItems {
  readonly #groups = new Map<string, ItemGroup>()

  /** @returns may the caller write it, if it satisfies a condition? */
  add({ model, id, change, members, isNamed }: WrittenItem, conditionOf: () => Condition): boolean {
    const condition = conditionOrNever(conditionOf)
    if (condition.kind === 'never') return false
    const key = JSON.stringify([change, model.name, members, isNamed, condition])
    const group = this.#groups.get(key) ?? {
      model,
      condition,
      change,
      ...(members && { members: new Set(members) }),
      ...(isNamed === false && { isNamed }),
      ids: new Set(),
    }
    this.#groups.set(key, group)
    group.ids.add(id)
    return true
  }

  /** The item that holds a link of another one, as `add`. */
  addLinked(input: Input, { relation, id, isNamed }: ChangedLink): boolean {
    const { relatedModel: model, inverseOf } = relation
    const members = [inverseOf.name]
    return this.add({ model, id, change: 'write', members, ...(!isNamed && { isNamed }) }, () =>
      linkedCondition(input, relation, id),
    )
  }

  toList(): readonly (ItemsToWrite & { readonly ids: readonly string[] })[] {
    return Array.from(this.#groups.values(), ({ ids, condition, ...items }) => ({
      ...items,
      ids: [...ids],
      ...(condition.kind !== 'always' && { condition }),
    }))
  }
}

/** What a related item must satisfy so that the caller may change its relation to the owner. */
function linkedCondition(
  { guards, context }: Input,
  { relatedModel, inverseOf }: ChangedLink['relation'],
  id: string,
): Condition {
  return allOf([
    guards.readCondition(relatedModel, context),
    guards.writeCondition(relatedModel, context, id),
    guards.fields.writeCondition(relatedModel, inverseOf.name, context),
  ])
}
