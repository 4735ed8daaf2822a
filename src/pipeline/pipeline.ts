import type { Authenticate } from '../authentication/authenticate.ts'
import { isPromise } from '../concurrency/is-promise.ts'
import { yieldIfBusy } from '../concurrency/yield-to-event-loop.ts'
import { type Context, RequestContext } from '../context/context.ts'
import { encode } from '../document/encode.ts'
import type { ResponseContext } from '../document/response-context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isSafe } from '../http/safe-method.ts'
import { refuseManyValues } from '../operation/value-limit.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import type { CallerWrites } from '../store/store-call.ts'
import { appliedProfiles, applyProfiles } from './apply-profiles.ts'
import { decode } from './decode.ts'
import { encodeError } from './encode-error.ts'
import { handleBatch } from './handle-batch.ts'
import { handleFeed } from './handle-feed.ts'
import { IdentifierLimit } from './identifier-limit.ts'
import type { KnownCaller } from './known-caller.ts'
import { releaseLargeBody } from './large-bodies.ts'
import { handleLines, linesOf } from './lines/handle-lines.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { negotiate } from './negotiate.ts'
import { preferredEndpoint, refuseOtherThanItems } from './preferred-endpoint.ts'
import { withQueryLocation } from './query-location.ts'
import { readQuery } from './read-query.ts'
import type { Endpoint, RequestRouter } from './request-router.ts'
import type { RouterServices } from './router-services.ts'
import { runAroundHooks } from './run-around-hooks.ts'
import { runRequestHooks, withHookHeaders } from './run-request-hooks.ts'
import { servePage } from './serve-page.ts'
import { startStream } from './start-stream.ts'

/** What handles the requests of a router. */
export interface PipelineParts {
  readonly services: RouterServices
  readonly router: RequestRouter
  readonly serializer: ErrorSerializer
  /** What the client of a request has written; undefined where the store need not know. */
  readonly writesOf:
    | ((request: ApiRequest, setHeader: Context['setHeader']) => CallerWrites)
    | undefined
}

/** Handles a request, in all its stages. The promise never rejects. */
export function pipeline(
  { services, router, serializer, writesOf }: PipelineParts,
  authenticate: Authenticate | undefined,
): (request: ApiRequest, known?: KnownCaller) => Promise<ApiResponse> {
  return async (request, known) => {
    let context: RequestContext | undefined
    try {
      const route = router.route(request) //                                        400 404 405 501
      if (route.kind === 'response') return await route.response
      if (route.kind === 'page')
        return await servePage(route.page, request, known ? () => known.caller : authenticate)
      const { endpoint, params } = route
      context = new RequestContext(request, endpoint.rule, params, services.clock)
      const { trace } = request
      if (services.part.kind === 'store') context.storeChoice = services.part
      if (writesOf) context.writes = writesOf(request, context.setHeader)
      if (!isSafe(endpoint.rule)) services.refuseCrossSite(request) //         403
      if (known) {
        context.caller = known.caller
        if (trace) trace.caller = known.caller
        if (known.credentialExpiresMs !== undefined)
          context.credentialExpiresMs = known.credentialExpiresMs
      } else if (authenticate) {
        trace?.enter('authenticate')
        const caller = authenticate(request, context) //                                       401
        context.caller = isPromise(caller) ? await caller : caller
        if (trace) trace.caller = context.caller
      }
      const { rule } = endpoint
      if (rule.request.kind === 'query')
        context.request = await readQuery(rule, rule.request, request, services.limits) //   400 413 415
      return await (endpoint.hooks.around.length === 0
        ? handleRequest(services, endpoint, context)
        : runAroundHooks(services, endpoint, context, handleRequest))
    } catch (error) {
      const errorSerializer = context?.rule.response.serializer ?? serializer
      return encodeError(error, errorSerializer, context, services, request.trace)
    } finally {
      releaseLargeBody(request)
    }
  }
}

