import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { normalizeHeaderName, type ResponseHeaders } from '../http/headers/response-headers.ts'
import { addedVary } from '../http/headers/vary.ts'
import { checkHookResponse } from '../pipeline/run-request-hooks.ts'

/**
 * The response of a handler with the headers of responses of the router. Reads are personal, as
 * those with hooks are: they may depend on anything that the handler reads.
 * @param vary the request headers that tell callers apart
 * @throws TypeError if the handler returned no response
 */
export function ownResponse(
  returned: unknown,
  request: ApiRequest,
  { basePath, vary }: { readonly basePath: string; readonly vary: string },
): ApiResponse {
  const response = checkHookResponse(returned, {
    subject: `The handler of service('${basePath}')`,
    expected: "a response, such as respond(200, { 'content-type': 'application/json' }, text)",
  })
  const headers: ResponseHeaders = Object.fromEntries(
    Object.entries(response.headers ?? {}).map(([name, value]) => [
      checkedName(name, value),
      value,
    ]),
  )
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
 * The name in lower case.
 * @throws TypeError if the name or a value is invalid
 */
function checkedName(name: string, value: unknown): string {
  const values = Array.isArray(value) && value.length > 0 ? value : [value]
  for (const each of values) normalizeHeaderName(name, each)
  return name.toLowerCase()
}

/** An error of a personal read, which no cache may keep. */
export function ownError(error: ApiResponse, request: ApiRequest): ApiResponse {
  if (!isRead(request)) return error
  return { ...error, headers: { 'cache-control': 'no-store', ...error.headers } }
}

function isRead({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}
