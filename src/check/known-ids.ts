import type { Known } from './arbitrary/valid-value.ts'
import type { DescribedOperation } from './described-operation.ts'
import { isObject } from './node-at.ts'
import type { Service } from './send.ts'

const kept = 20

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
    if (found.length > 0) ids.set(plural, found.slice(0, kept))
  }
  return { document, ids: (plural) => ids.get(plural) as readonly [string, ...string[]] | undefined }
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
