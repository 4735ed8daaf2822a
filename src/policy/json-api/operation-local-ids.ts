import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { createId } from '../../model/id.ts'
import type { LocalIdLookup, LocalIdResult } from './local-ids.ts'
import { isJsonObject } from './read-linkage.ts'

/** The local ids that an operation may use: those of earlier operations, and its own. */
export type OperationLocalIds = (index: number) => LocalIdLookup

interface AddedResource {
  readonly id: string
  /** The index of the operation that adds the resource. */
  readonly index: number
}

/**
 * Collects the resources that operations add with a local id, and chooses their ids, so that later
 * operations can refer to them before they are stored.
 * @param steps the path of the operations in the document
 */
export function collectLocalIds(
  operations: readonly unknown[],
  steps: readonly string[],
  problems: Problem[],
): OperationLocalIds {
  /** By lid, then by type: two types may share a lid. */
  const added = new Map<string, Map<string, AddedResource>>()
  for (const [index, operation] of operations.entries()) {
    const { type, id, lid } = addedResourceOf(operation)
    if (typeof type !== 'string' || typeof lid !== 'string') continue
    const types = added.get(lid) ?? new Map<string, AddedResource>()
    added.set(lid, types)
    if (types.has(type)) {
      const detail = `Another operation already uses this 'lid' for the type '${truncate(type)}'.`
      problems.push(
        problem('invalid-document', detail, {
          pointer: formatPointer([...steps, index, 'data', 'lid']),
        }),
      )
    } else types.set(type, { index, id: typeof id === 'string' ? id : createId() })
  }
  return (index) => (type, lid) => resolveLocalId(index, added.get(lid), type, steps)
}

/** The resource that an operation adds; an operation on a relationship adds none. */
function addedResourceOf(operation: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(operation) || operation.op !== 'add' || !isJsonObject(operation.data)) return {}
  return isJsonObject(operation.ref) && operation.ref.relationship !== undefined
    ? {}
    : operation.data
}

function resolveLocalId(
  index: number,
  types: ReadonlyMap<string, AddedResource> | undefined,
  type: string,
  steps: readonly string[],
): LocalIdResult {
  const added = types?.get(type)
  if (added && added.index <= index) return { kind: 'known', id: added.id }
  return {
    kind: 'unknown',
    detail: added
      ? `A later operation ('${formatPointer([...steps, added.index])}') defines this 'lid'. Use it after that operation only.`
      : describeUnknown(type, types),
  }
}

function describeUnknown(
  type: string,
  types: ReadonlyMap<string, AddedResource> | undefined,
): string {
  const [otherType] = types?.keys() ?? []
  const detail = `No earlier operation defines this 'lid' for the type '${truncate(type)}'`
  return otherType === undefined
    ? `${detail}.`
    : `${detail}; one defines it for the type '${truncate(otherType)}'.`
}
