import type { Context } from '../context/context.ts'
import { shortened } from '../error/shortened.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeStreamsOf } from '../http/close-body.ts'
import { mergedHeaders } from '../http/response-headers.ts'
import type { NamedRequestHook } from '../middleware/hooks.ts'
import { isPromise } from '../operation/is-promise.ts'
import { challenge } from '../rule/challenge.ts'
import { withAccept } from './vary.ts'

/** Runs phase 1 in order; the first response ends it. A promise comes back only when a hook gave one. */
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
        response === undefined ? runRequestHooks(hooks, context, index + 1) : checked(response, hook),
      )
    }
    if (outcome !== undefined) return checked(outcome, hook)
  }
  return undefined
}

/** @throws TypeError where it is anything else, such as `false` or a web `Response`: nobody knows what it was to say. */
function checked(returned: unknown, { name }: NamedRequestHook): ApiResponse {
  if (isResponse(returned)) return returned
  // The request fails whether or not it can be closed.
  closeStreamsOf(returned).catch(() => undefined)
  const what = typeof returned === 'object' ? 'an object that is no response of the service' : String(returned)
  throw new TypeError(
    `The request hook '${name}' returned ${shortened(what)}; it returns nothing, or a response made with respond(), and refuses with refuse().`,
  )
}

function isResponse(value: unknown): value is ApiResponse {
  if (typeof value !== 'object' || value === null) return false
  const { status, body } = value as Partial<ApiResponse>
  return typeof status === 'number' && typeof body?.kind === 'string'
}

/** What middleware answers carries the headers that middleware set before, and a 401 a challenge. */
export function withHeaders(response: ApiResponse, context: Context): ApiResponse {
  const headers = mergedHeaders(context.headers, response.headers)
  const challenged = response.status === 401 && challenge(context.rule.declarations)
  return { ...response, headers: { ...challenged, ...headers, vary: withAccept(headers.vary) } }
}
