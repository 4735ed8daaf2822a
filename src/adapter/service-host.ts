import type { Server as HttpServer, ServerResponse } from 'node:http'
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'
import { keepRequestsYoung } from '../concurrency/keep-requests-young.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { dispatcher } from './dispatch.ts'
import { errorReporter } from './error-reporter.ts'
import { HealthChecks } from './health/health-checks.ts'
import { startingService } from './health/starting-service.ts'
import { type HostCheck, hostCheck } from './host-check.ts'
import { prometheusMetrics } from './metrics/metrics-service.ts'
import {
  type ClientConnection,
  type ClientConnections,
  trackConnections,
} from './node-connections.ts'
import { drainIdleMs, drainServer } from './node-drain.ts'
import { respondToClientErrors } from './node-errors.ts'
import {
  beginTrace,
  type HandlerContext,
  handleRequest,
  handleTraced,
  noResponse,
  requestOf,
  sendContexts,
} from './node-handler.ts'
import { bodyLimits } from './node-limits.ts'
import { pathOf } from './node-request.ts'
import { mustCloseConnection } from './node-response.ts'
import { sendOrReplace } from './node-send.ts'
import { destroyIdleSockets, limitedServer } from './node-server.ts'
import type { SendContext } from './node-watch-reader.ts'
import { Admission, overloadedResponse } from './overload/admission.ts'
import { toProblemResponse } from './problem-response.ts'
import type { ServeSettings } from './serve-settings.ts'
import type { Service } from './service.ts'
import { startRedirect } from './start-redirect.ts'
import { closeUnsentBody } from './stream-body.ts'
import type { ServerTrace } from './trace/server-trace.ts'
import { traceRequests } from './trace/trace-requests.ts'

/** An HTTP server with its services, before and while it gets connections. */
export interface ServiceHost {
  readonly node: HttpServer
  readonly connections: ClientConnections
  /** Does it listen before its services are open? */
  readonly listensDuringStart: boolean
  /** The address that clients connect to, which decides which hosts it serves. */
  setAddress(address: string): void
  /** Opens the services. @throws what a service throws */
  open(): Promise<void>
  /** Ends the port of a server whose services cannot be opened. */
  abandon(): Promise<void>
  /**
   * Gives requests of services to another handler from now on, until it is undefined. Those under
   * way go on, and the host itself responds to health checks as before.
   */
  divert(handler: ExchangeHandler | undefined): void
  /** Handles a request that was diverted. */
  readonly handle: ExchangeHandler
  /** Responds to a request that was diverted that there is no time for it. */
  readonly refuse: ExchangeHandler
  /** Ends the responses that would last, such as streams of events; clients may ask again. */
  endStreams(): void
  /**
   * Finishes the requests in flight, then closes the services.
   * @param staysReady whether other processes go on, so that `/readyz` stays 200
   * @param onDrain called when it wants no further connections
   */
  close(staysReady?: boolean, onDrain?: () => void): Promise<void>
}

type ExchangeHandler = (connection: ClientConnection, res: ServerResponse) => void

/** What handling a request needs in a server of our own. */
interface HostContext extends HandlerContext {
  /** Undefined where no request is refused because of overload. */
  readonly admission: Pick<Admission, 'admits'> | undefined
  /** Does the host itself respond? Health checks are asked most when they must respond. */
  isOwn(service: Service): boolean
}

/** The time for responses under way where a start has failed. */
const abandonMs = 200

