import { refuse } from '../error/api-error.ts'
import type { ApiRequest, RequestBody } from '../http/api-request.ts'
import { readJson } from '../http/json-text.ts'
import { parseMediaType } from '../http/media-type.ts'
import type { Limits } from '../rule/limits.ts'
import type { ModelRule, RequestShape, Rule } from '../rule/rule.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import { largeBodyTurn } from './large-bodies.ts'
import { ownTurn } from './own-turn.ts'

type BodyLimits = Pick<Limits, 'bodyBytes' | 'maxJsonValues'>

/** Reads the body by the rule's own reader. Values are validated later, as part of the whole item. */
export async function decode(
  { request: shape, view }: ModelRule,
  request: ApiRequest,
  limits: BodyLimits,
): Promise<SentItem | SentInput | undefined> {
  if (shape.kind === 'none') return undefined
  if (shape.kind === 'input') return decodeInput(shape, request, limits)
  // Bytes are taken by the operation, once it knows that they have a place.
  if (shape.kind === 'bytes') {
    bodyOf(shape, request)
    return undefined
  }
  const document = await documentOf(shape, request, limits)
  return shape.kind === 'item' ? shape.serializer.read(document, view, shape.purpose) : shape.read(document)
}

/** An action may need nothing, and then nothing need be sent. */
async function decodeInput(
  { read, mediaTypes }: Extract<RequestShape, { kind: 'input' }>,
  request: ApiRequest,
  { bodyBytes, maxJsonValues }: BodyLimits,
): Promise<SentInput> {
  const { headers, body } = request
  const bytes = await body?.bytes(bodyBytes)
  if (!bytes || bytes.length === 0) return { kind: 'nothing' }
  await largeBodyTurn(request, bytes.length)
  return read(readJson(bytes, maxJsonValues), parseMediaType(headers['content-type'] ?? '')?.type ?? mediaTypes[0]!)
}

/** The document that a request brings, as it is. */
export async function documentOf(
  shape: Body,
  request: ApiRequest,
  { bodyBytes, maxJsonValues }: BodyLimits,
): Promise<unknown> {
  const bytes = await bodyOf(shape, request).bytes(bodyBytes)
  await largeBodyTurn(request, bytes.length)
  await ownTurn(request)
  return readJson(bytes, maxJsonValues)
}

type Body = Exclude<Rule['request'], { kind: 'none' }>

function bodyOf({ mediaTypes }: Body, { body }: ApiRequest): RequestBody {
  if (!body) throw refuse('empty-body', `A body is expected, as ${mediaTypes[0]}.`)
  return body
}
