import { lazy } from '../../cache/lazy.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { NestedResources } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { type BinaryResource, StoredResource } from '../../model/stored-resource.ts'
import type { ItemPayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import {
  itemPath,
  type ResourcePathText,
  type ResourcesByPath,
  resourcesIn,
} from '../../stored-item/item-resources.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/**
 * Holds what a client sends in the place of resources against the resources that the item has. They
 * are set at their own addresses: here a link object or null can be sent back as it was given,
 * which changes nothing. In an array, which is replaced whole, a link says which resource stands
 * there.
 */
export class PayloadResources {
  readonly problems: Problem[] = []
  readonly #sent: ItemPayload
  readonly #path: string
  readonly #basePath: string
  readonly #held: ResourcesByPath
  readonly #claims = new Map<ResourcePathText, PayloadValue<unknown>>()
  readonly #taken = new Set<StoredResource>()

  /**
   * @param stored the values of the item as it is; undefined for a new one, which has no resources
   * yet
   */
  constructor({ model, basePath }: ModelView, sent: ItemPayload, stored: StoredValues | undefined) {
    this.#sent = sent
    this.#basePath = basePath
    this.#path = stored === undefined ? '' : itemPath(model, stored.id)
    this.#held = stored === undefined ? new Map() : resourcesIn(model, stored)
  }

  /** A resource that is a member of the item itself: it stays as it is. */
  fieldResource(wire: string, claim: PayloadValue<unknown> | undefined): StoredResource | null {
    if (claim) this.#claims.set(wire, claim)
    return this.#fixed(wire)
  }

  /**
   * What was sent, without what stands in the place of resources: {@link withResources} puts the
   * resources there.
   */
  withoutResources(
    inside: NestedResources,
    { value, steps }: PayloadValue<unknown>,
    place: ResourcePathText,
  ): unknown {
    const below = (within: NestedResources, name: string | number, member: unknown) =>
      this.withoutResources(
        within,
        { value: member, steps: [...steps, name] as Steps },
        `${place}/${name}`,
      )
    if (inside.kind === 'list')
      return Array.isArray(value)
        ? value.map((one, index) => below(inside.items, index, one))
        : value
    if (
      inside.kind !== 'struct' ||
      typeof value !== 'object' ||
      value === null ||
      Array.isArray(value)
    )
      return value
    const members: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(value)) {
      const within = inside.members.get(name)
      if (within?.kind === 'resource')
        this.#claims.set(`${place}/${name}`, { value: member, steps: [...steps, name] as Steps })
      else setOwn(members, name, within ? below(within, name, member) : member)
    }
    return members
  }

  /** The validated value with its resources. */
  withResources(
    inside: NestedResources,
    value: unknown,
    place: ResourcePathText,
    isInList = false,
  ): unknown {
    if (inside.kind === 'resource') return isInList ? this.#moved(place, value) : this.#fixed(place)
    if (inside.kind === 'list')
      return Array.isArray(value)
        ? value.map((one, index) =>
            this.withResources(inside.items, one, `${place}/${index}`, true),
          )
        : value
    if (typeof value !== 'object' || value === null) return value
    const members = { ...value } as Record<string, unknown>
    for (const [name, within] of inside.members)
      if (within.kind === 'resource' || members[name] !== undefined)
        members[name] = this.withResources(within, members[name], `${place}/${name}`, isInList)
    return members
  }

  /** What was given stays, whatever is told of it: others may have replaced it since. */
  #fixed(place: ResourcePathText): StoredResource | null {
    const claim = this.#claims.get(place)
    const isGiven = !claim || claim.value === null || this.#placeOf(claim.value, place) === place
    if (!isGiven) this.#refuse(place, claim)
    return this.#held.get(place) ?? null
  }

  /**
   * In an array that was sent, a resource is where the client puts it; in one that was not, where
   * it was.
   */
  #moved(place: ResourcePathText, value: unknown): StoredResource | null {
    const claim = this.#claims.get(place)
    const resource = claim
      ? this.#claimed(claim, place)
      : value instanceof StoredResource
        ? value
        : null
    if (resource && claim && this.#taken.has(resource)) this.#refuse(place, claim)
    if (resource) this.#taken.add(resource)
    return resource
  }

  /**
   * The resource that a link tells of, wherever others have moved it since; else what they have put
   * in its place, or null where they have cleared that.
   */
  #claimed(claim: PayloadValue<unknown>, place: ResourcePathText): StoredResource | null {
    if (claim.value === null) return null
    const from = this.#placeOf(claim.value, place)
    if (from === undefined) this.#refuse(place, claim)
    if (from === undefined) return null
    const held = this.#held.get(from) ?? null
    if (held && contentKey(held, place) === contentKey(claim.value as Link, place)) return held
    return this.#byContent().get(contentKey(claim.value as Link, place)) ?? held
  }

  /**
   * Where the resource stood that a link object leads to; undefined where it is none, or leads to
   * another item, or to a place of another kind. A new item has no places yet, so a link leads to
   * where it stands.
   */
  #placeOf(value: unknown, place: ResourcePathText): ResourcePathText | undefined {
    if (!isLink(value)) return undefined
    if (this.#path === '') return place
    const before = value.href.lastIndexOf(`${this.#path}/`)
    const from = value.href.slice(before + this.#path.length + 1)
    return before >= 0 && withoutIndexes(from) === withoutIndexes(place) ? from : undefined
  }

  readonly #byContent = lazy(
    () =>
      new Map([...this.#held].map(([place, resource]) => [contentKey(resource, place), resource])),
  )

  #refuse(place: ResourcePathText, { steps }: PayloadValue<unknown>): void {
    const address =
      this.#path === ''
        ? 'its own address, once the item is there'
        : `${this.#basePath}${this.#path}/${place}`
    this.problems.push(
      problem(
        'invalid-resource',
        `'${place.replaceAll('/', '.')}' can only be sent back as it was given, or left out; POST its bytes to ${address}, or DELETE it there.`,
        { pointer: findDeepestExisting(this.#sent.document, steps) },
      ),
    )
  }
}

/** What tells a resource from the others in places of its kind. */
function contentKey(
  { hash, contentType, fileName }: BinaryResource,
  place: ResourcePathText,
): string {
  return JSON.stringify([withoutIndexes(place), hash, contentType, fileName])
}

/** A place without its indexes. */
function withoutIndexes(place: ResourcePathText): string {
  return place.replaceAll(/\/\d+(?=\/|$)/g, '/*')
}

type Link = BinaryResource & { readonly href: string }

/** Has it the form in which items tell of their resources? */
function isLink(value: unknown): value is Link {
  if (typeof value !== 'object' || value === null) return false
  const { href, contentType, size, hash, fileName, ...more } = value as Partial<Link>
  const isNamed = typeof fileName === 'string' || fileName === null
  const isTold =
    [href, contentType, hash].every((text) => typeof text === 'string') && typeof size === 'number'
  return isTold && isNamed && Object.keys(more).length === 0
}

/** An own member, even where it is called `__proto__`. */
function setOwn(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
