import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationFaults } from '../model/describe/registration-faults.ts'
import { checkServices } from './check-services.ts'
import { type ClientAddress, clientAddress, type TrustProxy } from './client-address.ts'
import { dispatcher } from './dispatch.ts'
import { errorReporter } from './error-reporter.ts'
import {
  type FrameworkExchange,
  type FrameworkReply,
  type FrameworkRequest,
  fastifyExchange,
  nodeExchange,
} from './framework-exchange.ts'
import { checkHosts, type Hosts, hostCheck } from './host-check.ts'
import { injectedBody } from './injected-request.ts'
import { joinedHeaders } from './joined-headers.ts'
import type { RequestLog } from './log/log-options.ts'
import { requestBody } from './node-body.ts'
import {
  beginTrace,
  type HandlerContext,
  handleRequest,
  handleTraced,
  noResponse,
  sendContexts,
} from './node-handler.ts'
import { bodyLimits, type HandlerLimits, resolveHandlerLimits } from './node-limits.ts'
import { apiRequest, pathOf } from './node-request.ts'
import { mustCloseConnection } from './node-response.ts'
import { sendOrReplace } from './node-send.ts'
import type { SendContext } from './node-watch-reader.ts'
import { parsedBody } from './parsed-body.ts'
import { toProblemResponse } from './problem-response.ts'
import type { Service } from './service.ts'
import { closeUnsentBody } from './stream-body.ts'
import type { ServerTrace } from './trace/server-trace.ts'
import { type TraceSink, traceRequests } from './trace/trace-requests.ts'
import { traceSinks } from './trace/trace-sinks.ts'

export interface NodeHandlerOptions {
  /**
   * Limits of the time that a client may take to send a body and to read a response. Default: those
   * of `ServerLimits`, also for each limit that is missing. All other limits are those of the
   * server, such as its `headersTimeout`.
   */
  readonly limits?: Partial<HandlerLimits>
  /**
   * Allowed host names without ports, in addition to loopback names; requests for others are
   * refused (421), which protects from DNS rebinding. Default: `any`.
   */
  readonly hosts?: Hosts
  /** Logs each request of the services, and sends `X-Request-Id`. Default: none. */
  readonly log?: RequestLog
  /**
   * Makes spans and metrics of requests with the package `@opentelemetry/api`, and goes on with the
   * trace of a `traceparent`. Where the span of other instrumentation is active, it uses that one.
   * Default: false.
   */
  readonly telemetry?: boolean
  /** Sends `Server-Timing`: how long each stage took until the head, in ms. Default: false. */
  readonly serverTiming?: boolean
  /**
   * The proxies whose `X-Forwarded-For` or `Forwarded` names the client of `request.address`: how
   * many there are, or their addresses. Default: none, so that no client can claim an address.
   */
  readonly trustProxy?: TrustProxy
  /**
   * Called with unexpected errors outside of services, and of services without their own `onError`.
   * Default: standard error.
   */
  readonly onError?: (error: unknown) => void
}

/** Responds to requests of `node:http`, Connect and Express, or of Fastify. It never rejects. */
export interface NodeHandler {
  (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void): Promise<void>
  (request: FrameworkRequest, reply: FrameworkReply): Promise<void>
}

/**
 * Handles requests of a server that is not of resourcery: as a listener of `node:http`, middleware
 * of Express and Connect, and a handler of Fastify. It streams requests and responses with
 * backpressure, and ends its work when the client leaves. A body that the framework has parsed is
 * read from `req.body`.
 *
 * Requests outside of the base paths go to the next handler, wherever this one is mounted; without
 * a next handler they are 404. Errors of the framework go there too, such as a response that has
 * begun already. Call `open()` of each service before the server listens.
 *
 * ```ts
 * const handle = nodeHandler(router)
 * // node:http: createServer(handle)
 * // Express: app.use(handle)
 * // Fastify: app.all('/api/*', handle)
 * ```
 *
 * @throws RegistrationError if two services have the same base path, or for an unknown or invalid
 * option
 */
export function nodeHandler(
  services: Service | readonly Service[],
  options: NodeHandlerOptions = {},
): NodeHandler {
  const context = createContext([services].flat() as readonly Service[], options)
  return (request, response, next?: (error?: unknown) => void) =>
    handle(
      context,
      'raw' in request
        ? fastifyExchange(request, response as FrameworkReply)
        : nodeExchange(request, response as ServerResponse, next),
    )
}

