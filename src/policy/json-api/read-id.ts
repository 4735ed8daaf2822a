import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { Steps } from '../../serializer/payload.ts'
import { mustBeString } from '../must-be-string.ts'
import type { LocalIdLookup } from './local-ids.ts'

/** The members that identify a resource of a type (JSON:API 1.1, resource identification). */
export interface ResourceReference {
  readonly id?: unknown
  readonly lid?: unknown
}

/** The id of a resource; adds a problem with this code and returns undefined if there is none. */
export function readId(
  { id, lid }: ResourceReference,
  type: string,
  steps: Steps,
  locals: LocalIdLookup,
  problems: Problem[],
  code: ErrorCode,
): string | undefined {
  const fail = (detail: string, source: Steps): undefined => {
    problems.push(problem(code, detail, { pointer: formatPointer(source) }))
    return undefined
  }
  if (lid !== undefined && typeof lid !== 'string')
    return fail(mustBeString('lid'), [...steps, 'lid'])
  if (typeof id === 'string')
    return namesOtherResource(id, lid, type, locals) ? fail(conflictingLid, [...steps, 'lid']) : id
  if (id !== undefined) return fail(mustBeString('id'), [...steps, 'id'])
  if (lid === undefined) return fail("Expected an 'id'.", steps)
  const local = locals(type, lid)
  return local.kind === 'known' ? local.id : fail(local.detail, [...steps, 'lid'])
}

const conflictingLid = "'lid' and 'id' identify different resources."
function namesOtherResource(
  id: string,
  lid: string | undefined,
  type: string,
  locals: LocalIdLookup,
): boolean {
  const local = lid === undefined ? undefined : locals(type, lid)
  return local?.kind === 'known' && local.id !== id
}
