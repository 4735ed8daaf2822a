import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { parseAccept, qualityOf } from '../http/headers/accept.ts'
import { downloadExtension } from '../rule/parameter/download-parameter.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'

interface EndpointOfType {
  readonly rule: { readonly response: Pick<ResponseShape, 'serializer' | 'fileExtension'> }
}

/**
 * The endpoint in the media type that the client prefers: that of the file which it saves, else the
 * default one unless `Accept` names another or refuses it.
 */
export function preferredEndpoint<Endpoint extends EndpointOfType>(
  defaultEndpoint: Endpoint,
  alternatives: readonly Endpoint[],
  { headers, query }: ApiRequest,
): Endpoint {
  const canBeFile = defaultEndpoint.rule.response.fileExtension !== undefined
  const extension = canBeFile ? downloadExtension(query) : undefined
  if (extension !== undefined) {
    const endpoints = [defaultEndpoint, ...alternatives]
    return (
      endpoints.find(({ rule }) => rule.response.fileExtension === extension) ?? defaultEndpoint
    )
  }
  const { accept } = headers
  if (accept === undefined || accept === '*/*' || accept === mediaTypeOf(defaultEndpoint))
    return defaultEndpoint
  const ranges = parseAccept(accept)
  const text = accept.toLowerCase()
  const quality = (endpoint: Endpoint) => qualityOf(ranges, mediaTypeOf(endpoint))
  const isAccepted = quality(defaultEndpoint) > 0
  return alternatives
    .filter((endpoint) => !isAccepted || text.includes(mediaTypeOf(endpoint)))
    .reduce(
      (best, endpoint) => (quality(endpoint) > quality(best) ? endpoint : best),
      defaultEndpoint,
    )
}

function mediaTypeOf({ rule }: EndpointOfType): string {
  return rule.response.serializer.mediaType
}

/**
 * A response that contains only items, or groups, holds neither included items nor what is known
 * about all pages.
 * @throws ApiError `not-acceptable`
 */
export function refuseOtherThanItems({ response }: ModelRule, selection: Selection): void {
  const { mediaType } = response.serializer
  const parameter = parameterAboutAll(selection)
  if (parameter !== undefined)
    throw refuse(
      'not-acceptable',
      `'${parameter}' is not supported with ${mediaType}, which contains only ${response.content === 'groups' ? 'groups' : 'items'}.`,
      { header: 'Accept' },
    )
  // Nothing would say that there is more: links are in a header, and have the query.
  if (response.content === 'list' && !selection.canonicalQuery && selection.page.kind === 'cursor')
    throw refuse(
      'not-acceptable',
      `${mediaType} has no cursors for a query that is too long for links. Page it by 'page[number]', or ask for all of it.`,
      { header: 'Accept' },
    )
}

function parameterAboutAll({
  include,
  withCount,
  aggregates,
  facets,
  withHighlights,
}: Selection): string | undefined {
  if (include !== undefined) return 'include'
  if (withCount) return 'withCount'
  if (aggregates.length > 0) return 'withAggregates'
  if (facets.length > 0) return 'withFacets'
  return withHighlights ? 'withHighlights' : undefined
}
