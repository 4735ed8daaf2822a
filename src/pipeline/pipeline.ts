import { yieldIfBusy } from '../concurrency/yield-if-busy.ts'
import { type Context, createContext } from '../context/context.ts'
import { encode } from '../document/encode.ts'
import type { RouterServices } from '../document/router-services.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { refuseManyValues } from '../operation/value-limit.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import { appliedProfiles, applyProfiles } from './apply-profiles.ts'
import { decode } from './decode.ts'
import { encodeError } from './encode-error.ts'
import { handleBatch } from './handle-batch.ts'
import { IdentifierLimit } from './identifier-limit.ts'
import { releaseLargeBody } from './large-bodies.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { negotiate } from './negotiate.ts'
import { preferredEndpoint, refuseIncludeAndCount } from './preferred-endpoint.ts'
import type { RequestRouter } from './request-router.ts'
import { runRequestHooks, withHookHeaders } from './run-request-hooks.ts'
import { startStream } from './start-stream.ts'

/** Answers a request: this is its whole story. The promise never rejects. */
export function pipeline(
  parts: RouterServices,
  router: RequestRouter,
  serializer: ErrorSerializer,
): (request: ApiRequest) => Promise<ApiResponse> {
  return async (request) => {
    let context: Context | undefined
    try {
      const route = router.route(request) //                                        400 404 405 501
      if (route.kind === 'answered') return await route.response
      const { endpoint, params } = route
      context = createContext(request, endpoint.rule, params)
      if (endpoint.rule.method !== 'GET') parts.refuseCrossSite(request) //         403
      return await (endpoint.kind === 'batch'
        ? handleBatch(parts, endpoint, context)
        : handleModelRequest(parts, endpoint, context))
    } catch (error) {
      return encodeError(error, context?.rule.response.serializer ?? serializer, context, parts)
    } finally {
      releaseLargeBody(request)
    }
  }
}

async function handleModelRequest(
  parts: RouterServices,
  routed: ModelEndpoint,
  context: Context,
): Promise<ApiResponse> {
  const { request } = context
  const endpoint = routed.alternative
    ? preferredEndpoint(routed, routed.alternative, request)
    : routed
  const { rule, hooks, representers, readPage } = endpoint
  const { view } = rule
  const asked = negotiate(rule, request) //                                         406 415
  const early = runRequestHooks(hooks.request, context) //                          401 403 …
  const response = early instanceof Promise ? await early : early
  if (response) return withHookHeaders(response, context)
  const selection = applyProfiles(asked, endpoint.select(request.query), parts.limits) //  400
  if (endpoint !== routed) refuseIncludeAndCount(rule, selection) //                         406
  const sent = rule.request.kind === 'none' ? undefined : await decode(rule, request, parts.limits) //  400 413 422
  if (sent) new IdentifierLimit(parts.limits).add(sent) //                          400
  refuseManyValues(sent, parts.limits.maxItemValues) //                             400
  const later =
    endpoint.relatedHooks && runRequestHooks(endpoint.relatedHooks(selection, sent), context) // 401 403 …
  const refused = later instanceof Promise ? await later : later
  if (refused) return withHookHeaders(refused, context)
  const narrowed = endpoint.narrow(selection, context) //                           400
  const placed = narrowed instanceof Promise ? await narrowed : narrowed
  const isLong = rule.operation !== 'GetItem' || selection.include !== undefined
  if (isLong) await yieldIfBusy(context)
  const result = await endpoint.operate(context, placed, selection, sent) //        404 409 412 422 428
  if (result.kind === 'answered') return withHookHeaders(result.response, context)
  const { serializer } = rule.response
  const profiles = appliedProfiles(rule.response, selection)
  const address = () => endpoint.address(context)
  const encoding = {
    services: parts,
    rule,
    serializer,
    representers,
    readPage: readPage,
    model: view.model,
    selection,
    context,
    profiles,
    address,
    documentCache: endpoint.documentCache(selection),
  }
  // Who has left is no reason to stop here: the result may hold bytes, which encoding lets go of.
  if (isLong) await yieldIfBusy()
  const encoded = encode(encoding, placed.plan, result)
  const whole = encoded instanceof Promise ? await encoded : encoded
  return whole.body.kind === 'stream' ? startStream(whole, context) : whole
}
