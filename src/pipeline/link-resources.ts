import type { ModelDescription, NestedResources, ResourceField } from '../model/description.ts'
import type { BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { LinkedResource } from '../serializer/outgoing.ts'
import { itemPath, type Place, resourcesIn } from '../store/item-resources.ts'
import type { StoredValues } from '../store/stored-item.ts'

/** The resources of one item with their addresses, for members that mappers may have changed. */
export class ResourceLinks {
  readonly #path: string
  readonly #byPlace: ReadonlyMap<Place, StoredResource>
  #places: ReadonlyMap<unknown, Place> | undefined

  /** @param values of the item as it is stored */
  constructor(base: string, model: ModelDescription, values: StoredValues) {
    this.#path = base + itemPath(model, values.id)
    this.#byPlace = resourcesIn(model, values)
  }

  /** A mapper can leave a resource out, but not make another of it. */
  top({ wire }: ResourceField, shown: unknown): LinkedResource | null {
    const held = shown === undefined || shown === null ? undefined : this.#byPlace.get(wire)
    return held ? this.#linked(wire, held) : null
  }

  /** A value with resources inside. Mappers can have moved or copied its parts, so the resources are found again by what is told of them. */
  value(inside: NestedResources, value: unknown): unknown {
    if (inside.kind === 'resource') return this.#found(value)
    if (inside.kind === 'list' && Array.isArray(value)) return value.map((one) => this.value(inside.items, one))
    if (inside.kind !== 'struct' || typeof value !== 'object' || value === null) return value
    const members = value as Readonly<Record<string, unknown>>
    const linked = [...inside.members].map(([name, within]) => [name, this.value(within, members[name])])
    return { ...members, ...Object.fromEntries(linked) }
  }

  #found(shown: unknown): LinkedResource | null {
    if (typeof shown !== 'object' || shown === null) return null
    this.#places ??= placesOf(this.#byPlace)
    const place = this.#places.get(shown) ?? this.#places.get(factsOf(shown as Partial<BinaryResource>))
    const held = place === undefined ? undefined : this.#byPlace.get(place)
    return place !== undefined && held ? this.#linked(place, held) : null
  }

  #linked(place: Place, { contentType, size, hash, fileName }: BinaryResource): LinkedResource {
    return { href: `${this.#path}/${place}`, contentType, size, hash, fileName }
  }
}

/** The place of each resource, by the resource itself and by what is told of it; of several that are alike, the first. */
function placesOf(byPlace: ReadonlyMap<Place, StoredResource>): ReadonlyMap<unknown, Place> {
  const places = new Map<unknown, Place>()
  for (const [place, resource] of byPlace) {
    places.set(resource, place)
    const facts = factsOf(resource)
    if (!places.has(facts)) places.set(facts, place)
  }
  return places
}

function factsOf({ hash, size, contentType, fileName }: Partial<BinaryResource>): string {
  return JSON.stringify([hash, size, contentType, fileName])
}