export function serviceHost(services: readonly Service[], settings: ServeSettings): ServiceHost {
  const { limits, health } = settings
  const report = errorReporter(settings.onError)
  let checkHost: HostCheck = () => {}
  const sendContext: SendContext = {
    host: 'own',
    stalledWriteTimeoutMs: limits.stalledWriteTimeoutMs,
    minReadBytesPerSecond: limits.minReadBytesPerSecond,
    onError: report,
  }
  const healthChecks = health && new HealthChecks(health, services, report)
  const metrics =
    settings.metricsPath === undefined ? undefined : prometheusMetrics(settings.metricsPath)
  const own: readonly Service[] = [healthChecks, metrics?.service].filter((service) => !!service)
  const ownPaths = new Set(own.flatMap(({ paths = [] }) => paths))
  const sinks = [...settings.traceSinks, ...(metrics ? [metrics.sink] : [])]
  const admission = settings.overload && new Admission(settings.overload)
  const open: HostContext = {
    ...sendContext,
    sendContextOf: sendContexts(services, sendContext),
    dispatch: dispatcher(services, own),
    fallback: settings.fallback ?? ((request) => startRedirect(services, request)),
    // Probes send the address of this machine as the host, and learn no secrets.
    checkHost: (host, path) => {
      if (healthChecks?.paths.includes(path) !== true) checkHost(host)
    },
    bodyLimits: bodyLimits(limits),
    addressOf: settings.addressOf,
    beginTrace: traceRequests(sinks, report, {
      untracedPaths: ownPaths,
      serverTiming: settings.serverTiming,
    }),
    admission,
    isOwn: (service) => own.includes(service),
  }
  const starting: HostContext = {
    ...open,
    admission: undefined,
    dispatch: dispatcher([startingService], own),
  }
  const refusing: HostContext = { ...open, admission: { admits: () => false } }
  let context = starting
  let handle = handleExchange
  const node = limitedServer(limits)
  const connections = trackConnections(node, (connection, res) => {
    void handle(context, connections, connection, res)
  })
  respondToClientErrors(node, connections)
  destroyIdleSockets(node, connections)

  /** Those that were opened, also if the last of them failed. */
  const opened: Service[] = []
  let isOpen = false
  const closeAll = async (): Promise<void> => {
    try {
      await closeServices(opened)
    } finally {
      if (isOpen) for (const sink of sinks) sink.close?.()
    }
  }

  const endStreams = (): void => {
    for (const service of services) service.endStreams?.()
  }

  return {
    node,
    connections,
    listensDuringStart: health?.duringStart === true,
    setAddress: (address) => {
      checkHost = hostCheck(address, settings.hosts)
    },
    async open() {
      keepRequestsYoung()
      for (const sink of sinks) sink.open?.(report)
      isOpen = true
      for (const service of services) {
        opened.push(service)
        await service.open?.()
      }
      context = open
      if (healthChecks) healthChecks.phase = 'open'
    },
    async abandon() {
      await drainServer(node, connections, abandonMs)
      await closeAll()
    },
    divert(handler) {
      handle = handler ? divertedTo(handler, ownPaths) : handleExchange
    },
    handle: (connection, res) => void handleExchange(context, connections, connection, res),
    refuse: (connection, res) => void handleExchange(refusing, connections, connection, res),
    endStreams,
    async close(staysReady = false, onDrain) {
      if (!staysReady) {
        if (healthChecks) healthChecks.phase = 'draining'
        if (settings.shutdownDelayMs > 0) await wait(settings.shutdownDelayMs)
      }
      onDrain?.()
      const drained = drainServer(
        node,
        connections,
        settings.shutdownTimeoutMs,
        staysReady ? promisedIdleMs(settings) : drainIdleMs,
      )
      endStreams()
      await drained
      await closeAll()
    },
  }
}

/** Handles one request. It never rejects. It avoids promises, which cost time in every request. */
async function handleExchange(
  context: HostContext,
  connections: ClientConnections,
  connection: ClientConnection,
  res: ServerResponse,
): Promise<void> {
  let sendContext: SendContext = context
  let response: ApiResponse
  const trace = beginTrace(context, res, res.req.url ?? '/')
  try {
    const request = requestOf(context, res, trace)
    const service = request.path === '*' ? undefined : context.dispatch(request.path)
    sendContext = context.sendContextOf(service)
    response = isRefused(context, request, service, trace)
      ? overloadedResponse
      : await (trace
          ? handleTraced(trace, context, request, service)
          : handleRequest(context, request, service))
    if (typeof response?.body?.kind !== 'string') throw noResponse(request, service)
  } catch (error) {
    response = toProblemResponse(error, sendContext.onError, trace)
  }
  if (trace) response = trace.respond(response)
  // Waits until the parser has read a body that arrived together with the head.
  if (!res.req.complete) await immediate()
  if (res.destroyed) return closeUnsentBody(response, sendContext.onError)
  const close = connections.isLastResponse(connection) || mustCloseConnection(res.req, response)
  if (close) connection.isEnding = true
  void sendOrReplace(res, response, close, sendContext, trace)
}

/** Health checks must get a response while requests wait. */
function divertedTo(
  handler: ExchangeHandler,
  ownPaths: ReadonlySet<string>,
): typeof handleExchange {
  return async (context, connections, connection, res) => {
    if (ownPaths.has(pathOf(res.req.url ?? '/')))
      return handleExchange(context, connections, connection, res)
    handler(connection, res)
  }
}

/**
 * Where others go on, clients may use their connections for as long as `Keep-Alive` has promised,
 * and learn from the next response that they close. The rest of the time is for that response.
 */
function promisedIdleMs({ limits, shutdownTimeoutMs }: ServeSettings): number {
  return Math.max(drainIdleMs, Math.min(limits.idleTimeoutMs, shutdownTimeoutMs - 1_000))
}

/** Is there no time for the request? */
function isRefused(
  { admission, isOwn }: HostContext,
  request: ApiRequest,
  service: Service | undefined,
  trace: ServerTrace | undefined,
): boolean {
  if (admission === undefined || service === undefined || isOwn(service)) return false
  if (admission.admits(request, service)) return false
  if (trace) trace.service = service
  trace?.fail('overloaded', undefined)
  return true
}

async function closeServices(services: readonly Service[]): Promise<void> {
  const outcomes = await Promise.allSettled(services.map(async (service) => service.close?.()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
