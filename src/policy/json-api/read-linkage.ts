import { hasEnough } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { pointer } from '../../http/json-pointer.ts'
import type { ModelDescription, RelationField } from '../../model/description.ts'
import type { Sent, SentRelation, Steps } from '../../serializer/sent.ts'

/** The new resource of a document, by the local id that its relations may name it by (JSON:API 1.1, resource identification). */
export interface Local {
  readonly type: string
  readonly lid: string
}

/** Stands for the new resource where it is related to. Bodies with U+0000 are refused before, so nobody can send it as an id. */
export const itself = '\0itself'

/** Reads resource linkage: null, one identifier object, or an array of them (JSON:API 1.1, resource linkage). */
export function readLinkage(
  { kind, wire, target }: RelationField,
  value: unknown,
  steps: Steps,
  local: Local | undefined,
  problems: Problem[],
): SentRelation | undefined {
  const fail = (expected: string, at: Steps): undefined => {
    problems.push(invalid(`'${wire}' relates to ${target.plural}; expected here is ${expected}.`, at))
    return undefined
  }
  if (kind === 'toOne') {
    if (value === null) return { kind: 'none', steps }
    if (!isObject(value)) return fail('one identifier object, or null', steps)
    const id = readIdentifier(target, value, steps, local, problems)
    return id && { kind: 'one', id }
  }
  if (!Array.isArray(value)) return fail('an array of identifier objects', steps)
  const ids = new Map<string, Sent<string>>()
  for (const [index, one] of value.entries()) {
    if (hasEnough(problems)) break
    const at = [...steps, index]
    const id = isObject(one) ? readIdentifier(target, one, at, local, problems) : fail('an identifier object', at)
    if (id && !ids.has(id.value)) ids.set(id.value, id)
  }
  return { kind: 'many', ids: [...ids.values()], steps }
}

function readIdentifier(
  { plural }: ModelDescription,
  identifier: Readonly<Record<string, unknown>>,
  steps: Steps,
  local: Local | undefined,
  problems: Problem[],
): Sent<string> | undefined {
  const { type, id, lid } = identifier
  const faults: Problem[] = []
  if (type === undefined) faults.push(invalid('An identifier object has a type.', steps))
  else if (typeof type !== 'string') faults.push(invalid('A type is text.', [...steps, 'type']))
  else if (type !== plural) faults.push(otherType(type, plural, [...steps, 'type']))
  const isLocal = id === undefined && local !== undefined && lid === local.lid && plural === local.type
  if (lid !== undefined && typeof lid !== 'string') faults.push(invalid('A lid is text.', [...steps, 'lid']))
  else if (id === undefined && lid !== undefined && !isLocal)
    faults.push(invalid('No resource of this document has this lid.', [...steps, 'lid']))
  else if (id === undefined && !isLocal) faults.push(invalid('An identifier object has an id.', steps))
  else if (!isLocal && typeof id !== 'string') faults.push(invalid('An id is text.', [...steps, 'id']))
  problems.push(...faults)
  if (faults.length > 0) return undefined
  return { value: isLocal ? itself : (id as string), steps }
}

export function otherType(type: string, expected: string, steps: Steps): Problem {
  const detail = `The type here is '${expected}', not '${shortened(type)}'.`
  return problem('type-mismatch', detail, { pointer: pointer(steps) })
}

function invalid(detail: string, steps: Steps): Problem {
  return problem('invalid-relation', detail, { pointer: pointer(steps) })
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
