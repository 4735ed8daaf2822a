import { type Context, contextOf } from '../context/context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { refuseManyValues } from '../operation/value-limit.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import { answerBatch } from './batch.ts'
import { begun } from './begun.ts'
import { decode } from './decode.ts'
import { encode } from './encode.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { fail } from './fail.ts'
import { IdentifierLimit } from './identifier-limit.ts'
import { endLargeBody } from './large-bodies.ts'
import { negotiate } from './negotiate.ts'
import { ownTurn } from './own-turn.ts'
import type { Parts } from './parts.ts'
import { preferred, refuseBeside } from './preferred.ts'
import { follow, followed } from './profiles.ts'
import type { Router } from './route.ts'
import { runRequestHooks, withHeaders } from './run-request-hooks.ts'

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
      if (route.kind === 'answered') return await route.response
      const { endpoint, params } = route
      context = contextOf(request, endpoint.rule, params)
      if (endpoint.rule.method !== 'GET') parts.refuseCrossSite(request) //         403
      return await (endpoint.kind === 'batch'
        ? answerBatch(parts, endpoint, context)
        : answer(parts, endpoint, context))
    } catch (error) {
      return fail(error, context?.rule.response.serializer ?? serializer, context, parts)
    } finally {
      endLargeBody(request)
    }
  }
}

async function answer(parts: Parts, routed: ModelEndpoint, context: Context): Promise<ApiResponse> {
  const { request } = context
  const endpoint = routed.otherwise ? preferred(routed, routed.otherwise, request) : routed
  const { rule, hooks, representers, pages } = endpoint
  const { view } = rule
  const asked = negotiate(rule, request) //                                         406 415
  const early = runRequestHooks(hooks.request, context) //                          401 403 …
  const response = early instanceof Promise ? await early : early
  if (response) return withHeaders(response, context)
  const selection = follow(asked, endpoint.select(request.query), parts.limits) //  400
  if (endpoint !== routed) refuseBeside(rule, selection) //                         406
  const sent = rule.request.kind === 'none' ? undefined : await decode(rule, request, parts.limits) //  400 413 422
  if (sent) new IdentifierLimit(parts.limits).add(sent) //                          400
  refuseManyValues(sent, parts.limits.maxItemValues) //                             400
  const later = endpoint.further && runRequestHooks(endpoint.further(selection, sent), context) // 401 403 …
  const refused = later instanceof Promise ? await later : later
  if (refused) return withHeaders(refused, context)
  const narrowed = endpoint.narrow(selection, context) //                           400
  const placed = narrowed instanceof Promise ? await narrowed : narrowed
  const isLong = rule.operation !== 'GetItem' || selection.include !== undefined
  if (isLong) await ownTurn(context)
  const result = await endpoint.operate(context, placed, selection, sent) //        404 409 412 422 428
  if (result.kind === 'answered') return withHeaders(result.response, context)
  const { serializer } = rule.response
  const profiles = followed(rule.response, selection)
  const address = () => endpoint.address(context)
  const encoding = {
    parts,
    rule,
    serializer,
    representers,
    pages,
    model: view.model,
    selection,
    context,
    profiles,
    address,
    documents: endpoint.documents(selection),
  }
  // Who has left is no reason to stop here: the result may hold bytes, which encoding lets go of.
  if (isLong) await ownTurn()
  const encoded = encode(encoding, placed.plan, result)
  const whole = encoded instanceof Promise ? await encoded : encoded
  return whole.body.kind === 'stream' ? begun(whole, context) : whole
}
