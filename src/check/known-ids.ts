import type { Known } from './arbitrary/known.ts'
import type { DescribedOperation } from './described-operation.ts'
import { isObject } from './node-at.ts'
import type { Service } from './send.ts'

/** How many items of each collection requests name; as many again, if there are, may be deleted. */
const kept = 10

/** Asks every collection what is there, so that requests can name items that are. */
export async function knownIds(
  document: unknown,
  operations: readonly DescribedOperation[],
  service: Service,
  accept: Readonly<Record<string, string>>,
): Promise<Known> {
  const ids = new Map<string, readonly string[]>()
  for (const { path, method } of operations) {
    const plural = /^\/(?:[^{}]+\/)?([^/{}]+)$/.exec(path)?.[1]
    if (method !== 'GET' || plural === undefined) continue
    const answer = await service.send({ method, target: path, headers: accept })
    const found = answer.status === 200 ? idsIn(jsonOf(answer.body)) : []
    ids.set(plural, found)
  }
  return {
    document,
    ids: (plural) => some(ids.get(plural)?.slice(0, kept)),
    spare: (plural) => some(ids.get(plural)?.slice(kept, 2 * kept)),
  }
}

function some(ids: readonly string[] | undefined): readonly [string, ...string[]] | undefined {
  return ids && ids.length > 0 ? (ids as readonly [string, ...string[]]) : undefined
}

/** The ids in the first list of things that have one. */
function idsIn(document: unknown): readonly string[] {
  if (!isObject(document)) return []
  const list = Object.values(document).find((value) => Array.isArray(value) && value.some(hasId))
  return ((list as readonly unknown[] | undefined) ?? []).filter(hasId).map((one) => one.id)
}

function hasId(value: unknown): value is { readonly id: string } {
  return isObject(value) && typeof value.id === 'string'
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
