import { createApiError, refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { accepts } from '../http/headers/accept.ts'
import { parseMediaType } from '../http/headers/media-type.ts'
import { isOfMediaType, requestedProfiles } from '../http/headers/media-type-uris.ts'
import { isAcceptedType } from '../http/upload/accepted-types.ts'
import { canonicalMediaType } from '../http/upload/canonical-media-type.ts'
import {
  charsetParameters,
  type MediaTypeParameters,
  type Profile,
} from '../rule/media-type-parameters.ts'
import type { Rule } from '../rule/rule.ts'

const noProfiles: readonly Profile[] = Object.freeze([])

/**
 * Refuses what the client could not read (406), and what the service could not (415).
 * @returns the profiles that the client asks for, of those that the answer can follow.
 */
export function negotiate(
  { request: shape, response, method }: Rule,
  request: ApiRequest,
): readonly Profile[] {
  const asked = acceptedProfiles(response, request)
  if (!asked) throw notAcceptable(response)
  if (shape.kind !== 'none' && request.body !== undefined)
    refuseUnsupportedBody(request, shape, method)
  return asked
}

/** Undefined when the client reads nothing that the rule writes. */
function acceptedProfiles(
  { content, serializer, parameters }: Rule['response'],
  { headers }: ApiRequest,
) {
  // A resource has one form, which is sent to whoever asks for it (RFC 9110 §12.5.1 lets a server
  // disregard `Accept`).
  if (content === 'resource') return noProfiles
  const { mediaType } = serializer
  const { accept } = headers
  if (accept === undefined || accept === '*/*' || accept === mediaType) return noProfiles
  if (parameters.kind === 'charset')
    return content === 'empty' || accepts(accept, mediaType) ? noProfiles : undefined
  const asked = requestedProfiles(accept, mediaType, parameters.extensions)
  return (
    asked &&
    parameters.profiles.filter(({ uri, aliases }) =>
      asked.some((one) => one === uri || aliases.includes(one)),
    )
  )
}

function notAcceptable(response: Rule['response']): Error {
  const available = mediaTypesOf(response)
  return createApiError(
    'not-acceptable',
    `This address answers in ${available.join(' or ')} only${allowedParameters(response.parameters)}.`,
    { header: 'Accept' },
    { meta: { available } },
  )
}

function mediaTypesOf(response: Rule['response']): readonly string[] {
  const other = 'alternative' in response ? response.alternative : undefined
  return [response.serializer.mediaType, ...(other ? [other.serializer.mediaType] : [])]
}

type Body = Exclude<Rule['request'], { kind: 'none' }>

function refuseUnsupportedBody({ headers }: ApiRequest, shape: Body, method: Rule['method']): void {
  const { mediaTypes } = shape
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw refuse(
      'unsupported-encoding',
      'Send the body as it is, without a content coding.',
      { header: 'Content-Encoding' },
      { headers: { 'accept-encoding': 'identity' } },
    )
  }
  if (method === 'PUT' && headers['content-range'] !== undefined) {
    throw refuse(
      'malformed-request',
      'An item is replaced whole; Content-Range has no meaning here (RFC 9110 §14.5).',
      { header: 'Content-Range' },
    )
  }
  const type = headers['content-type']
  if (type === mediaTypes[0] || headers['content-length'] === '0' || isSupportedType(type, shape))
    return
  throw refuse(
    'unsupported-media-type',
    `Send the body as ${mediaTypes.join(' or ')}${expectedForm(shape)}.`,
    { header: 'Content-Type' },
    {
      headers: method === 'PATCH' ? { 'accept-patch': mediaTypes.join(', ') } : {},
    },
  )
}

function expectedParameters(parameters: MediaTypeParameters): string {
  return parameters.kind === 'charset' ? ', in UTF-8' : allowedParameters(parameters)
}

/**
 * Which parameters of its own media type a protocol of extensions and profiles takes: those who add
 * a charset do not see what is wrong.
 */
function allowedParameters(parameters: MediaTypeParameters): string {
  if (parameters.kind === 'charset') return ''
  return parameters.extensions.length > 0
    ? ', with no other extensions'
    : ", with no parameter but 'profile'"
}

function expectedForm(shape: Body): string {
  return shape.kind === 'bytes'
    ? `; in a form the bytes are the part '${shape.partName}'`
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
    const [own = '', ...others] = mediaTypes
    return (
      isOfMediaType(header, own, parameters.extensions) ||
      isOneOfMediaTypes(header, others, charsetParameters)
    )
  }
  const mediaType = header === undefined ? undefined : parseMediaType(header)
  if (!mediaType || !mediaTypes.includes(mediaType.type)) return false
  return (mediaType.parameters.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8'
}

/** Bytes of no declared type have to show theirs. */
function isAllowedFileType(header: string | undefined, mediaTypes: readonly string[]): boolean {
  if (header === undefined) return true
  const type = parseMediaType(header)?.type
  return type !== undefined && isAcceptedType(canonicalMediaType(type), mediaTypes)
}
