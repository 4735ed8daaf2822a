import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import type { Dispatch } from './dispatch.ts'
import { requestBody } from './node-body.ts'
import type { Delivery } from './node-delivery.ts'
import { apiRequest } from './node-request.ts'
import { nothingAt } from './problem-response.ts'

/** What answering takes besides the request. */
export interface Answering extends Delivery {
  readonly dispatch: Dispatch
  readonly pages: (request: ApiRequest) => ApiResponse | undefined
  readonly bodyTimeoutMs: number
}

/**
 * Hands a request as Node gives it to whoever answers its address.
 * @throws ApiError when it is not one that may be answered.
 */
export function answer(answering: Answering, res: ServerResponse): ApiResponse | Promise<ApiResponse> {
  const request = apiRequest(res, requestBody(res, answering.bodyTimeoutMs))
  if (request.path === '*') return serverOptions
  const service = answering.dispatch(request.path)
  if (service !== undefined) return service.respond(request)
  return answering.pages(request) ?? nothingAt(request.path)
}

/** `OPTIONS *` asks about the server as a whole; what an address answers to, only its service knows. */
const serverOptions: ApiResponse = respond(204, { allow: 'GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE' })
