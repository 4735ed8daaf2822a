import { createApiError, refuse } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { accepts } from '../http/headers/accept.ts'
import { matchesMediaRange, parseMediaType } from '../http/headers/media-type.ts'
import { isOfMediaType, requestedProfiles } from '../http/headers/media-type-uris.ts'
import { canonicalMediaType } from '../http/upload/canonical-media-type.ts'
import {
  charsetParameters,
  type MediaTypeParameters,
  type Profile,
} from '../rule/media-type-parameters.ts'
import type { Rule } from '../rule/rule.ts'

const noProfiles: readonly Profile[] = Object.freeze([])

/**
 * Refuses a media type that the client does not accept (406), or that the service does not (415).
 * @returns the profiles that the client requests, of those that the response supports
 */
export function negotiate(
  { request: shape, response, method }: Rule,
  request: ApiRequest,
): readonly Profile[] {
  const profiles = acceptedProfiles(response, request)
  if (!profiles) throw notAcceptable(response)
  if (shape.kind !== 'none' && shape.kind !== 'query' && request.body !== undefined)
    refuseUnsupportedBody(request, shape, method)
  return profiles
}

/** Undefined if the client accepts no media type of the rule. */
function acceptedProfiles(
  { content, serializer, parameters }: Rule['response'],
  { headers }: ApiRequest,
) {
  // A resource has one media type, which is sent whatever `Accept` says, as RFC 9110 §12.5.1
  // allows.
  if (content === 'resource') return noProfiles
  const { mediaType } = serializer
  const { accept } = headers
  if (accept === undefined || accept === '*/*' || accept === mediaType) return noProfiles
  if (parameters.kind === 'charset')
    return content === 'empty' || accepts(accept, mediaType) ? noProfiles : undefined
  const requested = requestedProfiles(accept, mediaType, parameters.extensions)
  return (
    requested &&
    parameters.profiles.filter(({ uri, aliases }) =>
      requested.some((requestedUri) => requestedUri === uri || aliases.includes(requestedUri)),
    )
  )
}

function notAcceptable(response: Rule['response']): Error {
  const available = mediaTypesOf(response)
  return createApiError(
    'not-acceptable',
    `Available media types: ${available.join(', ')}.${allowedParameters(response.parameters)}`,
    { header: 'Accept' },
    { meta: { available } },
  )
}

function mediaTypesOf(response: Rule['response']): readonly string[] {
  const alternatives = 'alternatives' in response ? (response.alternatives ?? []) : []
  return [response, ...alternatives].map(({ serializer }) => serializer.mediaType)
}

type Body = Exclude<Rule['request'], { kind: 'none' }>

/** @throws ApiError for a body that the rule cannot read */
export function refuseUnsupportedBody(
  { headers }: ApiRequest,
  shape: Body,
  method: Rule['method'],
): void {
  const { mediaTypes } = shape
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw refuse(
      'unsupported-encoding',
      `Content-Encoding '${truncate(coding, 64)}' is not supported. Send the body uncompressed.`,
      { header: 'Content-Encoding' },
      { headers: { 'accept-encoding': 'identity' } },
    )
  }
  if (method === 'PUT' && headers['content-range'] !== undefined) {
    throw refuse(
      'malformed-request',
      'Content-Range is not supported: PUT replaces the whole item (RFC 9110 §14.5).',
      { header: 'Content-Range' },
    )
  }
  const type = headers['content-type']
  // An empty query has a media type too (RFC 10008 §2.1).
  const isEmpty = headers['content-length'] === '0' && shape.kind !== 'query'
  if (type === mediaTypes[0] || isEmpty || isSupportedType(type, shape)) return
  throw refuse(
    'unsupported-media-type',
    `Unsupported media type${type === undefined ? '' : ` '${truncate(type, 64)}'`}; expected ${mediaTypes.join(' or ')}${expectedForm(shape)}`,
    { header: 'Content-Type' },
    { headers: acceptedTypes(method, mediaTypes) },
  )
}

/** RFC 5789 §2.2, RFC 10008 §3 */
function acceptedTypes(
  method: Rule['method'],
  mediaTypes: readonly string[],
): Readonly<Record<string, string>> {
  if (method === 'PATCH') return { 'accept-patch': mediaTypes.join(', ') }
  return method === 'QUERY' ? { 'accept-query': mediaTypes.join(', ') } : {}
}

function expectedParameters(parameters: MediaTypeParameters): string {
  return parameters.kind === 'charset' ? ' in UTF-8.' : `.${allowedParameters(parameters)}`
}

/**
 * The media type parameters that a protocol with extensions and profiles allows. Clients that add a
 * charset would not see the problem otherwise.
 */
function allowedParameters(parameters: MediaTypeParameters): string {
  if (parameters.kind === 'charset') return ''
  return parameters.extensions.length > 0
    ? ' No other extensions are supported.'
    : " Only the parameter 'profile' is supported."
}

function expectedForm(shape: Body): string {
  return shape.kind === 'bytes'
    ? `. In multipart/form-data, the part must be named '${shape.partName}'.`
    : expectedParameters(shape.parameters)
}

function isSupportedType(header: string | undefined, shape: Body): boolean {
  return shape.kind === 'bytes'
    ? isAllowedFileType(header, shape.mediaTypes)
    : isOneOfMediaTypes(header, shape.mediaTypes, shape.parameters)
}

function isOneOfMediaTypes(
  header: string | undefined,
  mediaTypes: readonly string[],
  parameters: MediaTypeParameters,
): boolean {
  if (parameters.kind === 'uris') {
    const [ownType = '', ...others] = mediaTypes
    return (
      isOfMediaType(header, ownType, parameters.extensions) ||
      isOneOfMediaTypes(header, others, charsetParameters)
    )
  }
  const mediaType = header === undefined ? undefined : parseMediaType(header)
  if (!mediaType || !mediaTypes.includes(mediaType.type)) return false
  return (mediaType.parameters.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8'
}

/** The content of a body without a media type shows its type later. */
function isAllowedFileType(header: string | undefined, mediaTypes: readonly string[]): boolean {
  if (header === undefined) return true
  const type = parseMediaType(header)?.type
  return type !== undefined && matchesMediaRange(canonicalMediaType(type), mediaTypes)
}
