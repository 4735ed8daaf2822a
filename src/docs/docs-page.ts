import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import { isNotModified } from '../http/headers/precondition.ts'

/**
 * What is served beside the rules, at one address below the mount path, to whoever asks with GET or
 * HEAD. It is no rule, and no middleware guards it.
 */
export interface DocsPage {
  readonly path: string
  respond(request: ApiRequest): ApiResponse | Promise<ApiResponse>
}

/** The text, unless the client has it already. */
export function pageResponse(
  { headers: asked }: ApiRequest,
  headers: Readonly<Record<string, string>>,
  etag: string,
  body: ApiResponse['body'],
): ApiResponse {
  const always: Readonly<Record<string, string>> = {
    'x-content-type-options': 'nosniff',
    ...headers,
    etag,
  }
  if (!isNotModified(asked, etag)) return { status: 200, headers: always, body }
  const { 'content-type': _, 'content-encoding': __, ...kept } = always
  return { status: 304, headers: kept, body: noBody }
}