function createContext(services: readonly Service[], options: NodeHandlerOptions): HandlerContext {
  const faults = new RegistrationFaults()
  faults.attempt(() => checkOptions('nodeHandler()', options, nodeHandlerOptions))
  const given = Object(options) as NodeHandlerOptions
  const limits = faults.attempt(() => resolveHandlerLimits(given.limits)) as HandlerLimits
  const addressOf = faults.attempt(() => clientAddress(given.trustProxy, 'nodeHandler()'))
  const sinks = faults.attempt(() => traceSinks(given, 'nodeHandler()'))
  faults.attempt(() => checkHosts(given.hosts, 'nodeHandler()'))
  faults.attempt(() => checkServices(services, 'nodeHandler()'))
  faults.throwAll()
  const sendContext: SendContext = {
    host: 'framework',
    stalledWriteTimeoutMs: limits.stalledWriteTimeoutMs,
    minReadBytesPerSecond: limits.minReadBytesPerSecond,
    onError: errorReporter(options.onError),
  }
  for (const sink of sinks as readonly TraceSink[]) sink.open?.(sendContext.onError)
  return {
    ...sendContext,
    sendContextOf: sendContexts(services, sendContext),
    dispatch: dispatcher(services),
    fallback: () => undefined,
    // The address that the server listens on is not known here.
    checkHost: hostCheck('0.0.0.0', options.hosts),
    bodyLimits: bodyLimits(limits),
    addressOf: addressOf as ClientAddress,
    beginTrace: traceRequests(sinks as readonly TraceSink[], sendContext.onError, {
      serverTiming: given.serverTiming === true,
    }),
  }
}

/** Never rejects. */
async function handle(context: HandlerContext, exchange: FrameworkExchange): Promise<void> {
  const { req, res, next } = exchange
  const mistake = mistakeOfFramework(req, res)
  if (mistake) return (next ?? context.onError)(mistake)
  const url = exchange.url
  const service = context.dispatch(pathOf(url))
  if (service === undefined && next !== undefined) return next()
  exchange.begin()
  const trace = beginTrace(context, res, url)
  const sendContext = context.sendContextOf(service)
  let response: ApiResponse
  try {
    const request = requestOf(context, exchange, trace)
    response = await (trace
      ? handleTraced(trace, context, request, service)
      : handleRequest(context, request, service))
    if (typeof response?.body?.kind !== 'string') throw noResponse(request, service)
  } catch (error) {
    response = toProblemResponse(error, sendContext.onError, trace)
  }
  if (trace) response = trace.respond(response)
  // Waits until the parser has read a body that arrived together with the head.
  if (!req.complete) await immediate()
  if (res.destroyed) return closeUnsentBody(response, sendContext.onError)
  await sendOrReplace(res, response, mustCloseConnection(req, response), sendContext, trace)
}

/** @throws ApiError if the request is malformed, or for another host */
function requestOf(
  { bodyLimits, checkHost, addressOf }: HandlerContext,
  { req, res, url, parsed }: FrameworkExchange,
  trace: ServerTrace | undefined,
): ApiRequest {
  const joined = joinedHeaders(req)
  const injected = injectedBody(req)
  const { headers, body } = parsedBody(req, joined, parsed) ?? {
    headers: joined,
    body: injected ?? requestBody(res, bodyLimits),
  }
  const request = apiRequest(res, addressOf, body, headers, url, trace)
  checkHost(request.headers.host, request.path)
  return request
}

function mistakeOfFramework(req: IncomingMessage, res: ServerResponse): Error | undefined {
  if (req.httpVersionMajor !== 1)
    return new Error(
      `nodeHandler() responds to HTTP/1.1; got a request of HTTP/${req.httpVersion}. Let a proxy terminate HTTP/2.`,
    )
  if (res.headersSent || res.writableEnded)
    return new Error(
      'The response had begun before nodeHandler() was called. Call it first, or respond without it.',
    )
  return undefined
}

const nodeHandlerOptions: OptionChecks<NodeHandlerOptions> = {
  limits: true,
  hosts: true,
  log: true,
  telemetry: 'boolean',
  serverTiming: 'boolean',
  trustProxy: true,
  onError: 'function',
}
