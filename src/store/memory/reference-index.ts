import type { ModelDescription } from '../../model/model-description.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/** The ids of the items whose relations hold an id. */
export class ReferenceIndex {
  /** By the name of the relation, then by the id that it holds. */
  readonly #ownersByTarget: ReadonlyMap<string, Map<string, Set<string>>>

  constructor({ ownedRelations }: ModelDescription) {
    this.#ownersByTarget = new Map(ownedRelations.map(({ name }) => [name, new Map()]))
  }

  add(values: StoredValues): void {
    for (const [relation, owners] of this.#ownersByTarget)
      for (const target of targetsOf(values, relation)) {
        const ids = owners.get(target)
        if (ids) ids.add(values.id)
        else owners.set(target, new Set([values.id]))
      }
  }

  remove(values: StoredValues): void {
    for (const [relation, owners] of this.#ownersByTarget)
      for (const target of targetsOf(values, relation)) {
        const ids = owners.get(target)
        ids?.delete(values.id)
        if (ids?.size === 0) owners.delete(target)
      }
  }

  ownersOf(relation: string, target: string): Iterable<string> {
    return this.#ownersByTarget.get(relation)?.get(target) ?? []
  }
}

function targetsOf(values: StoredValues, relation: string): readonly string[] {
  return [values[relation]].flat().filter((id) => typeof id === 'string')
}
