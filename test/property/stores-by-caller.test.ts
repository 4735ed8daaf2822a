import fc from 'fast-check'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { atomicType } from '../spec/support/atomic.ts'
import { mediaType as jsonApiType } from '../spec/support/document-client.ts'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'
import { asUser, Note, twoStores } from '../support/two-stores.ts'

const numRuns = Math.ceil(Number(process.env.FUZZ_RUNS ?? 300) / 20)
const timeout = 60_000 + numRuns * 2_000

const groups = ['north', 'south'] as const
type Group = (typeof groups)[number]

/**
 * Both groups use the same ids, so that each request could find what the other group has. Every
 * value names its group, which is how a response tells where it comes from.
 */
const ids = ['a', 'b', 'c']
const step = fc.record({
  group: fc.constantFrom(...groups),
  id: fc.constantFrom(...ids),
  number: fc.nat({ max: 4 }),
  action: fc.constantFrom(
    'create',
    'update',
    'delete',
    'get',
    'revalidate',
    'list',
    'search',
    'next page',
    'upload',
    'download',
    'repeat',
    'batch',
    'include',
    'follow',
    'listen',
  ),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** What a client of either group has got, for which the other group may ask, too. */
interface Seen {
  readonly tags: Set<string>
  readonly pages: Map<string, Group>
  readonly positions: Map<string, Group>
}

/** One caller id in both groups: only the store tells them apart. */
const callerOf = (group: Group) => asUser(`eve@${group}`)
const other = (group: Group): Group => (group === 'north' ? 'south' : 'north')

describe.each(stores)('Callers of two stores ($name)', ({ make }) => {
  it(
    'never see anything of each other',
    async () => {
      const statuses = new Map<string, number>()
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
          const { router, errors } = twoStores(
            { north: await make(), south: await make() },
            { policy: jsonApi(), changes: true, idempotency: true },
          )
          const api = client(router, undefined, jsonApiType)
          const seen: Seen = { tags: new Set(), pages: new Map(), positions: new Map() }
          for (const group of groups)
            await router.inStore(group).load(
              Note,
              ['a', 'b', 'x'].map((id) => ({ id, title: `of the ${group}` })),
            )
          for (const each of steps) {
            const response = await take(api, seen, each)
            if (!response) continue
            const name = `${each.action} ${response.status}`
            statuses.set(name, (statuses.get(name) ?? 0) + 1)
            expect(response.text + response.headers.get('location'), name).not.toContain(
              `of the ${other(each.group)}`,
            )
            expect(response.status, `${name} ${response.text}`).toBeLessThan(500)
            if (response.etag) seen.tags.add(response.etag)
          }
          expect(errors).toEqual([])
          await router.close()
        }),
        { numRuns },
      )
      // Otherwise the property would hold for a service that refuses everything.
      for (const name of ['create 201', 'get 200', 'next page 200', 'next page 400', 'batch 200'])
        expect(statuses.get(name) ?? 0, [...statuses].join()).toBeGreaterThan(0)
    },
    timeout,
  )
})

async function take(
  api: Client,
  seen: Seen,
  { group, action, id, number }: Step,
): Promise<ClientResponse | undefined> {
  const caller = callerOf(group)
  const title = `of the ${group} ${number}`
  const path = `/notes/${id}`
  const data = { type: 'notes', id, attributes: { title, rank: number, code: `${number}` } }
  const link = async (response: ClientResponse): Promise<ClientResponse> => {
    const next = response.at('/links/next')
    if (typeof next === 'string') seen.pages.set(next, group)
    return response
  }
  switch (action) {
    case 'create':
      return api.post('/notes', { data }, caller)
    case 'update':
      return api.patch(path, { data }, caller)
    case 'delete':
      return api.delete(path, caller)
    case 'get':
      return api.get(path, caller)
    case 'revalidate':
      return revalidate(api, path, caller, [...seen.tags])
    case 'list':
      return link(await api.get('/notes?page[size]=1&sort=rank', caller))
    case 'search':
      return api.get(`/notes?filter[rank][gte]=${number}&sort=-title`, caller)
    case 'next page': {
      const [address, owner] = [...seen.pages].at(-1 - (number % 2)) ?? []
      if (address === undefined) return undefined
      const response = await api.get(address, caller)
      expect(response.status, address).toBe(owner === group ? 200 : 400)
      return link(response)
    }
    case 'upload':
      return api.post(`${path}/scan`, title, { ...caller, 'content-type': 'text/plain' })
    case 'download':
      return api.get(`${path}/scan`, caller)
    case 'repeat': {
      const attributes = { title, rank: number }
      const body = { data: { type: 'notes', attributes } }
      const keyed = { ...caller, 'idempotency-key': `"${number}"` }
      const first = await api.post('/notes', body, keyed)
      const made = String(first.at('/data/id'))
      if (first.status !== 201) return first
      expect((await api.post('/notes', body, keyed)).at('/data/id')).toBe(made)
      expect((await api.get(`/notes/${made}`, callerOf(other(group)))).status).toBe(404)
      return first
    }
    case 'batch': {
      const operations = [
        { op: 'add', data: { type: 'shelves', lid: 's', attributes: { name: title } } },
        {
          op: 'add',
          data: {
            type: 'notes',
            attributes: { title },
            relationships: { shelf: { data: { type: 'shelves', lid: 's' } } },
          },
        },
      ]
      const headers = { ...caller, 'content-type': atomicType, accept: atomicType }
      return api.post('/operations', { 'atomic:operations': operations }, headers)
    }
    case 'include':
      return api.get('/shelves?include=notes', caller)
    case 'follow':
    case 'listen': {
      const known = [...seen.positions].at(-1 - (number % 3))
      const since = known && number > 0 ? known[0] : 'start'
      const response = await api.get(`/notes/changes?since=${since}`, caller)
      if (since !== 'start') expect(response.status).toBe(known![1] === group ? 200 : 400)
      const next = response.at('/meta/next')
      if (typeof next === 'string') seen.positions.set(next, group)
      return response
    }
  }
}

/** A 304 says that the caller has its own item: that must be what the caller would get. */
async function revalidate(
  api: Client,
  path: string,
  caller: Readonly<Record<string, string>>,
  tags: readonly string[],
): Promise<ClientResponse> {
  const headers = tags.length > 0 ? { ...caller, 'if-none-match': tags.join(', ') } : caller
  const response = await api.get(path, headers)
  if (response.status === 304) {
    const whole = await api.get(path, caller)
    expect([whole.status, whole.etag]).toEqual([200, response.etag])
    expect(tags).toContain(whole.etag)
  }
  return response
}
