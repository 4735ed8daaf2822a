import { checkBody, checkStatus } from '../adapter/response-head.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeStreamsOf } from '../http/close-body.ts'
import { objectOfHeaders } from '../http/headers/object-of-headers.ts'
import { normalizeHeaderName, type ResponseHeaders } from '../http/headers/response-headers.ts'
import { addedVary } from '../http/headers/vary.ts'
import { isSafe } from '../http/safe-method.ts'
import { checkHookResponse } from '../pipeline/run-request-hooks.ts'

/**
 * The response of a handler with the headers of responses of the router. Reads are personal, as
 * those with hooks are: they may depend on anything that the handler reads.
 * @param vary the request headers that tell callers apart
 * @throws TypeError if the handler returned no response, or one that cannot be sent
 */
export function ownResponse(
  returned: unknown,
  request: ApiRequest,
  { basePath, vary }: { readonly basePath: string; readonly vary: string },
): ApiResponse {
  const subject = `The handler of service('${basePath}')`
  const response = checkHookResponse(returned, {
    subject,
    expected: "a response, such as respond(200, { 'content-type': 'application/json' }, text)",
  })
  const headers = sendableHeaders(subject, response)
  return {
    ...response,
    headers: {
      'x-content-type-options': 'nosniff',
      ...(isRead(request) && { 'cache-control': 'private, no-cache' }),
      ...headers,
      ...(isRead(request) && { vary: addedVary(vary, headers.vary) }),
    },
  }
}

/**
 * The headers by lower-case name.
 * @throws TypeError that names everything for which the response cannot be sent
 */
function sendableHeaders(subject: string, response: ApiResponse): ResponseHeaders {
  const faults: string[] = []
  const withFault = <Result>(check: () => Result): Result | undefined => {
    try {
      return check()
    } catch (error) {
      faults.push((error as Error).message)
      return undefined
    }
  }
  withFault(() => checkStatus(response.status))
  withFault(() => checkBody(response.body))
  const given = withFault(() => objectOfHeaders(response.headers ?? {})) ?? {}
  const headers = Object.entries(given).map(([name, value]) => {
    const lines = Array.isArray(value) && value.length > 0 ? value : [value]
    for (const line of lines) withFault(() => normalizeHeaderName(name, line))
    return [name.toLowerCase(), value] as const
  })
  if (faults.length === 0) return Object.fromEntries(headers)
  // The request fails even if the streams cannot be closed.
  closeStreamsOf(response).catch(() => undefined)
  throw new TypeError(`${subject} returned a response that cannot be sent. ${faults.join(' ')}`)
}

/** An error of a personal read, which no cache may keep. */
export function ownError(error: ApiResponse, request: ApiRequest): ApiResponse {
  if (!isRead(request)) return error
  return { ...error, headers: { 'cache-control': 'no-store', ...error.headers } }
}

function isRead(request: ApiRequest): boolean {
  return request.method !== 'OPTIONS' && isSafe(request)
}
