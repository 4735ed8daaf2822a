import { hasEnough } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { pointer } from '../../http/json-pointer.ts'
import type { ModelDescription, RelationField } from '../../model/description.ts'
import type { Sent, SentRelation, Steps } from '../../serializer/sent.ts'
import type { Locals } from './locals.ts'
import { readId } from './read-id.ts'

/** Reads resource linkage: null, one identifier object, or an array of them (JSON:API 1.1, resource linkage). */
export function readLinkage(
  { kind, wire, target }: RelationField,
  value: unknown,
  steps: Steps,
  locals: Locals,
  problems: Problem[],
): SentRelation | undefined {
  const fail = (expected: string, at: Steps): undefined => {
    problems.push(invalid(`'${wire}' relates to ${target.plural}; expected here is ${expected}.`, at))
    return undefined
  }
  if (kind === 'toOne') {
    if (value === null) return { kind: 'none', steps }
    if (!isObject(value)) return fail('one identifier object, or null', steps)
    const id = readIdentifier(target, value, steps, locals, problems)
    return id && { kind: 'one', id }
  }
  if (!Array.isArray(value)) return fail('an array of identifier objects', steps)
  const ids = new Map<string, Sent<string>>()
  for (const [index, one] of value.entries()) {
    if (hasEnough(problems)) break
    const at = [...steps, index]
    const id = isObject(one) ? readIdentifier(target, one, at, locals, problems) : fail('an identifier object', at)
    if (id && !ids.has(id.value)) ids.set(id.value, id)
  }
  return { kind: 'many', ids: [...ids.values()], steps }
}

function readIdentifier(
  { plural }: ModelDescription,
  identifier: Readonly<Record<string, unknown>>,
  steps: Steps,
  locals: Locals,
  problems: Problem[],
): Sent<string> | undefined {
  const { type } = identifier
  const isOfType = type === plural
  if (type === undefined) problems.push(invalid('An identifier object has a type.', steps))
  else if (typeof type !== 'string') problems.push(invalid('A type is text.', [...steps, 'type']))
  else if (!isOfType) problems.push(otherType(type, plural, [...steps, 'type']))
  const id = readId(identifier, plural, steps, locals, problems, 'invalid-relation')
  return id === undefined || !isOfType ? undefined : { value: id, steps }
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
