import type { ServiceState } from './arbitrary/service-state.ts'
import type { DescribedOperation } from './described-operation.ts'
import { isRecord } from './document-node.ts'
import { NoResponseError } from './response-errors.ts'
import type { ServiceClient } from './service-client.ts'

/** The number of ids per collection that requests use; as many further ones may be deleted. */
const idsPerCollection = 10

/** Reads the ids of every collection, so that requests can use existing items. */
export async function readServiceState(
  document: unknown,
  operations: readonly DescribedOperation[],
  service: ServiceClient,
  accept: Readonly<Record<string, string>>,
): Promise<ServiceState> {
  const ids = new Map<string, readonly string[]>()
  for (const { path, method } of operations) {
    const plural = /^\/(?:[^{}]+\/)?([^/{}]+)$/.exec(path)?.[1]
    if (method !== 'GET' || plural === undefined) continue
    const request = { method, requestTarget: path, headers: accept }
    const response = await service.send(request).catch((error: unknown) => {
      // The requests of the operation report it; without a service there is nothing to check.
      if (error instanceof NoResponseError && error.isAlive) return undefined
      throw error
    })
    ids.set(plural, response?.status === 200 ? idsIn(parseJson(response.body)) : [])
  }
  return {
    document,
    ids: (plural) => nonEmpty(ids.get(plural)?.slice(0, idsPerCollection)),
    deletableIds: (plural) =>
      nonEmpty(ids.get(plural)?.slice(idsPerCollection, 2 * idsPerCollection)),
  }
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
