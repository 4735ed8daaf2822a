import { expect } from 'vitest'
import { atomicType, atomicUri } from '../../spec/support/atomic.ts'
import type { Client, DocumentResponse } from '../../spec/support/document-client.ts'
import { Library, type Linkage, type Links, relations, type Write } from './library.ts'
import {
  addressOf,
  identifiers,
  linkageStamp,
  plural,
  relationshipOf,
  tagOf,
  type World,
} from './observe.ts'
import { resourceOf } from './send.ts'

/** The prefix of local ids, for resources that a batch adds without an id. */
const isLocal = (id: string): boolean => id.startsWith('lid-')

const ops = { add: 'add', replace: 'update', remove: 'remove' } as const

/** Writes in one request of the Atomic Operations extension: all of them succeed, or none. */
export async function sendBatch(
  world: World,
  api: Client,
  writes: readonly Write[],
): Promise<DocumentResponse> {
  const operations: object[] = []
  for (const write of writes) operations.push(localized(await operationOf(world, api, write)))
  const headers = { 'content-type': atomicType, accept: atomicType }
  return api.post('/operations', { 'atomic:operations': operations }, headers)
}

async function operationOf(world: World, api: Client, write: Write): Promise<object> {
  const { kind, id } = write
  const ref = { type: plural(kind), id }
  const meta = await metaOf(world, api, write)
  switch (write.op) {
    case 'create':
      return { op: 'add', data: resourceOf(write) }
    case 'update':
      return { op: 'update', data: resourceOf(write), ...meta }
    case 'remove':
      return { op: 'remove', ref, ...meta }
    case 'relate': {
      const { relation, change, linkage } = write
      const data = identifiers(relations[kind][relation]!.to, linkage)
      return { op: ops[change], ref: { ...ref, relationship: relation }, data, ...meta }
    }
  }
}

async function metaOf(world: World, api: Client, write: Write): Promise<object> {
  if (write.op === 'create' || write.match === 'none') return {}
  if (write.match === 'any') return { meta: { ifMatch: '*' } }
  const { kind, id } = write
  const isThere = write.match === 'current' && world.library.get(kind, id)
  if (!isThere) return { meta: { ifMatch: '"stale"' } }
  const address =
    write.op === 'relate' ? relationshipOf(kind, id, write.relation) : addressOf(kind, id)
  return { meta: { ifMatch: tagOf(await api.get(address)) } }
}

/** Sends local ids as `lid`, everywhere. */
function localized<T>(value: T): T {
  if (Array.isArray(value)) return value.map(localized) as T
  if (typeof value !== 'object' || value === null) return value
  const { id, ...others } = value as { id?: unknown }
  const rest = Object.fromEntries(
    Object.entries(others).map(([name, one]) => [name, localized(one)]),
  )
  if (id === undefined) return rest as T
  return (typeof id === 'string' && isLocal(id) ? { ...rest, lid: id } : { ...rest, id }) as T
}

/** The outcome of a batch: the new state of the library, or the refused write and the reason. */
export type Outcome =
  | { readonly kind: 'done'; readonly library: Library }
  | { readonly kind: 'refused'; readonly index: number; readonly statuses: readonly number[] }

export function attemptAll(world: World, writes: readonly Write[]): Outcome {
  const library = new Library(world.library)
  for (const [index, write] of writes.entries()) {
    const statuses = library.attempt(matchedNow(world, library, write))
    if (statuses.length > 0) return { kind: 'refused', index, statuses }
  }
  return { kind: 'done', library }
}

/** The writes that succeed one after the other. */
export function doable(world: World, writes: readonly Write[]): readonly Write[] {
  let library = world.library
  return writes.filter((write) => {
    const after = new Library(library)
    const isDone = after.attempt(matchedNow(world, library, write)).length === 0
    if (isDone) library = after
    return isDone
  })
}

/** An ETag from before the batch is stale once an earlier write has changed the item. */
function matchedNow(world: World, library: Library, write: Write): Write {
  if (write.op === 'create' || write.match !== 'current') return write
  const { kind, id } = write
  if (!library.get(kind, id)) return write
  const stampIn = (one: Library) =>
    write.op === 'relate' && relations[kind][write.relation]!.holds === 'nothing'
      ? linkageStamp({ ...world, library: one }, kind, id, write.relation)
      : one.stamp(kind, id)
  const isFresh =
    world.library.get(kind, id) !== undefined && stampIn(world.library) === stampIn(library)
  return isFresh ? write : { ...write, match: 'stale' }
}

/** The same writes with the ids from the service instead of local ids. */
export function withGivenIds(
  writes: readonly Write[],
  response: DocumentResponse,
): readonly Write[] {
  const idsByLid = new Map<string, string>()
  for (const [index, write] of writes.entries())
    if (write.op === 'create')
      idsByLid.set(write.id, String(response.at(`/atomic:results/${index}/data/id`)))
  const id = (one: string) => idsByLid.get(one) ?? one
  const linkage = (linkage: Linkage): Linkage =>
    Array.isArray(linkage) ? linkage.map(id) : typeof linkage === 'string' ? id(linkage) : null
  const links = (all: Links): Links =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, linkage(one)]))
  return writes.map((write) => {
    if (write.op === 'remove') return { ...write, id: id(write.id) }
    if (write.op === 'relate')
      return { ...write, id: id(write.id), linkage: linkage(write.linkage) }
    return { ...write, id: id(write.id), links: links(write.links) }
  })
}

/**
 * Checks the response to a successful batch: a result for each write, with the resource where it
 * wrote one.
 */
export function expectResults(writes: readonly Write[], response: DocumentResponse): void {
  const wrote = writes.map(({ op }) => op === 'create' || op === 'update')
  if (!wrote.includes(true)) {
    expect([response.status, response.text]).toEqual([204, ''])
    return
  }
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain(`ext="${atomicUri}"`)
  expect(response.at('/atomic:results')).toHaveLength(writes.length)
  for (const [index, { kind }] of writes.entries())
    expect(response.at(`/atomic:results/${index}/data/type`)).toBe(
      wrote[index] ? plural(kind) : undefined,
    )
}

/** Checks the response to a refused batch: it points to the failed write. */
export function expectRefused(
  { index, statuses }: Extract<Outcome, { kind: 'refused' }>,
  response: DocumentResponse,
): void {
  const allowed = new Set(statuses).size > 1 ? [...statuses, 400] : statuses
  expect(allowed, response.text).toContain(response.status)
  for (const { source } of response.errors)
    expect(source?.pointer, response.text).toMatch(new RegExp(`^/atomic:operations/${index}(/|$)`))
}
