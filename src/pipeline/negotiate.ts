import { refuse } from '../error/api-error.ts'
import { accepts } from '../http/accept.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { parseMediaType } from '../http/media-type.ts'
import type { Rule } from '../rule/rule.ts'

/** Refuses what the client could not read (406), and what the service could not (415). */
export function negotiate({ request: shape, response, method }: Rule, request: ApiRequest): void {
  if (response.content !== 'empty') refuseUnreadable(request, response.serializer.mediaType)
  if (shape.kind === 'item' && request.body !== undefined) refuseUnread(request, shape.mediaTypes, method)
}

function refuseUnreadable({ headers }: ApiRequest, mediaType: string): void {
  const { accept } = headers
  if (accept === undefined || accept === '*/*' || accept === mediaType || accepts(accept, mediaType)) return
  throw refuse(
    'not-acceptable',
    `This address answers in ${mediaType} only.`,
    { header: 'Accept' },
    { meta: { available: [mediaType] } },
  )
}

function refuseUnread({ headers }: ApiRequest, mediaTypes: readonly string[], method: string): void {
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
  if (type === mediaTypes[0] || headers['content-length'] === '0' || isRead(type, mediaTypes)) return
  throw refuse(
    'unsupported-media-type',
    `Send the body as ${mediaTypes.join(' or ')}, in UTF-8.`,
    { header: 'Content-Type' },
    {
      headers: method === 'PATCH' ? { 'accept-patch': mediaTypes.join(', ') } : {},
    },
  )
}

function isRead(header: string | undefined, mediaTypes: readonly string[]): boolean {
  const mediaType = header === undefined ? undefined : parseMediaType(header)
  if (!mediaType || !mediaTypes.includes(mediaType.type)) return false
  return (mediaType.parameters.get('charset') ?? 'utf-8').toLowerCase() === 'utf-8'
}
