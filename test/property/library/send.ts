import { expect } from 'vitest'
import type { Client, DocumentResponse, HeaderFields } from '../../spec/support/document-client.ts'
import {
  type Change,
  type Kind,
  type Linkage,
  type Links,
  relations,
  type Write,
} from './library.ts'
import {
  addressOf,
  expectResource,
  identifiers,
  linkageStamp,
  plural,
  relationshipOf,
  tagOf,
  type World,
} from './observe.ts'

const methods: Readonly<Record<Change, string>> = {
  add: 'POST',
  replace: 'PATCH',
  remove: 'DELETE',
}

/** Sends a write as a request of its own. */
export async function send(world: World, api: Client, write: Write): Promise<DocumentResponse> {
  const headers = await headersOf(world, api, write)
  switch (write.op) {
    case 'create':
      return api.post(`/${plural(write.kind)}`, { data: resourceOf(write) }, headers)
    case 'update':
      return api.patch(addressOf(write.kind, write.id), { data: resourceOf(write) }, headers)
    case 'remove':
      return api.delete(addressOf(write.kind, write.id), undefined, headers)
    case 'relate': {
      const { kind, id, relation, change, linkage } = write
      const data = identifiers(relations[kind][relation]!.to, linkage)
      return api.send(methods[change], relationshipOf(kind, id, relation), { data }, headers)
    }
  }
}

/** The resource object that a write sends. */
export function resourceOf(write: Extract<Write, { op: 'create' | 'update' }>): object {
  const { kind, id, name, links } = write
  return {
    type: plural(kind),
    id,
    ...(name !== undefined && { attributes: { name } }),
    ...(Object.keys(links).length > 0 && { relationships: relationshipsOf(kind, links) }),
  }
}

function relationshipsOf(kind: Kind, links: Links): object {
  const linked = ([name, linkage]: [string, Linkage]) => [
    name,
    { data: identifiers(relations[kind][name]!.to, linkage) },
  ]
  return Object.fromEntries(Object.entries(links).map(linked))
}

async function headersOf(world: World, api: Client, write: Write): Promise<HeaderFields> {
  if (write.op === 'create' || write.match === 'none') return {}
  if (write.match === 'any') return { 'if-match': '*' }
  const { kind, id } = write
  const address =
    write.op === 'relate' ? relationshipOf(kind, id, write.relation) : addressOf(kind, id)
  if (!world.library.get(kind, id)) return { 'if-match': '"none"' }
  const stamp =
    write.op === 'relate'
      ? linkageStamp(world, kind, id, write.relation)
      : world.library.stamp(kind, id)
  const now = tagOf(await api.get(address))
  world.tags.remember(address, stamp, now)
  return { 'if-match': write.match === 'current' ? now : world.tags.stale(address, stamp) }
}

/** Checks the response to a successful write against the new state of the item. */
export function expectDone(world: World, write: Write, response: DocumentResponse): void {
  const { kind, id } = write
  switch (write.op) {
    case 'create':
      expect([response.status, response.headers.get('location')]).toEqual([
        201,
        addressOf(kind, id),
      ])
      expectItem(world, kind, id, response)
      return
    case 'update':
      expect(response.status).toBe(200)
      expectItem(world, kind, id, response)
      return
    case 'remove':
      expect([response.status, response.text]).toEqual([204, ''])
      return
    case 'relate': {
      expect([response.status, response.text]).toEqual([204, ''])
      const etag = response.headers.get('etag')
      if (etag !== null)
        world.tags.remember(addressOf(kind, id), world.library.stamp(kind, id), etag)
    }
  }
}

function expectItem(world: World, kind: Kind, id: string, response: DocumentResponse): void {
  expectResource(world, kind, response.one, [])
  world.tags.remember(addressOf(kind, id), world.library.stamp(kind, id), tagOf(response))
}
