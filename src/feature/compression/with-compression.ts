import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { requestWithHeaders } from '../../http/derived-request.ts'
import { preferredCoding } from '../../http/headers/accept-encoding.ts'
import { isSafe } from '../../http/safe-method.ts'
import { hasEncodedTag, withoutCoding } from './coding-tags.ts'
import { type CompressionSettings, compressResponse } from './compress-response.ts'

/** Compresses the responses of a handler, and lets it know the tags of compressed ones. */
export function withCompression(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  settings: CompressionSettings,
): (request: ApiRequest) => Promise<ApiResponse> {
  return async (request) => {
    const response = await handle(withDecodedTags(request, settings))
    return compressResponse(request, response, settings)
  }
}

/**
 * A client that has a compressed version names the tag of this coding. It gets a 304 only as long
 * as it accepts the coding.
 */
function withDecodedTags(request: ApiRequest, { encodings }: CompressionSettings): ApiRequest {
  const { headers } = request
  const header = headers['if-none-match']
  if (header === undefined || !isSafe(request)) return request
  const coding = preferredCoding(headers['accept-encoding'], encodings)
  if (coding === undefined || !hasEncodedTag(header, coding)) return request
  return requestWithHeaders(request, {
    ...headers,
    'if-none-match': withoutCoding(header, coding),
  })
}
