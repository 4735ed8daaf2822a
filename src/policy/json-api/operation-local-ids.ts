import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { createId } from '../../model/id.ts'
import type { LocalIdLookup, LocalIdResult } from './local-ids.ts'
import { isJsonObject } from './read-linkage.ts'

/**
 * What is known of local ids where an operation stands: those of the operations before it, and its
 * own.
 */
export type OperationLocalIds = (index: number) => LocalIdLookup

interface AddedResource {
  readonly id: string
  /** Of the operation that adds the resource. */
  readonly index: number
}

/**
 * The resources that operations add under a local id, each with the id that it gets, so that later
 * operations can name it before it is stored.
 * @param steps where the operations stand
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
      const detail = `An operation before this one adds another of the ${truncate(type)} with this lid.`
      problems.push(
        problem('invalid-document', detail, {
          pointer: formatPointer([...steps, index, 'data', 'lid']),
        }),
      )
    } else types.set(type, { index, id: typeof id === 'string' ? id : createId() })
  }
  return (index) => (type, lid) => resolveLocalId(index, added.get(lid), type, steps)
}

/** The resource that an operation adds; what is added to a relation is there already. */
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
  const found = types?.get(type)
  if (found && found.index <= index) return { kind: 'known', id: found.id }
  return {
    kind: 'unknown',
    detail: found
      ? describeLater(formatPointer([...steps, found.index]))
      : describeUnknown(type, types),
  }
}

function describeLater(adding: string): string {
  return `What has this lid is added by '${adding}', which comes later; it can be named from there on.`
}

function describeUnknown(
  type: string,
  types: ReadonlyMap<string, AddedResource> | undefined,
): string {
  const [other] = types?.keys() ?? []
  const detail = `No operation before this one adds one of the ${truncate(type)} with this lid`
  return other === undefined
    ? `${detail}.`
    : `${detail}; it is that of one of the ${truncate(other)}.`
}
