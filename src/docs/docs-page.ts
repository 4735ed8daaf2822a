import { createHash } from 'node:crypto'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import { isNotModified } from '../http/headers/precondition.ts'

/**
 * A page that the router serves beside its rules, below the base path, for GET and HEAD. No
 * middleware guards it.
 */
export interface DocsPage {
  readonly path: string
  /** Does each caller get a page of its own? Others show the same to everyone. */
  readonly isPersonal: boolean
  /** @param caller who sent the request; undefined if anonymous, and for pages for everyone */
  respond(request: ApiRequest, caller: unknown): ApiResponse | Promise<ApiResponse>
}

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
 * @param callerHeaders the request headers with credentials, if callers get pages of their own
 */
export function callerCaching(
  callerHeaders: readonly string[],
  vary: readonly string[] = [],
): Readonly<Record<string, string>> {
  const names = [...vary, ...callerHeaders].join(', ')
  return {
    'cache-control': callerHeaders.length === 0 ? 'no-cache' : 'private, no-cache',
    ...(names !== '' && { vary: names }),
  }
}

/** The ETag of a text. */
export function textTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url')}"`
}
