import { refuse } from '../error/api-error.ts'
import type { ApiRequest, RequestBody } from '../http/api-request.ts'
import { readJson } from '../http/json-text.ts'
import { parseMediaType } from '../http/media-type.ts'
import type { ModelRule, RequestShape, Rule } from '../rule/rule.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import { largeBodyTurn } from './large-bodies.ts'
import { ownTurn } from './own-turn.ts'

/** Reads the body by the rule's own reader. Values are validated later, as part of the whole item. */
export async function decode(
  { request: shape, view }: ModelRule,
  request: ApiRequest,
  limit: number,
): Promise<SentItem | SentInput | undefined> {
  if (shape.kind === 'none') return undefined
  if (shape.kind === 'input') return decodeInput(shape, request, limit)
  // Bytes are taken by the operation, once it knows that they have a place.
  if (shape.kind === 'bytes') {
    bodyOf(shape, request)
    return undefined
  }
  const document = await documentOf(shape, request, limit)
  return shape.kind === 'item' ? shape.serializer.read(document, view, shape.purpose) : shape.read(document)
}

/** An action may need nothing, and then nothing need be sent. */
async function decodeInput(
  { read, mediaTypes }: Extract<RequestShape, { kind: 'input' }>,
  request: ApiRequest,
  limit: number,
): Promise<SentInput> {
  const { headers, body } = request
  const bytes = await body?.bytes(limit)
  if (!bytes || bytes.length === 0) return { kind: 'nothing' }
  await largeBodyTurn(request, bytes.length)
  return read(readJson(bytes), parseMediaType(headers['content-type'] ?? '')?.type ?? mediaTypes[0]!)
}

/** The document that a request brings, as it is. */
export async function documentOf(shape: Body, request: ApiRequest, limit: number): Promise<unknown> {
  const bytes = await bodyOf(shape, request).bytes(limit)
  await largeBodyTurn(request, bytes.length)
  await ownTurn(request)
  return readJson(bytes)
}

type Body = Exclude<Rule['request'], { kind: 'none' }>

function bodyOf({ mediaTypes }: Body, { body }: ApiRequest): RequestBody {
  if (!body) throw refuse('empty-body', `A body is expected, as ${mediaTypes[0]}.`)
  return body
}
