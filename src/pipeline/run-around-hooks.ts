import type { Context } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import { isDerivedFrom } from '../http/derived-body.ts'
import { encodeError } from './encode-error.ts'
import type { Endpoint } from './request-router.ts'
import type { RouterServices } from './router-services.ts'
import { checkHookResponse, withHookHeaders } from './run-request-hooks.ts'

type HandleRequest = (
  services: RouterServices,
  endpoint: Endpoint,
  context: Context,
) => Promise<ApiResponse>

const aroundHook = Object.freeze({
  subject: "The hook 'around'",
  expected: 'the response of next(), or one made with respond()',
})

/** Runs the hooks around a request, the outermost first. Hooks see errors as responses. */
export async function runAroundHooks(
  services: RouterServices,
  endpoint: Endpoint,
  context: Context,
  handle: HandleRequest,
): Promise<ApiResponse> {
  const { around } = endpoint.hooks
  const { serializer } = context.rule.response
  /** The response of the service, if the hooks have let it handle the request. */
  let handled: ApiResponse | undefined
  const run = async (index: number): Promise<ApiResponse> => {
    const hook = around[index]
    let isCalled = false
    const next = () => {
      if (isCalled) throw new Error('A hook around a request called next() twice.')
      isCalled = true
      return run(index + 1)
    }
    try {
      if (hook) return checkHookResponse(await hook(context, next), aroundHook)
      handled = await handle(services, endpoint, context)
    } catch (error) {
      await dropBody(handled)
      handled = encodeError(error, serializer, context, services)
    }
    return handled
  }
  const response = await run(0)
  if (!handled) return withHookHeaders(response, context)
  if (!isDerivedFrom(response.body, handled.body)) await dropBody(handled)
  return response
}

/** The response is not sent, but may have open files or statements. */
async function dropBody(response: ApiResponse | undefined): Promise<void> {
  if (response) await closeBody(response.body).catch(() => undefined)
}
