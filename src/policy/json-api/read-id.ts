import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { pointer } from '../../http/json-pointer.ts'
import type { Steps } from '../../serializer/sent.ts'
import type { Locals } from './locals.ts'

/** What names a resource of a type: its id, or its lid where it has none yet (JSON:API 1.1, resource identification). */
export interface Named {
  readonly id?: unknown
  readonly lid?: unknown
}

/** The id that an object at this place names a resource by; undefined, and a problem of this code, where it names none. */
export function readId(
  { id, lid }: Named,
  type: string,
  steps: Steps,
  locals: Locals,
  problems: Problem[],
  code: ErrorCode,
): string | undefined {
  const fail = (detail: string, at: Steps): undefined => {
    problems.push(problem(code, detail, { pointer: pointer(at) }))
    return undefined
  }
  if (lid !== undefined && typeof lid !== 'string') return fail('A lid is text.', [...steps, 'lid'])
  if (typeof id === 'string') return isOther(id, lid, type, locals) ? fail(other, [...steps, 'lid']) : id
  if (id !== undefined) return fail('An id is text.', [...steps, 'id'])
  if (lid === undefined) return fail(`One of the ${type} is named by its id.`, steps)
  const local = locals(type, lid)
  return local.kind === 'known' ? local.id : fail(local.detail, [...steps, 'lid'])
}

const other = 'This lid stands for another resource than the id.'

/** A lid beside an id says nothing more, but must not say anything else. */
function isOther(id: string, lid: string | undefined, type: string, locals: Locals): boolean {
  const local = lid === undefined ? undefined : locals(type, lid)
  return local?.kind === 'known' && local.id !== id
}
