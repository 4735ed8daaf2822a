import { refuse, refuseAll } from '../../error/api-error.ts'
import { problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { readFlatItem } from '../read-flat-item.ts'

/** Reads `{"book": {…}}`. */
export function readItem(document: unknown, view: ModelView, purpose: Purpose): ItemPayload {
  const { name } = view.model
  return readFlatItem(unwrapItem(document, view), view, purpose, document, [name])
}

/** A client may send back what it received, with what it may do as `meta`. */
function unwrapItem(
  document: unknown,
  { model: { name }, capabilities }: ModelView,
): Record<string, unknown> {
  const expected = `Expected an object with the member '${name}' only: {"${name}": {…}}.`
  if (!isObject(document)) throw refuse('invalid-document', expected, { pointer: '' })
  const unknownNames = Object.keys(document).filter(
    (key) => key !== name && !(key === 'meta' && capabilities === 'items'),
  )
  refuseAll(
    unknownNames.map((key) =>
      problem('invalid-document', `Unknown member '${truncate(key)}'. ${expected}`, {
        pointer: formatPointer([key]),
      }),
    ),
  )
  if (!Object.hasOwn(document, name)) throw refuse('invalid-document', expected, { pointer: '' })
  const item = document[name]
  if (!isObject(item))
    throw refuse('invalid-document', expected, { pointer: formatPointer([name]) })
  return item
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
