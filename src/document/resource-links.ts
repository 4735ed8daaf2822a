import type {
  ModelDescription,
  NestedResources,
  ResourceField,
} from '../model/model-description.ts'
import type { BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { LinkedResource } from '../serializer/outgoing-item.ts'
import { itemPath, type ResourcePathText, resourcesIn } from '../stored-item/item-resources.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'

/** The resources of one item with their addresses, for members that mappers may have changed. */
export class ResourceLinks {
  readonly #path: string
  readonly #byPlace: ReadonlyMap<ResourcePathText, StoredResource>
  #places: ReadonlyMap<unknown, ResourcePathText> | undefined

  /** @param values of the item as it is stored */
  constructor(base: string, model: ModelDescription, values: StoredValues) {
    this.#path = base + itemPath(model, values.id)
    this.#byPlace = resourcesIn(model, values)
  }

  /** A mapper can leave a resource out, but not make another of it. */
  linkField({ wireName }: ResourceField, shown: unknown): LinkedResource | null {
    const held = shown === undefined || shown === null ? undefined : this.#byPlace.get(wireName)
    return held ? this.#linked(wireName, held) : null
  }

  /**
   * A value with resources inside. Mappers can have moved or copied its parts, so the resources are
   * found again by what is told of them.
   */
  linkValue(inside: NestedResources, value: unknown): unknown {
    if (inside.kind === 'resource') return this.#found(value)
    if (inside.kind === 'list' && Array.isArray(value))
      return value.map((one) => this.linkValue(inside.items, one))
    if (inside.kind !== 'struct' || typeof value !== 'object' || value === null) return value
    const members = value as Readonly<Record<string, unknown>>
    const linked = [...inside.members].map(([name, within]) => [
      name,
      this.linkValue(within, members[name]),
    ])
    return { ...members, ...Object.fromEntries(linked) }
  }

  #found(shown: unknown): LinkedResource | null {
    if (typeof shown !== 'object' || shown === null) return null
    this.#places ??= pathsByResource(this.#byPlace)
    const place =
      this.#places.get(shown) ?? this.#places.get(contentKey(shown as Partial<BinaryResource>))
    const held = place === undefined ? undefined : this.#byPlace.get(place)
    return place !== undefined && held ? this.#linked(place, held) : null
  }

  #linked(
    place: ResourcePathText,
    { contentType, size, hash, fileName }: BinaryResource,
  ): LinkedResource {
    return { href: `${this.#path}/${place}`, contentType, size, hash, fileName }
  }
}

/**
 * The place of each resource, by the resource itself and by what is told of it; of several that are
 * alike, the first.
 */
function pathsByResource(
  byPlace: ReadonlyMap<ResourcePathText, StoredResource>,
): ReadonlyMap<unknown, ResourcePathText> {
  const places = new Map<unknown, ResourcePathText>()
  for (const [place, resource] of byPlace) {
    places.set(resource, place)
    const facts = contentKey(resource)
    if (!places.has(facts)) places.set(facts, place)
  }
  return places
}

function contentKey({ hash, size, contentType, fileName }: Partial<BinaryResource>): string {
  return JSON.stringify([hash, size, contentType, fileName])
}
