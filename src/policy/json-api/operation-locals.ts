import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { pointer } from '../../http/json-pointer.ts'
import { freshId } from '../../model/fresh-id.ts'
import type { LocalId, Locals } from './locals.ts'
import { isObject } from './read-linkage.ts'

/** What is known of local ids where an operation stands: those of the operations before it, and its own. */
export type OperationLocals = (index: number) => Locals

interface Added {
  readonly id: string
  /** Of the operation that adds the resource. */
  readonly index: number
}

/**
 * The resources that operations add under a local id, each with the id that it gets, so that later operations can name it before it is stored.
 * @param steps where the operations stand
 */
export function operationLocals(
  operations: readonly unknown[],
  steps: readonly string[],
  problems: Problem[],
): OperationLocals {
  /** By lid, then by type: two types may share a lid. */
  const added = new Map<string, Map<string, Added>>()
  for (const [index, operation] of operations.entries()) {
    const { type, id, lid } = addedBy(operation)
    if (typeof type !== 'string' || typeof lid !== 'string') continue
    const types = added.get(lid) ?? new Map<string, Added>()
    added.set(lid, types)
    if (types.has(type)) {
      const detail = `An operation before this one adds another of the ${shortened(type)} with this lid.`
      problems.push(problem('invalid-document', detail, { pointer: pointer([...steps, index, 'data', 'lid']) }))
    } else types.set(type, { index, id: typeof id === 'string' ? id : freshId() })
  }
  return (index) => (type, lid) => localAt(index, added.get(lid), type, steps)
}

/** The resource that an operation adds; what is added to a relation is there already. */
function addedBy(operation: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(operation) || operation.op !== 'add' || !isObject(operation.data)) return {}
  return isObject(operation.ref) && operation.ref.relationship !== undefined ? {} : operation.data
}

function localAt(
  index: number,
  types: ReadonlyMap<string, Added> | undefined,
  type: string,
  steps: readonly string[],
): LocalId {
  const found = types?.get(type)
  if (found && found.index <= index) return { kind: 'known', id: found.id }
  return { kind: 'unknown', detail: found ? later(pointer([...steps, found.index])) : nothing(type, types) }
}

function later(adding: string): string {
  return `What has this lid is added by '${adding}', which comes later; it can be named from there on.`
}

function nothing(type: string, types: ReadonlyMap<string, Added> | undefined): string {
  const [other] = types?.keys() ?? []
  const detail = `No operation before this one adds one of the ${shortened(type)} with this lid`
  return other === undefined ? `${detail}.` : `${detail}; it is that of one of the ${shortened(other)}.`
}
