import { isPromise } from '../concurrency/is-promise.ts'
import type { Context } from '../context/context.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeStreamsOf } from '../http/close-body.ts'
import { mergeHeaders } from '../http/headers/response-headers.ts'
import { withAccept } from '../http/headers/vary.ts'
import type { NamedRequestHook } from '../middleware/hooks.ts'
import { challenge } from '../rule/authenticate-challenge.ts'

/**
 * Runs phase 1 in order; the first response ends it. A promise comes back only when a hook gave
 * one.
 */
export function runRequestHooks(
  hooks: readonly NamedRequestHook[],
  context: Context,
  from = 0,
): ApiResponse | undefined | Promise<ApiResponse | undefined> {
  for (let index = from; index < hooks.length; index++) {
    const hook = hooks[index]!
    const outcome: unknown = hook.run(context)
    if (isPromise(outcome)) {
      return Promise.resolve(outcome).then((response) =>
        response === undefined
          ? runRequestHooks(hooks, context, index + 1)
          : checkResponse(response, hook),
      )
    }
    if (outcome !== undefined) return checkResponse(outcome, hook)
  }
  return undefined
}

/**
 * @throws TypeError where it is anything else, such as `false` or a web `Response`: nobody knows
 * what it was to say.
 */
function checkResponse(returned: unknown, { name }: NamedRequestHook): ApiResponse {
  if (isApiResponse(returned)) return returned
  // The request fails whether or not it can be closed.
  closeStreamsOf(returned).catch(() => undefined)
  const what =
    typeof returned === 'object' ? 'an object that is no response of the service' : String(returned)
  throw new TypeError(
    `The request hook '${name}' returned ${truncate(what)}; it returns nothing, or a response made with respond(), and refuses with refuse().`,
  )
}

function isApiResponse(value: unknown): value is ApiResponse {
  if (typeof value !== 'object' || value === null) return false
  const { status, body } = value as Partial<ApiResponse>
  return typeof status === 'number' && typeof body?.kind === 'string'
}

/**
 * What middleware answers carries the headers that middleware set before, and a 401 a challenge.
 */
export function withHookHeaders(response: ApiResponse, context: Context): ApiResponse {
  const headers = mergeHeaders(context.headers, response.headers)
  const challenged = response.status === 401 && challenge(context.rule.declarations)
  return { ...response, headers: { ...challenged, ...headers, vary: withAccept(headers.vary) } }
}
