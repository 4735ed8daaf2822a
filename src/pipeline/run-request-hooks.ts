import type { Context } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { RequestHook } from '../middleware/middleware.ts'
import { withAccept } from './vary.ts'

/** Runs phase 1 in order; the first response ends it. A promise comes back only when a hook gave one. */
export function runRequestHooks(
  hooks: readonly RequestHook[],
  context: Context,
  from = 0,
): ApiResponse | undefined | Promise<ApiResponse | undefined> {
  for (let index = from; index < hooks.length; index++) {
    const outcome = hooks[index]!(context)
    if (outcome instanceof Promise) {
      return outcome.then((response) => (response ? checked(response) : runRequestHooks(hooks, context, index + 1)))
    }
    if (outcome) return checked(outcome)
  }
  return undefined
}

/** @throws TypeError where it is something else, such as a web `Response` */
function checked(response: ApiResponse): ApiResponse {
  if (typeof response.status === 'number' && typeof response.body?.kind === 'string') return response
  throw new TypeError('A request hook returned what is no response of the service; make one with respond().')
}

/** What middleware answers carries the headers that middleware set before. */
export function withHeaders(response: ApiResponse, context: Context): ApiResponse {
  const headers = { ...context.headers, ...response.headers }
  return { ...response, headers: { ...headers, vary: withAccept(headers.vary) } }
}
