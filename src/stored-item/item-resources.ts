import { encodePathSegment } from '../http/percent-encoding.ts'
import type { ModelDescription, ResourcePath } from '../model/model-description.ts'
import type { NestedResources } from '../model/resource-field.ts'
import { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

/** The member of the hidden text that holds the blob keys, by path. No field can have this name. */
export const blobKeysMember = '/'

/**
 * The path of a resource in an item, by wire names and indexes: `cover`, `editions/0/scan`. The
 * address of the resource is the address of the item, a slash, and this path.
 */
export type ResourcePathText = string

/** The resources of an item, by path. */
export type ResourcesByPath = Map<ResourcePathText, StoredResource>

/** The address of an item, without the base address. */
export function itemPath({ plural }: ModelDescription, id: string): string {
  return `/${plural}/${encodePathSegment(id)}`
}

/** Writes the resources of one item as JSON, and collects their blob keys. */
export class ResourceWriter {
  readonly #paths = new Map<StoredResource, ResourcePathText>()
  readonly #itemPath: string

  constructor(model: ModelDescription, id: string) {
    this.#itemPath = itemPath(model, id)
  }

  /** @throws TypeError if the model's code put anything but a resource or null into the field */
  writeResource(value: unknown, path: ResourcePathText): string {
    if (value === undefined || value === null) return 'null'
    if (!(value instanceof StoredResource))
      throw new TypeError(
        `'${path}' must be null or the resource object that was read from the item.`,
      )
    const otherPath = this.#paths.get(value)
    if (otherPath !== undefined)
      throw new TypeError(
        `'${path}' and '${otherPath}' hold the same resource object; each resource belongs to one field.`,
      )
    this.#paths.set(value, path)
    // The tab marks where the base address belongs. JSON.stringify never writes a tab.
    return `{"href":\t"${this.#itemPath}/${path}",${JSON.stringify(value).slice(1)}`
  }

  /** Writes a value that may hold resources. */
  writeValue(nested: NestedResources, value: unknown, path: ResourcePathText): string {
    if (nested.kind === 'resource') return this.writeResource(value, path)
    if (nested.kind === 'list' && Array.isArray(value))
      return `[${value.map((item, index) => this.writeValue(nested.items, item, `${path}/${index}`)).join(',')}]`
    if (nested.kind === 'struct' && typeof value === 'object' && value !== null) {
      const members = Object.entries(value).filter(([, member]) => member !== undefined)
      const memberTexts = members.map(([name, member]) => {
        const nestedInMember = nested.members.get(name)
        const json = nestedInMember
          ? this.writeValue(nestedInMember, member, `${path}/${name}`)
          : JSON.stringify(member)
        return `${JSON.stringify(name)}:${json}`
      })
      return `{${memberTexts.join(',')}}`
    }
    return JSON.stringify(value)
  }

  /** The blob keys as a member of the hidden text; undefined if there are none. */
  writeBlobKeys(): string | undefined {
    if (this.#paths.size === 0) return undefined
    const keys = [...this.#paths].map(([resource, path]) => [
      path,
      StoredResource.blobKeyOf(resource),
    ])
    return `"${blobKeysMember}":${JSON.stringify(Object.fromEntries(keys))}`
  }
}

type Members = Record<string, unknown>

/** Replaces the JSON of resources in the parsed members of an item by `StoredResource` objects. */
export function restoreResources(shown: Members, hidden: Members): void {
  const blobKeys = (hidden[blobKeysMember] ?? {}) as Record<ResourcePathText, string>
  for (const [path, blobKey] of Object.entries(blobKeys)) {
    const segments = path.split('/')
    const last = segments.pop()!
    let parent: unknown = Object.hasOwn(shown, segments[0] ?? last) ? shown : hidden
    for (const segment of segments) parent = isObject(parent) ? parent[segment] : undefined
    // The path may lead nowhere if the model has changed since the item was written.
    const json = isObject(parent) ? parent[last] : undefined
    if (isObject(parent) && isObject(json))
      parent[last] = new StoredResource(json as Partial<BinaryResource> as BinaryResource, blobKey)
  }
}

/**
 * The blob keys of an item, by path.
 *
 * ```ts
 * blobKeysOf(item) // { cover: '0197c2a4-…' }
 * ```
 */
export function blobKeysOf({
  hiddenText,
}: Pick<StoredItem, 'hiddenText'>): Readonly<Record<ResourcePathText, string>> {
  return hiddenText === null ? {} : (JSON.parse(hiddenText)[blobKeysMember] ?? {})
}

/**
 * The resources in the values of an item, by path.
 *
 * ```ts
 * resourcesIn(book, readStoredValues(book, item)).get('cover')?.contentType // 'image/png'
 * ```
 */
export function resourcesIn(
  model: ModelDescription,
  values: Readonly<Record<string, unknown>>,
): ResourcesByPath {
  const resources: ResourcesByPath = new Map()
  for (const { name, wireName } of model.resourceFields)
    collectResources({ kind: 'resource' }, values[name], wireName, resources)
  for (const { name, wireName, nestedResources } of model.valueFields)
    if (nestedResources) collectResources(nestedResources, values[name], wireName, resources)
  return resources
}

function collectResources(
  nested: NestedResources | { readonly kind: 'resource' },
  value: unknown,
  path: ResourcePathText,
  resources: ResourcesByPath,
): void {
  if (value instanceof StoredResource) resources.set(path, value)
  else if (nested.kind === 'list' && Array.isArray(value))
    for (const [index, item] of value.entries())
      collectResources(nested.items, item, `${path}/${index}`, resources)
  else if (nested.kind === 'struct' && isObject(value))
    for (const [name, nestedInMember] of nested.members)
      collectResources(nestedInMember, value[name], `${path}/${name}`, resources)
}

/** Reads and sets the resource at one path of an item. */
export interface ResourceAccessor {
  readonly resource: StoredResource | null
  /** Changes the values in memory; the caller stores them. */
  set(resource: StoredResource | null): void
}

/**
 * The accessor of a resource path and the indexes of its lists, such as `editions/:index/scan` and
 * 0. Undefined if the item has no such path, for example if it has no edition 0.
 */
export function resourceAccessor(
  values: StoredValues,
  { itemField, segments }: ResourcePath,
  indexes: readonly string[],
): ResourceAccessor | undefined {
  let listCount = 0
  const nested = segments
    .slice(1)
    .map((segment) => (segment === '*' ? (indexes[listCount++] ?? '') : segment))
  const names = [itemField.name, ...nested]
  const last = names.pop()!
  let parent: unknown = values
  for (const name of names) parent = memberOf(parent, name)
  if (!isObject(parent)) return undefined
  const members = parent
  const value = memberOf(members, last)
  return {
    resource: value instanceof StoredResource ? value : null,
    set: (resource) => {
      members[last] = resource
    },
  }
}

const indexPattern = /^(?:0|[1-9]\d{0,8})$/

function memberOf(parent: unknown, name: string): unknown {
  if (!isObject(parent)) return undefined
  if (Array.isArray(parent) && !indexPattern.test(name)) return undefined
  return Object.hasOwn(parent, name) ? parent[name] : undefined
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}
