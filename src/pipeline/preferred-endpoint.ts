import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { parseAccept, qualityOf } from '../http/headers/accept.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'

interface EndpointOfType {
  readonly rule: { readonly response: Pick<ResponseShape, 'serializer'> }
}

/**
 * The endpoint in the media type that the client prefers; the default one unless `Accept` names the
 * other.
 */
export function preferredEndpoint<Endpoint extends EndpointOfType>(
  defaultEndpoint: Endpoint,
  alternative: Endpoint,
  { headers }: ApiRequest,
): Endpoint {
  const { accept } = headers
  const { mediaType } = alternative.rule.response.serializer
  if (!accept?.toLowerCase().includes(mediaType)) return defaultEndpoint
  const ranges = parseAccept(accept)
  return qualityOf(ranges, mediaType) >
    qualityOf(ranges, defaultEndpoint.rule.response.serializer.mediaType)
    ? alternative
    : defaultEndpoint
}

/**
 * A response that contains only items has no place for included items or a total.
 * @throws ApiError `not-acceptable`
 */
export function refuseIncludeAndCount(
  { response }: ModelRule,
  { include, withCount }: Selection,
): void {
  if (include === undefined && !withCount) return
  const { mediaType } = response.serializer
  const parameter = include === undefined ? 'withCount' : 'include'
  throw refuse(
    'not-acceptable',
    `'${parameter}' is not supported with ${mediaType}, which contains only items.`,
    {
      header: 'Accept',
    },
  )
}
