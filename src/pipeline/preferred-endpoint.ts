import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { parseAccept, qualityOf } from '../http/headers/accept.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

/**
 * The endpoint that answers in the media type the client would rather have; the usual one unless
 * the other is named, and preferred.
 */
export function preferredEndpoint(
  usual: ModelEndpoint,
  other: ModelEndpoint,
  { headers }: ApiRequest,
): ModelEndpoint {
  const { accept } = headers
  const { mediaType } = other.rule.response.serializer
  if (!accept?.toLowerCase().includes(mediaType)) return usual
  const ranges = parseAccept(accept)
  return qualityOf(ranges, mediaType) > qualityOf(ranges, usual.rule.response.serializer.mediaType)
    ? other
    : usual
}

/**
 * Where items alone are sent, there is no place for what stands beside them.
 * @throws ApiError `not-acceptable`
 */
export function refuseIncludeAndCount(
  { response }: ModelRule,
  { include, withCount }: Selection,
): void {
  if (include === undefined && !withCount) return
  const { mediaType } = response.serializer
  const asked = include === undefined ? 'withCount' : 'include'
  throw refuse(
    'not-acceptable',
    `${mediaType} holds items alone; what '${asked}' adds has no place in it.`,
    {
      header: 'Accept',
    },
  )
}
