import type { ModelDescription, NestedResources, ResourceField } from '../model/description.ts'
import type { BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { LinkedResource } from '../serializer/outgoing.ts'
import { itemPath, type Place, resourcesIn } from '../store/item-resources.ts'
import type { StoredValues } from '../store/stored-item.ts'

/** The resources of one item with their addresses, for members that mappers may have changed. */
export class ResourceLinks {
  readonly #path: string
  readonly #byPlace: ReadonlyMap<Place, StoredResource>

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
    const [place, held] =
      [...this.#byPlace].find(([, one]) => one === shown) ??
      [...this.#byPlace].find(([, one]) => tellSame(one, shown as Partial<BinaryResource>)) ??
      []
    return place !== undefined && held ? this.#linked(place, held) : null
  }

  #linked(place: Place, { contentType, size, hash, fileName }: BinaryResource): LinkedResource {
    return { href: `${this.#path}/${place}`, contentType, size, hash, fileName }
  }
}

function tellSame(one: BinaryResource, other: Partial<BinaryResource>): boolean {
  return (
    one.hash === other.hash &&
    one.size === other.size &&
    one.contentType === other.contentType &&
    one.fileName === other.fileName
  )
}
