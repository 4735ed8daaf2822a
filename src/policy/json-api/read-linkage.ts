import { hasReachedMaxProblems } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { ModelDescription, RelationField } from '../../model/model-description.ts'
import type { LinkagePayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import { mustBeString } from '../must-be-string.ts'
import type { LocalIdLookup } from './local-ids.ts'
import { readId } from './read-id.ts'

export const readLinkageErrors = ['type-mismatch', 'invalid-relation'] as const

const { problem } = refusalsOf(readLinkageErrors)

/**
 * Reads resource linkage: null, one identifier object, or an array of them (JSON:API 1.1, resource
 * linkage).
 */
export function readLinkage(
  { kind, wireName, relatedModel }: RelationField,
  value: unknown,
  steps: Steps,
  locals: LocalIdLookup,
  problems: Problem[],
): LinkagePayload | undefined {
  const fail = (expected: string, source: Steps): undefined => {
    const detail = `'${wireName}' must be ${expected} of ${relatedModel.plural}.`
    problems.push(invalidRelation(detail, source))
    return undefined
  }
  if (kind === 'toOne') {
    if (value === null) return { kind: 'none', steps }
    if (!isJsonObject(value)) return fail('null or one identifier object', steps)
    const id = readIdentifier(relatedModel, value, steps, locals, problems)
    return id && { kind: 'one', id }
  }
  if (!Array.isArray(value)) return fail('an array of identifier objects', steps)
  const ids = new Map<string, PayloadValue<string>>()
  for (const [index, identifier] of value.entries()) {
    if (hasReachedMaxProblems(problems)) break
    const source = [...steps, index]
    const id = isJsonObject(identifier)
      ? readIdentifier(relatedModel, identifier, source, locals, problems)
      : fail('an array of identifier objects', source)
    if (id && !ids.has(id.value)) ids.set(id.value, id)
  }
  return { kind: 'many', ids: [...ids.values()], steps }
}

function readIdentifier(
  { plural }: ModelDescription,
  identifier: Readonly<Record<string, unknown>>,
  steps: Steps,
  locals: LocalIdLookup,
  problems: Problem[],
): PayloadValue<string> | undefined {
  const { type } = identifier
  const isOfType = type === plural
  if (type === undefined)
    problems.push(invalidRelation(`An identifier object needs the 'type' '${plural}'.`, steps))
  else if (typeof type !== 'string')
    problems.push(invalidRelation(mustBeString('type'), [...steps, 'type']))
  else if (!isOfType) problems.push(typeMismatch(type, plural, [...steps, 'type']))
  const id = readId(identifier, plural, steps, locals, problems, 'invalid-relation')
  return id === undefined || !isOfType ? undefined : { value: id, steps }
}

export function typeMismatch(type: string, expected: string, steps: Steps): Problem {
  const detail = `Expected the type '${expected}', got '${truncate(type)}'.`
  return problem('type-mismatch', detail, { pointer: formatPointer(steps) })
}

function invalidRelation(detail: string, steps: Steps): Problem {
  return problem('invalid-relation', detail, { pointer: formatPointer(steps) })
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
