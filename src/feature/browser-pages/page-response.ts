import { createHash } from 'node:crypto'
import type { ApiRequest } from '../../http/api-request.ts'
import type { ApiResponse } from '../../http/api-response.ts'
import { noBody } from '../../http/api-response.ts'
import { isNotModified } from '../../http/headers/precondition.ts'

/** Responds with the body, or with 304 if the client has this version. */
export function pageResponse(
  { headers: requestHeaders }: ApiRequest,
  headers: Readonly<Record<string, string>>,
  etag: string,
  body: ApiResponse['body'],
): ApiResponse {
  const allHeaders: Readonly<Record<string, string>> = {
    'x-content-type-options': 'nosniff',
    ...headers,
    etag,
  }
  if (!isNotModified(requestHeaders, etag)) return { status: 200, headers: allHeaders, body }
  const { 'content-type': _, 'content-encoding': __, ...notModifiedHeaders } = allHeaders
  return { status: 304, headers: notModifiedHeaders, body: noBody }
}

/**
 * How clients keep a page that they revalidate.
 * @param callerHeaders the request headers with credentials; undefined if all callers get one page
 */
export function callerCaching(
  callerHeaders: readonly string[] | undefined,
  vary: readonly string[] = [],
): Readonly<Record<string, string>> {
  const names = [...vary, ...(callerHeaders ?? [])].join(', ')
  return {
    'cache-control': callerHeaders ? 'private, no-cache' : 'no-cache',
    ...(names !== '' && { vary: names }),
  }
}

/** The ETag of a text. */
export function textTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`
}
