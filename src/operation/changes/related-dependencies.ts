import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { ChangeEntry } from '../../store/change-log.ts'
import { resolvePath, resolveSomePath } from '../../store/resolve-path.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** What of the items of a related model decides. */
interface RelatedDependency {
  readonly model: ModelDescription
  /** Names of fields. */
  readonly names: Set<string>
  /** Does every member count? */
  isWhole: boolean
  /** May a new item count, because nothing but itself leads to it? */
  countsNew: boolean
}

/** Which changes of related items may decide about items of a model that do not change. */
export class RelatedDependencies {
  readonly #byModel = new Map<string, RelatedDependency>()

  get models(): readonly ModelDescription[] {
    return [...this.#byModel.values()].map(({ model }) => model)
  }

  get isEmpty(): boolean {
    return this.#byModel.size === 0
  }

  /** Every change of an item of the model counts. */
  addWhole(model: ModelDescription): void {
    this.#of(model).isWhole = true
  }

  /** Which items of the model the caller sees. */
  addRead(model: ModelDescription, condition: Condition): void {
    this.#of(model)
    this.addCondition(model, condition, true)
  }

  /** @param isRelated whether items of the model are related ones */
  addCondition(model: ModelDescription, condition: Condition, isRelated: boolean): void {
    switch (condition.kind) {
      case 'always':
      case 'never':
        return
      case 'and':
      case 'or':
        for (const inner of condition.conditions) this.addCondition(model, inner, isRelated)
        return
      case 'not':
        this.addCondition(model, condition.condition, isRelated)
        return
      default:
        this.#addPath(model, condition, isRelated)
    }
  }

  /** May the change move items in or out that do not change? */
  isDecidedBy(entry: ChangeEntry): boolean {
    const dependency = this.#byModel.get(entry.model)
    if (!dependency) return false
    switch (entry.kind) {
      case 'create':
        return dependency.countsNew
      case 'update':
        return entry.before === null || entry.after === null
          ? true
          : differs(dependency, entry.before, entry.after)
      case 'delete':
      case 'erased':
        return true
    }
  }

  #addPath(
    model: ModelDescription,
    condition: Extract<Condition, { readonly path: unknown }>,
    isRelated: boolean,
  ): void {
    const { names } = condition.path
    const { guard, hops, leaf } =
      condition.kind === 'some'
        ? resolveSomePath(model, condition)
        : resolvePath(model, condition.path)
    if (isRelated) this.#of(model).names.add(names[0]!)
    this.addCondition(model, guard, isRelated)
    for (const [index, { field, guard: ofHop }] of hops.entries()) {
      this.#of(field.relatedModel).names.add(names[index + 1]!)
      this.addCondition(field.relatedModel, ofHop, true)
    }
    if (!('guard' in leaf)) return
    const { relatedModel } = leaf.field
    if (leaf.kind === 'inverse') {
      const dependency = this.#of(relatedModel)
      dependency.names.add(leaf.field.inverseOf.name)
      dependency.countsNew = true
    } else if (leaf.guard.kind !== 'always') this.#of(relatedModel)
    this.addCondition(relatedModel, leaf.guard, true)
  }

  #of(model: ModelDescription): RelatedDependency {
    const known = this.#byModel.get(model.name)
    if (known) return known
    const added = { model, names: new Set<string>(), isWhole: false, countsNew: false }
    this.#byModel.set(model.name, added)
    return added
  }
}

function differs(
  { model, names, isWhole }: RelatedDependency,
  before: StoredItem,
  after: StoredItem,
): boolean {
  if (isWhole) return true
  const [old, current] = [readStoredValues(model, before), readStoredValues(model, after)]
  return [...names].some((name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]))
}
