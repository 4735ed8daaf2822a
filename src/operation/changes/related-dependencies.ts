import type {
  ModelDescription,
  OwnedRelation,
  RelationField,
} from '../../model/model-description.ts'
import type { Condition, FieldPath } from '../../query/query-plan.ts'
import type { ChangeEntry } from '../../store/change-log.ts'
import { type ResolvedPath, resolvePath, resolveSomePath } from '../../store/resolve-path.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'

/** What of the related items at the end of a path decides. */
export interface RelatedPath {
  readonly model: ModelDescription
  /** The relation that leads to them. */
  readonly field: RelationField
  /** Where the relation starts; undefined for items of the list. */
  readonly from: RelatedPath | undefined
  /** Names of fields. */
  readonly names: Set<string>
  /** Does every member count? */
  isWhole: boolean
}

/** Which changes of related items may decide about items of a model that do not change. */
export class RelatedDependencies {
  readonly model: ModelDescription
  readonly #paths = new Map<string, RelatedPath>()
  #byModel = new Map<string, RelatedPath[]>()

  /** @param model that of the list */
  constructor(model: ModelDescription) {
    this.model = model
  }

  get models(): readonly ModelDescription[] {
    return [...this.#byModel.values()].map(([path]) => path!.model)
  }

  /** Every change of an item that the relation holds counts. */
  addWhole(relation: OwnedRelation): void {
    this.#pathOf(undefined, relation).isWhole = true
  }

  /** Which items that the relation holds the caller sees. */
  addRead(relation: OwnedRelation, condition: Condition): void {
    this.addCondition(condition, this.#pathOf(undefined, relation))
  }

  /** @param at whose items satisfy it; undefined for items of the list */
  addCondition(condition: Condition, at?: RelatedPath): void {
    switch (condition.kind) {
      case 'always':
      case 'never':
        return
      case 'and':
      case 'or':
        for (const inner of condition.conditions) this.addCondition(inner, at)
        return
      case 'not':
        this.addCondition(condition.condition, at)
        return
      case 'search':
        for (const { path } of condition.fields) this.#addPath(path, resolvePath, at)
        return
      case 'some':
        this.#addPath(condition.path, (model) => resolveSomePath(model, condition), at)
        return
      default:
        this.#addPath(condition.path, resolvePath, at)
    }
  }

  /** The paths to its item by which the change may move items in or out that do not change. */
  decidedBy(entry: ChangeEntry): readonly RelatedPath[] {
    return (this.#byModel.get(entry.model) ?? []).filter((path) => mayDecide(path, entry))
  }

  has(modelName: string): boolean {
    return this.#byModel.has(modelName)
  }

  #addPath(
    path: FieldPath,
    resolve: (model: ModelDescription, path: FieldPath) => ResolvedPath,
    at: RelatedPath | undefined,
  ): void {
    const { names } = path
    const { guard, hops, leaf } = resolve(at?.model ?? this.model, path)
    at?.names.add(names[0]!)
    this.addCondition(guard, at)
    let end = at
    for (const [index, { field, guard: ofHop }] of hops.entries()) {
      end = this.#pathOf(end, field)
      end.names.add(names[index + 1]!)
      this.addCondition(ofHop, end)
    }
    if (!('guard' in leaf)) return
    if (leaf.kind !== 'inverse' && leaf.guard.kind === 'always') return
    const related = this.#pathOf(end, leaf.field)
    if (leaf.kind === 'inverse') related.names.add(leaf.field.inverseOf.name)
    this.addCondition(leaf.guard, related)
  }

  #pathOf(from: RelatedPath | undefined, field: RelationField): RelatedPath {
    const key = keyOf(from, field)
    const known = this.#paths.get(key)
    if (known) return known
    const { relatedModel: model } = field
    const path: RelatedPath = { model, field, from, names: new Set(), isWhole: false }
    this.#paths.set(key, path)
    this.#byModel.set(model.name, [...(this.#byModel.get(model.name) ?? []), path])
    return path
  }
}

function keyOf(from: RelatedPath | undefined, { name }: RelationField): string {
  return from ? `${keyOf(from.from, from.field)}.${name}` : name
}

/** A new item counts too: the item that refers to it may have been written before it. */
function mayDecide({ model, names, isWhole }: RelatedPath, entry: ChangeEntry): boolean {
  if (isWhole || entry.kind !== 'update') return true
  const { before, after } = entry
  if (!before || !after) return true
  const [old, current] = [readStoredValues(model, before), readStoredValues(model, after)]
  return [...names].some((name) => JSON.stringify(old[name]) !== JSON.stringify(current[name]))
}
