import { expect } from 'vitest'
import type { Client, DocumentResponse, Resource } from '../../spec/support/document-client.ts'
import {
  hasHash,
  type Kind,
  kinds,
  type Library,
  type Linkage,
  relations,
  type Write,
} from './library.ts'

/** The expected state of the service, and the ETags that it has sent. */
export interface World {
  library: Library
  readonly tags: Tags
}

/** The ETags of each address, by stamp. */
export class Tags {
  readonly #stamps = new Map<string, Map<string, string>>()

  /** An ETag stays as long as the document does, and changes with any change. */
  remember(address: string, stamp: string, tag: string): void {
    const stamps = this.#stamps.get(address) ?? new Map<string, string>()
    this.#stamps.set(address, stamps)
    const before = stamps.get(stamp)
    if (before !== undefined)
      expect(tag, `the tag of ${address}, which has not changed`).toBe(before)
    else expect([...stamps.values()], `the tag of ${address}, which has changed`).not.toContain(tag)
    stamps.set(stamp, tag)
  }

  /** A former ETag of the address. */
  stale(address: string, stamp: string): string {
    const old = [...(this.#stamps.get(address) ?? [])].findLast(([one]) => one !== stamp)
    return old?.[1] ?? '"never"'
  }
}

export const plural = (kind: Kind) => `${kind}s`
export const addressOf = (kind: Kind, id: string) => `/${plural(kind)}/${id}`
export const relationshipOf = (kind: Kind, id: string, relation: string) =>
  `${addressOf(kind, id)}/relationships/${relation}`

export function identifiers(to: Kind, linkage: Linkage): unknown {
  const one = (id: string) => ({ type: plural(to), id })
  if (linkage === null) return null
  return typeof linkage === 'string' ? one(linkage) : linkage.map(one)
}

export function linkageStamp({ library }: World, kind: Kind, id: string, relation: string): string {
  const linkageText = JSON.stringify(library.linkage(kind, id, relation))
  return hasHash(kind) ? `${library.get(kind, id)!.revision} ${linkageText}` : linkageText
}

/** The linkage of the resource equals that of the library. */
export function expectResource(
  world: World,
  kind: Kind,
  resource: Resource,
  statusLines: readonly string[],
): void {
  const { library, tags } = world
  const { id } = resource
  const { name } = library.get(kind, id)!
  expect(resource.attributes).toEqual({ name })
  for (const [relation, { to, holds }] of Object.entries(relations[kind])) {
    if (holds === 'nothing' && !statusLines.includes(relation)) continue
    const { data } = resource.relationships![relation]!
    expect(data, `${addressOf(kind, id)} ${relation}`).toEqual(
      identifiers(to, library.linkage(kind, id, relation)),
    )
  }
  const version = resource.meta?.version
  expect(version !== undefined).toBe(hasHash(kind))
  if (version !== undefined)
    tags.remember(addressOf(kind, id), library.stamp(kind, id), `"${version}"`)
}

/**
 * Checks every collection with its related items: both sides of each relation, and each related
 * item once.
 */
export async function observeLists(world: World, api: Client): Promise<void> {
  const { library } = world
  for (const kind of kinds) {
    const names = Object.keys(relations[kind])
    const response = await api.get(`/${plural(kind)}?include=${names.join(',')}`)
    expect(response.ids).toEqual(library.ids(kind))
    for (const resource of response.many) expectResource(world, kind, resource, names)
    const related = library.ids(kind).flatMap((id) =>
      Object.entries(relations[kind]).flatMap(([name, { to }]) => {
        const linked = [library.linkage(kind, id, name)].flat() as readonly (string | null)[]
        return to === kind
          ? []
          : linked.flatMap((entry) => (entry === null ? [] : `${plural(to)}/${entry}`))
      }),
    )
    expect(response.includedNames).toEqual([...new Set(related)].toSorted())
    for (const resource of response.included)
      expectResource(world, kinds.find((kind) => plural(kind) === resource.type)!, resource, [])
  }
}

/** Checks the item of a write at its own address. */
export function observeWritten(world: World, api: Client, write: Write): Promise<void> {
  const { kind, id } = write
  const isThere = world.library.get(kind, id) !== undefined
  return write.op === 'relate' && isThere
    ? observeRelation(world, api, kind, id, write.relation)
    : observeItem(world, api, kind, id, [])
}

/** Checks an item, its relationships and related items, each at its own address. */
export async function observeItem(
  world: World,
  api: Client,
  kind: Kind,
  id: string,
  names = Object.keys(relations[kind]),
): Promise<void> {
  const { library, tags } = world
  const address = addressOf(kind, id)
  const item = await api.get(address)
  if (!library.get(kind, id)) {
    expect(item.status).toBe(404)
    for (const relation of names) {
      expect((await api.get(relationshipOf(kind, id, relation))).status).toBe(404)
      expect((await api.get(`${address}/${relation}`)).status).toBe(404)
    }
    return
  }
  expectResource(world, kind, item.one, [])
  tags.remember(address, library.stamp(kind, id), tagOf(item))
  expect((await api.get(address, { 'if-none-match': tagOf(item) })).status).toBe(304)
  for (const relation of names) await observeRelation(world, api, kind, id, relation)
}

async function observeRelation(
  world: World,
  api: Client,
  kind: Kind,
  id: string,
  relation: string,
): Promise<void> {
  const { library, tags } = world
  const { to } = relations[kind][relation]!
  const linkage = library.linkage(kind, id, relation)
  const address = relationshipOf(kind, id, relation)
  const response = await api.get(address)
  expect(response.at('/data'), address).toEqual(identifiers(to, linkage))
  tags.remember(address, linkageStamp(world, kind, id, relation), tagOf(response))
  const related = await api.get(`${addressOf(kind, id)}/${relation}`)
  const expected = Array.isArray(linkage) ? linkage.toSorted() : linkage
  const actual = Array.isArray(linkage) ? related.ids : related.at('/data/id')
  expect(actual ?? null, `${addressOf(kind, id)}/${relation}`).toEqual(expected)
  for (const entry of Array.isArray(linkage) ? related.many : linkage === null ? [] : [related.one])
    expectResource(world, to, entry, [])
}

export function tagOf({ headers }: DocumentResponse): string {
  return headers.get('etag')!
}
