import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import type { Dispatch } from './dispatch.ts'
import type { HostGuard } from './host-guard.ts'
import { requestBody } from './node-body.ts'
import type { Delivery } from './node-delivery.ts'
import { apiRequest } from './node-request.ts'
import { nothingAt } from './problem-response.ts'

/** Answers addresses that belong to no service; undefined is 404. */
export type Pages = (request: ApiRequest) => ApiResponse | undefined | Promise<ApiResponse | undefined>

/** What answering takes besides the request. */
export interface Answering extends Delivery {
  readonly dispatch: Dispatch
  readonly pages: Pages
  readonly checkHost: HostGuard
  readonly bodyTimeoutMs: number
}

/**
 * Hands a request as Node gives it to whoever answers its address.
 * @throws ApiError when it is not one that may be answered.
 */
export function answer(answering: Answering, res: ServerResponse): ApiResponse | Promise<ApiResponse> {
  const request = apiRequest(res, requestBody(res, answering.bodyTimeoutMs))
  answering.checkHost(request.headers.host)
  if (request.path === '*') return serverOptions
  const service = answering.dispatch(request.path)
  if (service !== undefined) return service.respond(request)
  const page = answering.pages(request)
  if (page instanceof Promise) return page.then((found) => found ?? nothingAt(request.path))
  return page ?? nothingAt(request.path)
}

/** `OPTIONS *` asks about the server as a whole; what an address answers to, only its service knows. */
const serverOptions: ApiResponse = respond(204, { allow: 'GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE' })