function handleRequest(
  services: RouterServices,
  endpoint: Endpoint,
  context: Context,
): Promise<ApiResponse> {
  switch (endpoint.kind) {
    case 'batch':
      return handleBatch(services, endpoint, context)
    case 'feed':
      return handleFeed(services, endpoint, context)
    case 'model':
      return handleModelRequest(services, endpoint, context)
  }
}

/** Characters of a query string whose parameters take little time to read. */
const maxShortQuery = 512

async function handleModelRequest(
  services: RouterServices,
  routed: ModelEndpoint,
  context: Context,
): Promise<ApiResponse> {
  const { request } = context
  const { trace } = request
  const lines = linesOf(routed, request)
  if (lines) return handleLines(services, routed, lines, context)
  const endpoint = routed.alternatives
    ? preferredEndpoint(routed, routed.alternatives, request)
    : routed
  const { rule, hooks } = endpoint
  const requestedProfiles = negotiate(rule, request) //                                         406 415
  trace?.enter('hooks')
  const hookResult = runRequestHooks(hooks.request, context) //                          401 403 …
  const hookResponse = hookResult instanceof Promise ? await hookResult : hookResult
  if (hookResponse) return withHookHeaders(hookResponse, context)
  const runner = endpoint.runnerOf?.(context) //                                      400
  if (request.query.length > maxShortQuery) await yieldIfBusy(context)
  const selection = applyProfiles(
    requestedProfiles,
    endpoint.select(request.query),
    services.limits,
  ) //  400
  if (endpoint !== routed) refuseOtherThanItems(rule, selection) //                         406
  if (rule.request.kind !== 'none') trace?.enter('decode')
  const payload =
    rule.request.kind === 'none'
      ? undefined
      : await decode(rule, request, services.limits, runner?.addBody) //                      400 413 422
  if (payload) {
    const relatedIds = new IdentifierLimit(services.limits).add(payload) //                  400
    if (relatedIds > 0) for (const hook of hooks.relatedIds) await hook(context, relatedIds) // 429
  }
  refuseManyValues(payload, services.limits.maxItemValues) //                             400
  const relatedHookResult =
    endpoint.relatedHooks && runRequestHooks(endpoint.relatedHooks(selection, payload), context) // 401 403 …
  const relatedHookResponse =
    relatedHookResult instanceof Promise ? await relatedHookResult : relatedHookResult
  if (relatedHookResponse) return withHookHeaders(relatedHookResponse, context)
  const narrowing = endpoint.narrow(selection, context) //                           400
  const pagedPlan = narrowing instanceof Promise ? await narrowing : narrowing
  const isLong = endpoint.isLong(selection)
  if (isLong) await yieldIfBusy(context)
  const operationRequest = { context, pagedPlan, selection, payload }
  trace?.enter('store')
  // Before the items are read.
  const changesPosition =
    endpoint.changesPosition && (await endpoint.changesPosition(operationRequest))
  const result = await (runner
    ? runner.run(endpoint, operationRequest)
    : endpoint.operate(operationRequest)) //                                                404 409 412 422 428
  if (result.kind === 'response') return withHookHeaders(result.response, context)
  trace?.enter('encode')
  const responseContext: ResponseContext = {
    services,
    endpoint,
    selection,
    context,
    profiles: appliedProfiles(rule.response, selection),
    address: () => endpoint.address(context),
    documentCache: endpoint.documentCache(selection),
    changesPosition,
  }
  // Goes on even if the client has left: the result may hold bytes, which encoding releases.
  if (isLong) await yieldIfBusy()
  const encodedResponse = encode(responseContext, pagedPlan.plan, result)
  const encoded = encodedResponse instanceof Promise ? await encodedResponse : encodedResponse
  const response =
    rule.request.kind === 'query' ? withQueryLocation(encoded, responseContext) : encoded
  return response.body.kind === 'stream' ? startStream(response, context) : response
}
