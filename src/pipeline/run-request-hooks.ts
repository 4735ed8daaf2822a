import { isPromise } from '../concurrency/is-promise.ts'
import type { Context } from '../context/context.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeStreamsOf } from '../http/close-body.ts'
import { mergeHeaders } from '../http/headers/response-headers.ts'
import { withAccept } from '../http/headers/vary.ts'
import type { NamedRequestHook } from '../middleware/named-hook.ts'
import { challenge } from '../rule/authenticate-challenge.ts'

/**
 * Runs phase 1 in order, until a hook returns a response. Returns a promise only if a hook does.
 */
export function runRequestHooks(
  hooks: readonly NamedRequestHook[],
  context: Context,
  startIndex = 0,
): ApiResponse | undefined | Promise<ApiResponse | undefined> {
  for (let index = startIndex; index < hooks.length; index++) {
    const hook = hooks[index]!
    const returned: unknown = hook.run(context)
    if (isPromise(returned)) {
      return Promise.resolve(returned).then((response) =>
        response === undefined
          ? runRequestHooks(hooks, context, index + 1)
          : checkHookResponse(response, requestHookOf(hook)),
      )
    }
    if (returned !== undefined) return checkHookResponse(returned, requestHookOf(hook))
  }
  return undefined
}

function requestHookOf({ name }: NamedRequestHook): CheckedHook {
  return {
    subject: `The request hook '${name}'`,
    expected: 'undefined or a response made with respond()',
  }
}

/** A hook as errors about its response name it. */
interface CheckedHook {
  /** At the beginning of a sentence. */
  readonly subject: string
  /** What the hook may return. */
  readonly expected: string
}

/** @throws TypeError for anything else, such as `false` or a web `Response` */
export function checkHookResponse(
  returned: unknown,
  { subject, expected }: CheckedHook,
): ApiResponse {
  if (isApiResponse(returned)) return returned
  // The request fails even if the streams cannot be closed.
  closeStreamsOf(returned).catch(() => undefined)
  const shown =
    typeof returned === 'object' ? 'an object that is not an ApiResponse' : String(returned)
  throw new TypeError(
    `${subject} returned ${truncate(shown)}; expected ${expected}. Call refuse() to reject the request.`,
  )
}

function isApiResponse(value: unknown): value is ApiResponse {
  if (typeof value !== 'object' || value === null) return false
  const { status, body } = value as Partial<ApiResponse>
  return typeof status === 'number' && typeof body?.kind === 'string'
}

/** Adds the headers that middleware has set, and a challenge to a 401. */
export function withHookHeaders(response: ApiResponse, context: Context): ApiResponse {
  const headers = mergeHeaders(context.headers, response.headers)
  const challenged = response.status === 401 && challenge(context.rule.declarations)
  return { ...response, headers: { ...challenged, ...headers, vary: withAccept(headers.vary) } }
}
