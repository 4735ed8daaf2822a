import type { ServerResponse } from 'node:http'
import type { ApiRequest, RequestHeaders } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import type { ClientAddress } from './client-address.ts'
import type { Dispatch } from './dispatch.ts'
import { errorReporter } from './error-reporter.ts'
import { type BodyLimits, requestBody } from './node-body.ts'
import { apiRequest, pathOf } from './node-request.ts'
import type { SendContext } from './node-watch-reader.ts'
import { notFoundResponse } from './problem-response.ts'
import type { Service } from './service.ts'
import type { ServerTrace } from './trace/server-trace.ts'
import type { BeginTrace } from './trace/trace-requests.ts'
import { NodeExchange } from './trace/traced-exchange.ts'

/** Responds to paths of no service; undefined means 404. */
export type FallbackHandler = (
  request: ApiRequest,
) => ApiResponse | undefined | Promise<ApiResponse | undefined>

/** What handling a request needs. */
export interface HandlerContext extends SendContext {
  readonly dispatch: Dispatch
  /** How the responses of a service are sent. */
  readonly sendContextOf: (service: Service | undefined) => SendContext
  readonly fallback: FallbackHandler
  /** @throws ApiError for a host that is not served at this path */
  readonly checkHost: (host: string | undefined, path: string) => void
  readonly bodyLimits: BodyLimits
  readonly addressOf: ClientAddress
  /** Undefined where requests are not traced. */
  readonly beginTrace: BeginTrace | undefined
}

/** Services that report errors of their own are sent with their reporter. */
export function sendContexts(
  services: readonly Service[],
  common: SendContext,
): HandlerContext['sendContextOf'] {
  const contexts = new Map<Service | undefined, SendContext>(
    services.flatMap((service) =>
      service.onError
        ? [[service, { ...common, onError: errorReporter((error) => service.onError?.(error)) }]]
        : [],
    ),
  )
  return (service) => contexts.get(service) ?? common
}

/** @throws ApiError if the request is malformed, or for another host */
export function requestOf(
  context: HandlerContext,
  res: ServerResponse,
  trace: ServerTrace | undefined,
): ApiRequest {
  const body = requestBody(res, context.bodyLimits)
  const request = apiRequest(res, context.addressOf, body, undefined, undefined, trace)
  context.checkHost(request.headers.host, request.path)
  return request
}

/** @param url the target as the client sent it */
export function beginTrace(
  { beginTrace: begin, addressOf }: HandlerContext,
  res: ServerResponse,
  url: string,
): ServerTrace | undefined {
  if (begin === undefined) return undefined
  const { headers, socket } = res.req
  const address = addressOf(socket.remoteAddress, headers as RequestHeaders)
  const trace = begin(new NodeExchange(res), pathOf(url), address)
  if (trace) res.once('close', () => trace.end())
  return trace
}

/** Passes a request to its service, or to the fallback if there is none. */
export function handleRequest(
  context: HandlerContext,
  request: ApiRequest,
  service: Service | undefined,
): ApiResponse | Promise<ApiResponse> {
  if (service !== undefined) return service.respond(request)
  if (request.path === '*') return serverOptions
  const response = context.fallback(request)
  if (response instanceof Promise)
    return response.then((result) => result ?? notFoundResponse(request.path))
  return response ?? notFoundResponse(request.path)
}

/** Handles a request whose trace follows what is done for it. */
export function handleTraced(
  trace: ServerTrace,
  context: HandlerContext,
  request: ApiRequest,
  service: Service | undefined,
): ApiResponse | Promise<ApiResponse> {
  trace.service = service
  return trace.run(() => handleRequest(context, request, service))
}

/** What is thrown where a service or the fallback returned no response, which could not be sent. */
export function noResponse({ path }: ApiRequest, service: Service | undefined): TypeError {
  return new TypeError(
    `The service at '${service?.basePath ?? path}' returned no response; expected one such as respond(200).`,
  )
}

/** `OPTIONS *` is about the server as a whole. */
const serverOptions: ApiResponse = respond(204, {
  allow: 'GET, HEAD, OPTIONS, QUERY, POST, PUT, PATCH, DELETE',
})
