import type { ResponseContext } from '../document/response-context.ts'
import type { ApiResponse } from '../http/api-response.ts'

/**
 * A response to QUERY with the address that GET gets the same from, where it is not too long for
 * links (RFC 10008 §2.4).
 */
export function withQueryLocation(
  response: ApiResponse,
  { selection, address }: Pick<ResponseContext, 'selection' | 'address'>,
): ApiResponse {
  const { canonicalQuery } = selection
  if (!canonicalQuery || response.status !== 200) return response
  const { complete } = canonicalQuery
  const location = complete === '' ? address() : `${address()}?${complete}`
  return { ...response, headers: { ...response.headers, location } }
}
