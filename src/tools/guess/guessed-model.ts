import type { PulledMember } from '../pull/pulled-model.ts'
import type { Collection, JsonObject } from './read-data.ts'

/** The model of a collection, while it is guessed. */
export interface GuessedModel {
  readonly collection: Collection
  readonly name: string
  readonly plural: string
  readonly className: string
  /** The ids of the items, in their order. */
  readonly ids: readonly string[]
  readonly members: GuessedMember[]
}

/** A field or a relation. */
export interface GuessedMember extends PulledMember {
  /** What `model()` gets. */
  readonly value: unknown
  /** The member of the file, and how its values are loaded; undefined for an inverse relation. */
  readonly source: { readonly key: string; readonly load: (value: unknown) => unknown } | undefined
}

/** The items of a model, as a router loads them. */
export function itemsOf({ collection, ids, members }: GuessedModel): readonly JsonObject[] {
  return collection.items.map((item, index) => {
    const loaded: [string, unknown][] = [['id', ids[index]]]
    for (const { name, source } of members)
      if (source && Object.hasOwn(item, source.key))
        loaded.push([name, source.load(item[source.key])])
    return Object.fromEntries(loaded)
  })
}
