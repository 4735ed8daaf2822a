import type { ModelDescription } from '../model/model-description.ts'
import type { NestedResources, ResourceField } from '../model/resource-field.ts'
import type { BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { LinkedResource } from '../serializer/outgoing-item.ts'
import { itemPath, type ResourcePathText, resourcesIn } from '../stored-item/item-resources.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'

/** The resources of one item with their addresses, for members that mappers may have changed. */
export class ResourceLinks {
  readonly #path: string
  readonly #byPath: ReadonlyMap<ResourcePathText, StoredResource>
  #paths: ReadonlyMap<unknown, ResourcePathText> | undefined

  /** @param values the values of the stored item */
  constructor(base: string, model: ModelDescription, values: StoredValues) {
    this.#path = base + itemPath(model, values.id)
    this.#byPath = resourcesIn(model, values)
  }

  /** A mapper can leave a resource out, but not replace it. */
  linkField({ wireName }: ResourceField, value: unknown): LinkedResource | null {
    const resource = value === undefined || value === null ? undefined : this.#byPath.get(wireName)
    return resource ? this.#toLink(wireName, resource) : null
  }

  /**
   * A value with nested resources. Mappers may have moved or copied them, so they are recognized by
   * their content.
   */
  linkValue(nested: NestedResources, value: unknown): unknown {
    if (nested.kind === 'resource') return this.#linkNested(value)
    if (nested.kind === 'list' && Array.isArray(value))
      return value.map((element) => this.linkValue(nested.items, element))
    if (nested.kind !== 'struct' || typeof value !== 'object' || value === null) return value
    const members = value as Readonly<Record<string, unknown>>
    const linked = [...nested.members].map(([name, nestedMember]) => [
      name,
      this.linkValue(nestedMember, members[name]),
    ])
    return { ...members, ...Object.fromEntries(linked) }
  }

  #linkNested(value: unknown): LinkedResource | null {
    if (typeof value !== 'object' || value === null) return null
    this.#paths ??= pathsByResource(this.#byPath)
    const path =
      this.#paths.get(value) ?? this.#paths.get(contentKey(value as Partial<BinaryResource>))
    const resource = path === undefined ? undefined : this.#byPath.get(path)
    return path !== undefined && resource ? this.#toLink(path, resource) : null
  }

  #toLink(
    path: ResourcePathText,
    { contentType, size, hash, fileName }: BinaryResource,
  ): LinkedResource {
    return { href: `${this.#path}/${path}`, contentType, size, hash, fileName }
  }
}

/**
 * The path of each resource, by the resource and by its content. Of several with the same content,
 * the first counts.
 */
function pathsByResource(
  byPath: ReadonlyMap<ResourcePathText, StoredResource>,
): ReadonlyMap<unknown, ResourcePathText> {
  const paths = new Map<unknown, ResourcePathText>()
  for (const [path, resource] of byPath) {
    paths.set(resource, path)
    const content = contentKey(resource)
    if (!paths.has(content)) paths.set(content, path)
  }
  return paths
}

function contentKey({ hash, size, contentType, fileName }: Partial<BinaryResource>): string {
  return JSON.stringify([hash, size, contentType, fileName])
}
