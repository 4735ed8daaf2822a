import type { Server as HttpServer, ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'
import { keepRequestsYoung } from '../concurrency/keep-requests-young.ts'
import type { ApiResponse } from '../http/api-response.ts'
import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  wholeNumber,
} from '../model/check-options.ts'
import { clientAddress, type TrustProxy } from './client-address.ts'
import { dispatcher } from './dispatch.ts'
import { errorReporter } from './error-reporter.ts'
import { checkHosts, type HostCheck, type Hosts, hostCheck } from './host-check.ts'
import {
  type ClientConnection,
  type ClientConnections,
  trackConnections,
} from './node-connections.ts'
import { drainServer } from './node-drain.ts'
import { respondToClientErrors } from './node-errors.ts'
import {
  type FallbackHandler,
  type HandlerContext,
  handleRequest,
  logRequest,
  noResponse,
  requestOf,
  sendContexts,
} from './node-handler.ts'
import { bodyLimits, resolveServerLimits, type ServerLimits } from './node-limits.ts'
import { mustCloseConnection } from './node-response.ts'
import { sendOrReplace } from './node-send.ts'
import { destroyIdleSockets, limitedServer, listen } from './node-server.ts'
import type { SendContext } from './node-watch-reader.ts'
import { toProblemResponse } from './problem-response.ts'
import { type RequestLog, requestLog } from './request-log.ts'
import type { Service } from './service.ts'
import { startRedirect } from './start-redirect.ts'
import { closeUnsentBody } from './stream-body.ts'

export type { TrustedProxies, TrustProxy, TrustProxyOptions } from './client-address.ts'
export type { FrameworkReply, FrameworkRequest } from './framework-exchange.ts'
export {
  type NodeHandler,
  type NodeHandlerOptions,
  nodeHandler,
} from './framework-handler.ts'
export type { Hosts } from './host-check.ts'
export type { FallbackHandler } from './node-handler.ts'
export type { HandlerLimits, ServerLimits } from './node-limits.ts'
export type { LogEntry, RequestLog } from './request-log.ts'
export type { Service } from './service.ts'
export { type CloseOnSignalsOptions, closeOnSignals } from './signals.ts'

export interface ServeOptions {
  /**
   * The address to listen on. Default: `127.0.0.1`, so that no service is open to the network by
   * accident.
   */
  readonly host?: string
  /**
   * Allowed host names without ports, in addition to loopback names (`localhost`, `127.0.0.1`), for
   * a local proxy that forwards the `Host` of its clients. Requests for other hosts are refused
   * (421), which protects from DNS rebinding. `any` allows all. Default: loopback names only on a
   * loopback address, all on other addresses.
   */
  readonly hosts?: Hosts
  /**
   * Logs each request that is HTTP, with its status, bytes and time. Default: none.
   *
   * ```ts
   * await serve(router, { log: true }) // {"time":"…","method":"GET","path":"/api/books",…}
   * ```
   */
  readonly log?: RequestLog
  /**
   * The proxies whose `X-Forwarded-For` or `Forwarded` names the client of `request.address`: how
   * many there are, or their addresses. Default: none, so that no client can claim an address.
   */
  readonly trustProxy?: TrustProxy
  /** From 0 to 65 535. Default: 0, which selects a free port. */
  readonly port?: number
  /**
   * Limits of the time and resources that a client may use. Default: those of `ServerLimits`, also
   * for each limit that is missing.
   */
  readonly limits?: Partial<ServerLimits>
  /**
   * Time for requests in flight to finish when the server closes, in milliseconds. Default: 10 000.
   */
  readonly shutdownTimeoutMs?: number
  /**
   * Called with unexpected errors outside of services, such as those of `fallback`, and of services
   * without their own `onError`. Default: standard error.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Responds to paths of no service, for example with a start page; undefined means 404. Default:
   * leads browsers from `/` to the start page of a service, and is 404 for all other paths.
   */
  readonly fallback?: FallbackHandler
}

export interface Server {
  /** For example `http://127.0.0.1:3000`. */
  readonly address: string
  readonly port: number
  /** Finishes the requests in flight, then closes the services. */
  close(): Promise<void>
  readonly node: HttpServer
}

