import { encodePathSegment } from '../http/percent-encoding.ts'
import type { ModelDescription, NestedResources } from '../model/model-description.ts'
import { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { StoredItem } from './stored-item.ts'

/**
 * The member of an item's hidden part that holds the keys of blobs, by place: no field can be
 * called so.
 */
export const blobKeysMember = '/'

/**
 * Where in an item a resource is, by wire names and indexes: `cover`, `editions/0/scan`. Its
 * address is the item's, a slash, and this.
 */
export type ResourcePathText = string

/** The resources of an item, by place. */
export type ResourcesByPath = Map<ResourcePathText, StoredResource>

/** The address of an item, below the mount path. */
export function itemPath({ plural }: ModelDescription, id: string): string {
  return `/${plural}/${encodePathSegment(id)}`
}

/** Writes the values of one item that are or hold resources, and gathers the resources. */
export class ResourceWriter {
  readonly #found = new Map<StoredResource, ResourcePathText>()
  readonly #path: string

  constructor(model: ModelDescription, id: string) {
    this.#path = itemPath(model, id)
  }

  /** @throws TypeError where the model's code put something else in the place of a resource. */
  writeResource(value: unknown, place: ResourcePathText): string {
    if (value === undefined || value === null) return 'null'
    if (!(value instanceof StoredResource))
      throw new TypeError(
        `'${place}' is no resource; keep the object that the item had there, or put null in its place.`,
      )
    const other = this.#found.get(value)
    if (other !== undefined)
      throw new TypeError(
        `'${place}' holds the resource of '${other}' too; a resource can stand in one place only.`,
      )
    this.#found.set(value, place)
    // A tab cannot stand in text that JSON.stringify writes, in or between its values: it marks
    // what a router puts its own address before.
    return `{"href":\t"${this.#path}/${place}",${JSON.stringify(value).slice(1)}`
  }

  /** A value with resources inside. */
  writeValue(inside: NestedResources, value: unknown, place: ResourcePathText): string {
    if (inside.kind === 'resource') return this.writeResource(value, place)
    if (inside.kind === 'list' && Array.isArray(value))
      return `[${value.map((one, index) => this.writeValue(inside.items, one, `${place}/${index}`)).join(',')}]`
    if (inside.kind === 'struct' && typeof value === 'object' && value !== null) {
      const members = Object.entries(value).filter(([, member]) => member !== undefined)
      const texts = members.map(([name, member]) => {
        const within = inside.members.get(name)
        const text = within
          ? this.writeValue(within, member, `${place}/${name}`)
          : JSON.stringify(member)
        return `${JSON.stringify(name)}:${text}`
      })
      return `{${texts.join(',')}}`
    }
    return JSON.stringify(value)
  }

  /** The keys of the blobs as a member of the hidden part; undefined where there are none. */
  writeBlobKeys(): string | undefined {
    if (this.#found.size === 0) return undefined
    const keys = [...this.#found].map(([resource, place]) => [
      place,
      StoredResource.blobKeyOf(resource),
    ])
    return `"${blobKeysMember}":${JSON.stringify(Object.fromEntries(keys))}`
  }
}

type Members = Record<string, unknown>

/**
 * Puts resources in the place of what the parsed members of an item tell of them, shown or hidden.
 */
export function restoreResources(shown: Members, hidden: Members): void {
  for (const [place, key] of Object.entries(
    (hidden[blobKeysMember] ?? {}) as Record<ResourcePathText, string>,
  )) {
    const steps = place.split('/')
    const last = steps.pop()!
    let holder: unknown = Object.hasOwn(shown, steps[0] ?? last) ? shown : hidden
    for (const step of steps) holder = isObject(holder) ? holder[step] : undefined
    // A model can have changed since the item was written.
    const told = isObject(holder) ? holder[last] : undefined
    if (isObject(holder) && isObject(told))
      holder[last] = new StoredResource(told as Partial<BinaryResource> as BinaryResource, key)
  }
}

/** The keys of an item's blobs, by place. */
export function blobKeysOf({ hiddenText }: StoredItem): Readonly<Record<ResourcePathText, string>> {
  return hiddenText === null ? {} : (JSON.parse(hiddenText)[blobKeysMember] ?? {})
}

/** The resources in the values of an item, by place. */
export function resourcesIn(
  model: ModelDescription,
  values: Readonly<Record<string, unknown>>,
): ResourcesByPath {
  const found: ResourcesByPath = new Map()
  for (const { name, wireName } of model.resourceFields)
    collectResources({ kind: 'resource' }, values[name], wireName, found)
  for (const { name, wireName: wire, nestedResources } of model.valueFields)
    if (nestedResources) collectResources(nestedResources, values[name], wire, found)
  return found
}

function collectResources(
  inside: NestedResources | { readonly kind: 'resource' },
  value: unknown,
  place: ResourcePathText,
  found: ResourcesByPath,
): void {
  if (value instanceof StoredResource) found.set(place, value)
  else if (inside.kind === 'list' && Array.isArray(value))
    for (const [index, one] of value.entries())
      collectResources(inside.items, one, `${place}/${index}`, found)
  else if (inside.kind === 'struct' && typeof value === 'object' && value !== null)
    for (const [name, within] of inside.members)
      collectResources(within, (value as Record<string, unknown>)[name], `${place}/${name}`, found)
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}
