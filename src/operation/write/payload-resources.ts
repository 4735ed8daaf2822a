import { lazy } from '../../cache/lazy.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { NestedResources } from '../../model/resource-field.ts'
import { type BinaryResource, StoredResource } from '../../model/stored-resource.ts'
import type { ItemPayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import {
  itemPath,
  type ResourcePathText,
  type ResourcesByPath,
  resourcesIn,
} from '../../stored-item/item-resources.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

export const payloadResourceErrors = ['invalid-resource'] as const

const { problem } = refusalsOf(payloadResourceErrors)

/**
 * Compares the links to resources in a payload with the resources of the item. Resources are
 * written at their own addresses, so here a client can only send a link or null back unchanged. In
 * an array, which is replaced as a whole, a link says which resource belongs to the element.
 */
export class PayloadResources {
  readonly problems: Problem[] = []
  readonly #payload: ItemPayload
  readonly #path: string
  readonly #basePath: string
  readonly #storedResources: ResourcesByPath
  readonly #claims = new Map<ResourcePathText, PayloadValue<unknown>>()
  readonly #usedResources = new Set<StoredResource>()

  /**
   * @param stored the values of the stored item; undefined for a new one, which has no resources
   * yet
   */
  constructor(
    { model, basePath }: ModelView,
    payload: ItemPayload,
    stored: StoredValues | undefined,
  ) {
    this.#payload = payload
    this.#basePath = basePath
    this.#path = stored === undefined ? '' : itemPath(model, stored.id)
    this.#storedResources = stored === undefined ? new Map() : resourcesIn(model, stored)
  }

  /** A resource that is a direct member of the item: it never changes. */
  fieldResource(wireName: string, claim: PayloadValue<unknown> | undefined): StoredResource | null {
    if (claim) this.#claims.set(wireName, claim)
    return this.#unchanged(wireName)
  }

  /** The payload without links. {@link withResources} adds the resources. */
  withoutResources(
    nested: NestedResources,
    { value, steps }: PayloadValue<unknown>,
    path: ResourcePathText,
  ): unknown {
    const nestedValue = (nestedMember: NestedResources, name: string | number, member: unknown) =>
      this.withoutResources(
        nestedMember,
        { value: member, steps: [...steps, name] as Steps },
        `${path}/${name}`,
      )
    if (nested.kind === 'list')
      return Array.isArray(value)
        ? value.map((element, index) => nestedValue(nested.items, index, element))
        : value
    if (
      nested.kind !== 'struct' ||
      typeof value !== 'object' ||
      value === null ||
      Array.isArray(value)
    )
      return value
    const members: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(value)) {
      const nestedMember = nested.members.get(name)
      if (nestedMember?.kind === 'resource')
        this.#claims.set(`${path}/${name}`, { value: member, steps: [...steps, name] as Steps })
      else setOwn(members, name, nestedMember ? nestedValue(nestedMember, name, member) : member)
    }
    return members
  }

  /** The validated value with its resources. */
  withResources(
    nested: NestedResources,
    value: unknown,
    path: ResourcePathText,
    isInList = false,
  ): unknown {
    if (nested.kind === 'resource')
      return isInList ? this.#listed(path, value) : this.#unchanged(path)
    if (nested.kind === 'list')
      return Array.isArray(value)
        ? value.map((element, index) =>
            this.withResources(nested.items, element, `${path}/${index}`, true),
          )
        : value
    if (typeof value !== 'object' || value === null) return value
    const members = { ...value } as Record<string, unknown>
    for (const [name, nestedMember] of nested.members)
      if (nestedMember.kind === 'resource' || members[name] !== undefined)
        members[name] = this.withResources(nestedMember, members[name], `${path}/${name}`, isInList)
    return members
  }

  /** The resource stays, even if another request has replaced it since the client read the link. */
  #unchanged(path: ResourcePathText): StoredResource | null {
    const claim = this.#claims.get(path)
    const isUnchanged =
      !claim ||
      claim.value === null ||
      claim.value instanceof StoredResource ||
      this.#pathOfLink(claim.value, path) === path
    if (!isUnchanged) this.#refuse(path, claim)
    return this.#storedResources.get(path) ?? null
  }

  /**
   * In an array of the payload, a resource is where the client puts it; in a stored array, it
   * stays.
   */
  #listed(path: ResourcePathText, value: unknown): StoredResource | null {
    const claim = this.#claims.get(path)
    const resource = claim
      ? this.#claimed(claim, path)
      : value instanceof StoredResource
        ? value
        : null
    if (resource && claim && this.#usedResources.has(resource)) this.#refuse(path, claim)
    if (resource) this.#usedResources.add(resource)
    return resource
  }

  /**
   * The resource that a link describes, wherever other requests have moved it since; otherwise the
   * one at its old path, or null if that is empty.
   */
  #claimed(claim: PayloadValue<unknown>, path: ResourcePathText): StoredResource | null {
    if (claim.value === null) return null
    // A former version of the item has it; no client can send one.
    if (claim.value instanceof StoredResource) return claim.value
    const oldPath = this.#pathOfLink(claim.value, path)
    if (oldPath === undefined) this.#refuse(path, claim)
    if (oldPath === undefined) return null
    const stored = this.#storedResources.get(oldPath) ?? null
    if (stored && contentKey(stored, path) === contentKey(claim.value as Link, path)) return stored
    return this.#byContent().get(contentKey(claim.value as Link, path)) ?? stored
  }

  /**
   * The old path of the resource that a link names; undefined if the value is no link, or names
   * another item, or another field. A new item has no paths yet, so its links name their own path.
   */
  #pathOfLink(value: unknown, path: ResourcePathText): ResourcePathText | undefined {
    if (!isLink(value)) return undefined
    if (this.#path === '') return path
    const prefixIndex = value.href.lastIndexOf(`${this.#path}/`)
    const oldPath = value.href.slice(prefixIndex + this.#path.length + 1)
    return prefixIndex >= 0 && withoutIndexes(oldPath) === withoutIndexes(path)
      ? oldPath
      : undefined
  }

  readonly #byContent = lazy(
    () =>
      new Map(
        [...this.#storedResources].map(([path, resource]) => [
          contentKey(resource, path),
          resource,
        ]),
      ),
  )

  #refuse(path: ResourcePathText, { steps }: PayloadValue<unknown>): void {
    const address =
      this.#path === ''
        ? 'its own address, once the item exists'
        : `${this.#basePath}${this.#path}/${path}`
    this.problems.push(
      problem(
        'invalid-resource',
        `'${path.replaceAll('/', '.')}' is read-only here: send it unchanged or omit it. To change it, POST or DELETE ${address}.`,
        { pointer: findDeepestExisting(this.#payload.document, steps) },
      ),
    )
  }
}

/** The content of a resource, and the field it belongs to. */
function contentKey(
  { hash, contentType, fileName }: BinaryResource,
  path: ResourcePathText,
): string {
  return JSON.stringify([withoutIndexes(path), hash, contentType, fileName])
}

/** A path without its indexes. */
function withoutIndexes(path: ResourcePathText): string {
  return path.replaceAll(/\/\d+(?=\/|$)/g, '/*')
}

type Link = BinaryResource & { readonly href: string }

/** Whether the value has the form of a resource link. */
function isLink(value: unknown): value is Link {
  if (typeof value !== 'object' || value === null) return false
  const { href, contentType, size, hash, fileName, ...otherMembers } = value as Partial<Link>
  const isNamed = typeof fileName === 'string' || fileName === null
  const hasContent =
    [href, contentType, hash].every((text) => typeof text === 'string') && typeof size === 'number'
  return hasContent && isNamed && Object.keys(otherMembers).length === 0
}

/** Sets an own member, even one with the name `__proto__`. */
function setOwn(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
