import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { Steps } from '../../serializer/payload.ts'
import type { LocalIdLookup } from './local-ids.ts'

/**
 * What names a resource of a type: its id, or its lid where it has none yet (JSON:API 1.1, resource
 * identification).
 */
export interface ResourceReference {
  readonly id?: unknown
  readonly lid?: unknown
}

/**
 * The id that an object at this place names a resource by; undefined, and a problem of this code,
 * where it names none.
 */
export function readId(
  { id, lid }: ResourceReference,
  type: string,
  steps: Steps,
  locals: LocalIdLookup,
  problems: Problem[],
  code: ErrorCode,
): string | undefined {
  const fail = (detail: string, at: Steps): undefined => {
    problems.push(problem(code, detail, { pointer: formatPointer(at) }))
    return undefined
  }
  if (lid !== undefined && typeof lid !== 'string') return fail('A lid is text.', [...steps, 'lid'])
  if (typeof id === 'string')
    return namesOtherResource(id, lid, type, locals) ? fail(conflictingLid, [...steps, 'lid']) : id
  if (id !== undefined) return fail('An id is text.', [...steps, 'id'])
  if (lid === undefined) return fail(`One of the ${type} is named by its id.`, steps)
  const local = locals(type, lid)
  return local.kind === 'known' ? local.id : fail(local.detail, [...steps, 'lid'])
}

const conflictingLid = 'This lid stands for another resource than the id.'

/** A lid beside an id says nothing more, but must not say anything else. */
function namesOtherResource(
  id: string,
  lid: string | undefined,
  type: string,
  locals: LocalIdLookup,
): boolean {
  const local = lid === undefined ? undefined : locals(type, lid)
  return local?.kind === 'known' && local.id !== id
}
