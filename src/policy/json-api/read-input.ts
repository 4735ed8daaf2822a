import { refuse } from '../../error/api-error.ts'
import { problem } from '../../error/problem.ts'
import type { SentInput } from '../../serializer/sent.ts'
import { withoutAtMembers } from './at-members.ts'
import { mediaType } from './media.ts'
import { isObject } from './read-linkage.ts'

/** The input of an action: the `meta` of a JSON:API document, or plain JSON as it is. */
export function readInput(document: unknown, sentAs: string): SentInput {
  if (sentAs !== mediaType) return { kind: 'sent', document, value: document, steps: [] }
  const expected =
    "The body is an object whose member 'meta' holds the input of the action, as an object; or the input itself, as application/json."
  if (!isObject(document)) throw refuse('invalid-document', expected, { pointer: '' })
  for (const name of ['data', 'errors'])
    if (document[name] !== undefined) throw refuse('invalid-document', expected, { pointer: `/${name}` })
  if (document.meta === undefined)
    return { kind: 'nothing', lacks: problem('invalid-document', expected, { pointer: '' }) }
  if (!isObject(document.meta)) throw refuse('invalid-document', expected, { pointer: '/meta' })
  return { kind: 'sent', document, value: withoutAtMembers(document.meta), steps: ['meta'] }
}
