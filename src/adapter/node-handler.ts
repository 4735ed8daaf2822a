import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import type { Dispatch } from './dispatch.ts'
import type { HostGuard } from './host-guard.ts'
import { requestBody } from './node-body.ts'
import { apiRequest } from './node-request.ts'
import type { SendContext } from './node-watch-reader.ts'
import { notFoundResponse } from './problem-response.ts'
import type { Service } from './service.ts'

/** Answers addresses that belong to no service; undefined is 404. */
export type FallbackHandler = (
  request: ApiRequest,
) => ApiResponse | undefined | Promise<ApiResponse | undefined>

/** What answering takes besides the request. */
export interface HandlerContext extends SendContext {
  readonly dispatch: Dispatch
  /** How answers of a service are sent. */
  readonly deliveryOf: (service: Service | undefined) => SendContext
  readonly fallback: FallbackHandler
  readonly checkHost: HostGuard
  readonly bodyTimeoutMs: number
}

/**
 * A request as Node gives it.
 * @throws ApiError when it is not one that may be answered.
 */
export function requestOf(answering: HandlerContext, res: ServerResponse): ApiRequest {
  const request = apiRequest(res, requestBody(res, answering.bodyTimeoutMs))
  answering.checkHost(request.headers.host)
  return request
}

/** Hands a request to the service at its address, or to the pages where there is none. */
export function handleRequest(
  answering: HandlerContext,
  request: ApiRequest,
  service: Service | undefined,
): ApiResponse | Promise<ApiResponse> {
  if (service !== undefined) return service.respond(request)
  if (request.path === '*') return serverOptions
  const page = answering.fallback(request)
  if (page instanceof Promise) return page.then((found) => found ?? notFoundResponse(request.path))
  return page ?? notFoundResponse(request.path)
}

/**
 * `OPTIONS *` asks about the server as a whole; what an address answers to, only its service knows.
 */
const serverOptions: ApiResponse = respond(204, {
  allow: 'GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE',
})
