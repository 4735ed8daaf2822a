import { yieldIfBusy, yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { refuse } from '../error/api-error.ts'
import type { ApiRequest, RequestBody } from '../http/api-request.ts'
import { parseMediaType } from '../http/headers/media-type.ts'
import type { JsonLimits } from '../http/json/find-json-problems.ts'
import { readJson } from '../http/json/read-json.ts'
import type { RequestShape } from '../rule/request-shape.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { ModelRule, Rule } from '../rule/rule.ts'
import type { ActionPayload, Payload } from '../serializer/payload.ts'
import { acquireLargeBody, largeBodyBytes, maxInputHoldMs } from './large-bodies.ts'

type BodyLimits = Pick<RouterLimits, 'maxBodyBytes' | 'maxJsonValues' | 'maxItemValues'>

/** Called with the bytes of a body. */
type OnBody = (bytes: Uint8Array) => void

/**
 * Reads the body with the reader of the rule. Values are validated later, as part of the whole
 * item.
 */
export async function decode(
  rule: ModelRule,
  request: ApiRequest,
  limits: BodyLimits,
  onBody?: OnBody,
): Promise<Payload | undefined> {
  const { request: shape, view } = rule
  if (shape.kind === 'none' || shape.kind === 'query') return undefined
  if (shape.kind === 'input') return decodeInput(shape, request, limits, onBody)
  // The operation reads the bytes, once it knows that the resource can be written.
  if (shape.kind === 'bytes') {
    requireBody(shape, request)
    return undefined
  }
  const document = await readDocument(shape, request, limits, onBody)
  const payload =
    shape.kind === 'item'
      ? shape.serializer.readItem(document, view, shape.purpose)
      : shape.read(document)
  return withHiddenNames(payload, rule)
}

/** The payload with the names that messages to its sender must not have. */
export function withHiddenNames<P extends Payload | undefined>(
  payload: P,
  { target, view }: Pick<ModelRule, 'target' | 'view'>,
): P {
  // The linkage of a relationship belongs to its owner.
  const { hiddenNames } = target.kind === 'linkage' ? target.owner : view
  return payload?.kind === 'item' && hiddenNames.size > 0 ? { ...payload, hiddenNames } : payload
}

/** The body of an action may be empty. */
async function decodeInput(
  { read, mediaTypes }: Extract<RequestShape, { kind: 'input' }>,
  request: ApiRequest,
  limits: BodyLimits,
  onBody: OnBody | undefined,
): Promise<ActionPayload> {
  const { headers, body } = request
  const bytes = await body?.bytes(limits.maxBodyBytes)
  if (!bytes || bytes.length === 0) return { kind: 'absent' }
  onBody?.(bytes)
  await acquireLargeBody(request, bytes.length, maxInputHoldMs)
  return read(
    readJson(bytes, jsonLimits(limits)),
    parseMediaType(headers['content-type'] ?? '')?.type ?? mediaTypes[0]!,
  )
}

/** The JSON document of the request. */
export async function readDocument(
  shape: Body,
  request: ApiRequest,
  limits: BodyLimits,
  onBody?: OnBody,
): Promise<unknown> {
  const bytes = await requireBody(shape, request).bytes(limits.maxBodyBytes)
  onBody?.(bytes)
  await acquireLargeBody(request, bytes.length)
  await yieldIfBusy(request)
  const document = readJson(bytes, jsonLimits(limits))
  // What the document means takes as long to read again.
  if (bytes.length >= largeBodyBytes) await yieldToEventLoop(request)
  return document
}

/** Members of an object that are never refused, however few values an item may have. */
const minMemberLimit = 1_000

/** An object with more members than an item may have values would be refused later. */
export function jsonLimits({ maxJsonValues, maxItemValues }: BodyLimits): JsonLimits {
  return { maxValues: maxJsonValues, maxMembers: Math.max(maxItemValues, minMemberLimit) }
}

type Body = Exclude<Rule['request'], { kind: 'none' | 'query' }>

export function requireBody(
  { mediaTypes }: Pick<Body, 'mediaTypes'>,
  { body }: Pick<ApiRequest, 'body'>,
): RequestBody {
  if (!body) throw refuse('empty-body', `The body is empty; expected ${mediaTypes[0]}.`)
  return body
}
