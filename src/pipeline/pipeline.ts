import { type Context, contextOf } from '../context/context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import type { Endpoint } from './endpoint.ts'
import { fail } from './fail.ts'
import { negotiate } from './negotiate.ts'
import type { Parts } from './parts.ts'
import { follow, followed } from './profiles.ts'
import type { Router } from './route.ts'
import { runRequestHooks } from './run-request-hooks.ts'
import { withAccept } from './vary.ts'

/** Answers a request: this is its whole story. The promise never rejects. */
export function pipeline(
  parts: Parts,
  router: Router,
  serializer: ErrorSerializer,
): (request: ApiRequest) => Promise<ApiResponse> {
  return async (request) => {
    let context: Context | undefined
    try {
      const route = router.route(request) //                                        400 404 405 501
      if (route.kind === 'answered') return route.response
      context = contextOf(request, route.endpoint.rule, route.params)
      return await answer(parts, route.endpoint, context)
    } catch (error) {
      return fail(error, context?.rule.response.serializer ?? serializer, context, parts.report)
    }
  }
}

async function answer(parts: Parts, endpoint: Endpoint, context: Context): Promise<ApiResponse> {
  const { rule, hooks, representers } = endpoint
  const { request } = context
  const { model } = rule.view
  const asked = negotiate(rule, request) //                                         406 415
  const early = runRequestHooks(hooks.request, context) //                          401 403 …
  const response = early instanceof Promise ? await early : early
  if (response) return withHeaders(response, context)
  const selection = follow(asked, endpoint.select(request.query), parts.limits) //  400
  const sent = rule.request.kind === 'none' ? undefined : await decode(rule, request, parts.limits.bodyBytes) // 400 413 422
  const placed = endpoint.narrow(selection, context) //                             400
  const result = await endpoint.operate(context, placed, selection, sent) //        404 409 412 422 428
  if (result.kind === 'answered') return withHeaders(result.response, context)
  const { serializer } = rule.response
  const profiles = followed(rule.response, selection)
  const tellsCursors = asked.length > 0 && profiles.length > 0
  const address = () => endpoint.address(context)
  const encoding = { parts, serializer, representers, model, selection, context, profiles, tellsCursors, address }
  return encode(encoding, placed.plan, result)
}

/** What middleware answers carries the headers that middleware set before. */
function withHeaders(response: ApiResponse, context: Context): ApiResponse {
  const headers = { ...context.headers, ...response.headers }
  return { ...response, headers: { ...headers, vary: withAccept(headers.vary) } }
}
