import { once } from '../cache/once.ts'
import { type Problem, problem } from '../error/problem.ts'
import { deepestExisting } from '../http/json-pointer.ts'
import type { NestedResources } from '../model/description.ts'
import type { ModelView } from '../model/model-view.ts'
import { type BinaryResource, StoredResource } from '../model/stored-resource.ts'
import type { Sent, SentItem, Steps } from '../serializer/sent.ts'
import { itemPath, type Place, type PlacedResources, resourcesIn } from '../store/item-resources.ts'
import type { StoredValues } from '../store/stored-item.ts'

/**
 * Holds what a client sends in the place of resources against the resources that the item has. They are set at their own addresses: here a link object
 * or null can be sent back as it was given, which changes nothing. In an array, which is replaced whole, a link says which resource stands there.
 */
export class SentResources {
  readonly problems: Problem[] = []
  readonly #sent: SentItem
  readonly #path: string
  readonly #basePath: string
  readonly #held: PlacedResources
  readonly #claims = new Map<Place, Sent<unknown>>()
  readonly #taken = new Set<StoredResource>()

  /** @param stored the values of the item as it is; undefined for a new one, which has no resources yet */
  constructor({ model, basePath }: ModelView, sent: SentItem, stored: StoredValues | undefined) {
    this.#sent = sent
    this.#basePath = basePath
    this.#path = stored === undefined ? '' : itemPath(model, stored.id)
    this.#held = stored === undefined ? new Map() : resourcesIn(model, stored)
  }

  /** A resource that is a member of the item itself: it stays as it is. */
  top(wire: string, claim: Sent<unknown> | undefined): StoredResource | null {
    if (claim) this.#claims.set(wire, claim)
    return this.#fixed(wire)
  }

  /** What was sent, without what stands in the place of resources: {@link placed} puts the resources there. */
  without(inside: NestedResources, { value, steps }: Sent<unknown>, place: Place): unknown {
    const below = (within: NestedResources, name: string | number, member: unknown) =>
      this.without(within, { value: member, steps: [...steps, name] as Steps }, `${place}/${name}`)
    if (inside.kind === 'list')
      return Array.isArray(value) ? value.map((one, index) => below(inside.items, index, one)) : value
    if (inside.kind !== 'struct' || typeof value !== 'object' || value === null || Array.isArray(value)) return value
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
  placed(inside: NestedResources, value: unknown, place: Place, isInList = false): unknown {
    if (inside.kind === 'resource') return isInList ? this.#moved(place, value) : this.#fixed(place)
    if (inside.kind === 'list')
      return Array.isArray(value)
        ? value.map((one, index) => this.placed(inside.items, one, `${place}/${index}`, true))
        : value
    if (typeof value !== 'object' || value === null) return value
    const members = { ...value } as Record<string, unknown>
    for (const [name, within] of inside.members)
      if (within.kind === 'resource' || members[name] !== undefined)
        members[name] = this.placed(within, members[name], `${place}/${name}`, isInList)
    return members
  }

  /** What was given stays, whatever is told of it: others may have replaced it since. */
  #fixed(place: Place): StoredResource | null {
    const claim = this.#claims.get(place)
    const isGiven = !claim || claim.value === null || this.#placeOf(claim.value, place) === place
    if (!isGiven) this.#refuse(place, claim)
    return this.#held.get(place) ?? null
  }

  /** In an array that was sent, a resource is where the client puts it; in one that was not, where it was. */
  #moved(place: Place, value: unknown): StoredResource | null {
    const claim = this.#claims.get(place)
    const resource = claim ? this.#claimed(claim, place) : value instanceof StoredResource ? value : null
    if (resource && claim && this.#taken.has(resource)) this.#refuse(place, claim)
    if (resource) this.#taken.add(resource)
    return resource
  }

  /**
   * The resource that a link tells of, wherever others have moved it since; else what they have put in its place, or null where they have
   * cleared that.
   */
  #claimed(claim: Sent<unknown>, place: Place): StoredResource | null {
    if (claim.value === null) return null
    const from = this.#placeOf(claim.value, place)
    if (from === undefined) this.#refuse(place, claim)
    if (from === undefined) return null
    const held = this.#held.get(from) ?? null
    if (held && contentOf(held, place) === contentOf(claim.value as Link, place)) return held
    return this.#byContent().get(contentOf(claim.value as Link, place)) ?? held
  }

  /**
   * Where the resource stood that a link object leads to; undefined where it is none, or leads to another item, or to a place of another kind. A new
   * item has no places yet, so a link leads to where it stands.
   */
  #placeOf(value: unknown, place: Place): Place | undefined {
    if (!isLink(value)) return undefined
    if (this.#path === '') return place
    const before = value.href.lastIndexOf(`${this.#path}/`)
    const from = value.href.slice(before + this.#path.length + 1)
    return before >= 0 && kindOf(from) === kindOf(place) ? from : undefined
  }

  readonly #byContent = once(
    () => new Map([...this.#held].map(([place, resource]) => [contentOf(resource, place), resource])),
  )

  #refuse(place: Place, { steps }: Sent<unknown>): void {
    const address =
      this.#path === '' ? 'its own address, once the item is there' : `${this.#basePath}${this.#path}/${place}`
    this.problems.push(
      problem(
        'invalid-resource',
        `'${place.replaceAll('/', '.')}' can only be sent back as it was given, or left out; POST its bytes to ${address}, or DELETE it there.`,
        { pointer: deepestExisting(this.#sent.document, steps) },
      ),
    )
  }
}

/** What tells a resource from the others in places of its kind. */
function contentOf({ hash, contentType, fileName }: BinaryResource, place: Place): string {
  return JSON.stringify([kindOf(place), hash, contentType, fileName])
}

/** A place without its indexes. */
function kindOf(place: Place): string {
  return place.replaceAll(/\/\d+(?=\/|$)/g, '/*')
}

type Link = BinaryResource & { readonly href: string }

/** Has it the form in which items tell of their resources? */
function isLink(value: unknown): value is Link {
  if (typeof value !== 'object' || value === null) return false
  const { href, contentType, size, hash, fileName, ...more } = value as Partial<Link>
  const isNamed = typeof fileName === 'string' || fileName === null
  const isTold = [href, contentType, hash].every((text) => typeof text === 'string') && typeof size === 'number'
  return isTold && isNamed && Object.keys(more).length === 0
}

/** An own member, even where it is called `__proto__`. */
function setOwn(members: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true })
}
