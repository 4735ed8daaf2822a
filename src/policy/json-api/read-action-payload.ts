import { refuse } from '../../error/api-error.ts'
import { problem } from '../../error/problem.ts'
import type { ActionPayload } from '../../serializer/payload.ts'
import { withoutAtMembers } from './at-members.ts'
import { mediaType } from './media-types.ts'
import { isJsonObject } from './read-linkage.ts'

/** The input of an action: the `meta` of a JSON:API document, or the whole of plain JSON. */
export function readActionPayload(document: unknown, contentType: string): ActionPayload {
  if (contentType !== mediaType) return { kind: 'present', document, value: document, steps: [] }
  const expected =
    "Expected an object with the input of the action as 'meta' (an object), or the input itself as application/json."
  if (!isJsonObject(document)) throw refuse('invalid-document', expected, { pointer: '' })
  for (const name of ['data', 'errors'])
    if (document[name] !== undefined)
      throw refuse('invalid-document', expected, { pointer: `/${name}` })
  if (document.meta === undefined)
    return {
      kind: 'absent',
      missingProblem: problem('invalid-document', expected, { pointer: '' }),
    }
  if (!isJsonObject(document.meta)) throw refuse('invalid-document', expected, { pointer: '/meta' })
  return { kind: 'present', document, value: withoutAtMembers(document.meta), steps: ['meta'] }
}
