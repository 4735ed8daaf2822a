import type { ServiceState } from './arbitrary/service-state.ts'
import type { DescribedOperation } from './described-operation.ts'
import { isRecord } from './document-node.ts'
import { idsInBody } from './ids-in-body.ts'
import { encodeText } from './plan/path-and-query.ts'
import type { PlannedRequest } from './plan/planned-request.ts'
import { NoResponseError } from './response-errors.ts'
import type { ServiceClient } from './service-client.ts'

/** The number of ids per collection that requests use; as many further ones may be deleted. */
const idsPerCollection = 10

/** The ids of items, which the check itself may delete, also by a cascade. */
export interface ServiceIds extends ServiceState {
  /**
   * Does the request have the id of an item that was deleted? Reads the items of its ids, and where
   * one is missing, the ids of its collection again.
   */
  hasMissingId(request: RequestWithIds): Promise<boolean>
}

type RequestWithIds = Pick<PlannedRequest, 'operation' | 'requestTarget' | 'headers' | 'body'>

interface ListedCollection {
  readonly path: string
  /** Can its items be read one by one? */
  readonly hasItems: boolean
  ids: readonly string[]
  /** All ids that it had: requests that are generated already still have them. */
  readonly allIds: Set<string>
  readonly missingIds: Set<string>
}

/** Reads the ids of every collection, so that requests can use existing items. */
export async function readServiceState(
  document: unknown,
  operations: readonly DescribedOperation[],
  service: ServiceClient,
  accept: Readonly<Record<string, string>>,
): Promise<ServiceIds> {
  const collections = new Map<string, ListedCollection>()
  const read = (requestTarget: string) =>
    service.send({ method: 'GET', requestTarget, headers: accept }).catch((error: unknown) => {
      // The requests of the operation report it; without a service there is nothing to check.
      if (error instanceof NoResponseError && error.isAlive) return undefined
      throw error
    })
  const readIds = async (path: string) => {
    const response = await read(path)
    return response?.status === 200 ? idsIn(parseJson(response.body)) : undefined
  }
  const isMissing = async ({ path, hasItems, ids }: ListedCollection, id: string) => {
    if (!hasItems) return !((await readIds(path)) ?? ids).includes(id)
    const response = await read(`${path}/${encodeText(id)}`)
    return response?.status === 404 || response?.status === 410
  }
  for (const { path, method } of operations) {
    const plural = /^\/(?:[^{}]+\/)?([^/{}]+)$/.exec(path)?.[1]
    if (method !== 'GET' || plural === undefined) continue
    const hasItems = operations.some(
      (other) => other.method === 'GET' && /^\/\{[^/]+\}$/.test(tailOf(other.path, path)),
    )
    const ids = (await readIds(path)) ?? []
    collections.set(plural, { path, hasItems, ids, allIds: new Set(ids), missingIds: new Set() })
  }
  const idsOf = (plural: string) => collections.get(plural)?.ids
  return {
    document,
    ids: (plural) => nonEmpty(idsOf(plural)?.slice(0, idsPerCollection)),
    deletableIds: (plural) =>
      nonEmpty(idsOf(plural)?.slice(idsPerCollection, 2 * idsPerCollection)),
    hasMissingId: async (request) => {
      const inAddress = idsInAddress(request)
      const inBody = idsInBody(document, request)
      let hasMissingId = false
      for (const [plural, collection] of collections) {
        const { path, allIds, missingIds } = collection
        const requestIds = [...allIds].filter(
          (id) => inAddress.has(encodeText(id)) || inBody.get(plural)?.has(id),
        )
        for (const id of requestIds)
          if (!missingIds.has(id) && (await isMissing(collection, id))) missingIds.add(id)
        if (!requestIds.some((id) => missingIds.has(id))) continue
        hasMissingId = true
        if (!collection.ids.some((id) => missingIds.has(id))) continue
        collection.ids = (await readIds(path)) ?? []
        for (const id of collection.ids) allIds.add(id)
      }
      return hasMissingId
    },
  }
}

function tailOf(path: string, collection: string): string {
  return path.startsWith(collection) ? path.slice(collection.length) : ''
}

/** The segments and values of an address, encoded. */
function idsInAddress({ requestTarget }: RequestWithIds): ReadonlySet<string> {
  return new Set(requestTarget.split(/[/?&=,]|%2C/))
}

function nonEmpty(ids: readonly string[] | undefined): readonly [string, ...string[]] | undefined {
  return ids && ids.length > 0 ? (ids as readonly [string, ...string[]]) : undefined
}

/** The ids in the first array of items. */
function idsIn(document: unknown): readonly string[] {
  if (!isRecord(document)) return []
  const list = Object.values(document).find(
    (value) => Array.isArray(value) && value.some(isItemWithId),
  )
  return ((list as readonly unknown[] | undefined) ?? []).filter(isItemWithId).map(({ id }) => id)
}

function isItemWithId(value: unknown): value is { readonly id: string } {
  return isRecord(value) && typeof value.id === 'string'
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
