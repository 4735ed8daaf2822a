import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { readJson } from '../http/json-text.ts'
import type { Rule } from '../rule/rule.ts'
import type { SentItem } from '../serializer/sent.ts'

/** Reads the body by the rule's own reader. Values are validated later, as part of the whole item. */
export async function decode(
  { request: shape, view }: Rule,
  request: ApiRequest,
  limit: number,
): Promise<SentItem | undefined> {
  if (shape.kind === 'none') return undefined
  if (!request.body) throw refuse('empty-body', `A body is expected, as ${shape.mediaTypes[0]}.`)
  // Bytes are taken by the operation, once it knows that they have a place.
  if (shape.kind === 'bytes') return undefined
  const document = readJson(await request.body.bytes(limit))
  return shape.kind === 'item' ? shape.serializer.read(document, view, shape.purpose) : shape.read(document)
}