/**
 * Opens services and serves them over HTTP/1.1. The service with the longest matching base path
 * handles a request. It sets the option `--no-allocation-site-pretenuring` of V8, for the whole
 * process.
 *
 * ```ts
 * const server = await serve([router, jsonApiRouter], { port: 3000 })
 * console.log(server.address)
 * ```
 *
 * @throws if a service cannot be opened, the server cannot listen on the address, or two services
 * have the same base path; RegistrationError for an unknown or invalid option. Nothing listens
 * then.
 */
export async function serve(
  services: Service | readonly Service[],
  options: ServeOptions = {},
): Promise<Server> {
  const list = Array.isArray(services) ? (services as readonly Service[]) : [services as Service]
  checkOptions('serve()', options, serveOptions)
  const limits = resolveServerLimits(options.limits)
  let checkHost: HostCheck = () => {}
  const sendContext: SendContext = {
    host: 'own',
    stalledWriteTimeoutMs: limits.stalledWriteTimeoutMs,
    minReadBytesPerSecond: limits.minReadBytesPerSecond,
    onError: errorReporter(options.onError),
  }
  const context: HandlerContext = {
    ...sendContext,
    sendContextOf: sendContexts(list, sendContext),
    dispatch: dispatcher(list, 'serve()'),
    fallback: options.fallback ?? ((request) => startRedirect(list, request)),
    checkHost: (host) => checkHost(host),
    bodyLimits: bodyLimits(limits),
    addressOf: clientAddress(options.trustProxy, 'serve()'),
    log: options.log ? requestLog(options.log, sendContext.onError) : undefined,
  }
  checkHosts(options.hosts, 'serve()')
  keepRequestsYoung()
  for (const service of list) await service.open?.()
  const node = limitedServer(limits)
  const connections = trackConnections(node, (connection, res) => {
    void handleExchange(context, connections, connection, res)
  })
  respondToClientErrors(node, connections)
  destroyIdleSockets(node, connections)
  const { port, address, family } = await listen(
    node,
    options.port ?? 0,
    options.host ?? '127.0.0.1',
    context.onError,
  )
  checkHost = hostCheck(address, options.hosts)

  const closeServer = async (): Promise<void> => {
    const drained = drainServer(node, connections, options.shutdownTimeoutMs ?? 10_000)
    for (const service of list) service.endStreams?.()
    await drained
    await closeServices(list)
  }
  let closed: Promise<void> | undefined
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    port,
    node,
    close() {
      closed ??= closeServer()
      return closed
    },
  }
}

/** Handles one request. It never rejects. It avoids promises, which cost time in every request. */
async function handleExchange(
  context: HandlerContext,
  connections: ClientConnections,
  connection: ClientConnection,
  res: ServerResponse,
): Promise<void> {
  let sendContext: SendContext = context
  let response: ApiResponse
  logRequest(context, res, res.req.url ?? '/')
  try {
    const request = requestOf(context, res)
    const service = request.path === '*' ? undefined : context.dispatch(request.path)
    sendContext = context.sendContextOf(service)
    response = await handleRequest(context, request, service)
    if (typeof response?.body?.kind !== 'string') throw noResponse(request, service)
  } catch (error) {
    response = toProblemResponse(error, sendContext.onError)
  }
  // Waits until the parser has read a body that arrived together with the head.
  if (!res.req.complete) await immediate()
  if (res.destroyed) return closeUnsentBody(response, sendContext.onError)
  const close = connections.isLastResponse(connection) || mustCloseConnection(res.req, response)
  if (close) connection.isEnding = true
  void sendOrReplace(res, response, close, sendContext)
}

async function closeServices(services: readonly Service[]): Promise<void> {
  const outcomes = await Promise.allSettled(services.map(async (service) => service.close?.()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

const serveOptions: OptionChecks<ServeOptions> = {
  host: true,
  hosts: true,
  log: true,
  trustProxy: true,
  port: wholeNumber(0, 65_535),
  limits: true,
  shutdownTimeoutMs: milliseconds,
  onError: true,
  fallback: true,
}
