import type { Server as HttpServer, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiResponse } from '../http/api-response.ts'
import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  wholeNumber,
} from '../model/check-options.ts'
import { dispatcher } from './dispatch.ts'
import { errorReporter } from './error-reporter.ts'
import { checkHosts, type HostGuard, type Hosts, hostGuard } from './host-guard.ts'
import {
  type ClientConnection,
  type ClientConnections,
  trackConnections,
} from './node-connections.ts'
import { drainServer } from './node-drain.ts'
import { answerClientErrors } from './node-errors.ts'
import {
  type FallbackHandler,
  type HandlerContext,
  handleRequest,
  requestOf,
} from './node-handler.ts'
import { resolveServerLimits, type ServerLimits } from './node-limits.ts'
import { mustCloseConnection, sendResponse } from './node-response.ts'
import { destroyIdleSockets, limitedServer, listen } from './node-server.ts'
import type { SendContext } from './node-watch-reader.ts'
import { toProblemResponse } from './problem-response.ts'
import type { Service } from './service.ts'
import { closeUnsentBody } from './stream-body.ts'

export type { Hosts } from './host-guard.ts'
export type { ServerLimits } from './node-limits.ts'
export type { Service } from './service.ts'
export { closeOnSignals } from './signals.ts'

export interface ServeOptions {
  /** `127.0.0.1` unless given: a service is not open to the network by accident. */
  readonly host?: string
  /**
   * Names of hosts that are served beside those of this machine (`localhost`, `127.0.0.1`), without
   * ports: for a proxy on this machine that hands the `Host` of its clients on. On a loopback
   * address all others are refused (421), so that no web page reaches the service under a name of
   * its own; on other addresses only where names are given. `any` lets all through.
   */
  readonly hosts?: Hosts
  /** 0, the default, picks a free one. */
  readonly port?: number
  readonly limits?: Partial<ServerLimits>
  /** How long requests in flight may take to finish when the server closes: 10 s. */
  readonly shutdownTimeoutMs?: number
  /**
   * Is told of unexpected faults of what no service is about, such as those of `pages`, and of
   * services that have no place of their own: a router given `onError` is told itself of all that
   * goes wrong with its requests, up to their last byte. They go to standard error unless given.
   */
  readonly onError?: (error: unknown) => void
  /** Answers addresses that belong to no service, such as a start page; undefined is 404. */
  readonly fallback?: FallbackHandler
}

export interface Server {
  /** `http://127.0.0.1:3000` */
  readonly address: string
  readonly port: number
  /** Finishes the requests in flight, then closes the services. */
  close(): Promise<void>
  readonly node: HttpServer
}

/**
 * Opens one service or several, and serves them over HTTP/1.1; the one with the longest matching
 * base path answers.
 *
 * ```ts
 * const server = await serve([router, jsonApiRouter], { port: 3000 })
 * console.log(server.address)
 * ```
 *
 * @throws when a service cannot be opened, the address cannot be listened at, or two services share
 * a base path. Nothing listens then.
 */
export async function serve(
  services: Service | readonly Service[],
  options: ServeOptions = {},
): Promise<Server> {
  const all = Array.isArray(services) ? (services as readonly Service[]) : [services as Service]
  checkOptions('serve()', options, serveOptions)
  const limits = resolveServerLimits(options.limits)
  let checkHost: HostGuard = () => {}
  const delivery: SendContext = {
    stalledWriteTimeoutMs: limits.stalledWriteTimeoutMs,
    minReadBytesPerSecond: limits.minReadBytesPerSecond,
    onError: errorReporter(options.onError),
  }
  const deliveries = new Map<Service | undefined, SendContext>(
    all.flatMap((service) =>
      service.report
        ? [[service, { ...delivery, onError: (error: unknown) => service.report?.(error) }]]
        : [],
    ),
  )
  const answering: HandlerContext = {
    ...delivery,
    deliveryOf: (service) => deliveries.get(service) ?? delivery,
    dispatch: dispatcher(all),
    fallback: options.fallback ?? (() => undefined),
    checkHost: (host) => checkHost(host),
    bodyTimeoutMs: limits.requestTimeoutMs,
  }
  checkHosts(options.hosts)
  for (const service of all) await service.open?.()
  const node = limitedServer(limits)
  const connections = trackConnections(node, (connection, res) => {
    void handleExchange(answering, connections, connection, res)
  })
  answerClientErrors(node, connections)
  destroyIdleSockets(node, connections)
  const { port, address, family } = await listen(
    node,
    options.port ?? 0,
    options.host ?? '127.0.0.1',
    answering.onError,
  )
  checkHost = hostGuard(address, options.hosts)

  let closed: Promise<void> | undefined
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    port,
    node,
    close() {
      closed ??= drainServer(node, connections, options.shutdownTimeoutMs ?? 10_000).then(() =>
        closeServices(all),
      )
      return closed
    },
  }
}

/**
 * One request and its answer. Never rejects: nobody waits for it. Every promise here costs each
 * request its time.
 */
async function handleExchange(
  answering: HandlerContext,
  connections: ClientConnections,
  connection: ClientConnection,
  res: ServerResponse,
): Promise<void> {
  let delivery: SendContext = answering
  let response: ApiResponse
  try {
    const request = requestOf(answering, res)
    const service = request.path === '*' ? undefined : answering.dispatch(request.path)
    delivery = answering.deliveryOf(service)
    response = await handleRequest(answering, request, service)
  } catch (error) {
    response = toProblemResponse(error, delivery.onError)
  }
  // The rest of a body that came together with the head is parsed by the next turn.
  if (!res.req.complete) await nextTurn()
  if (res.destroyed) return closeUnsentBody(response, delivery.onError)
  const close = connections.isLastResponse(connection) || mustCloseConnection(res.req, response)
  if (close) connection.isEnding = true
  try {
    const sending = sendResponse(res, response, close, delivery)
    if (sending !== undefined) await sending
  } catch (error) {
    closeUnsentBody(response, delivery.onError)
    await sendErrorResponse(delivery, res, error, close)
  }
}

/** For a response that cannot be sent, such as one with a line break in a header. */
async function sendErrorResponse(
  delivery: SendContext,
  res: ServerResponse,
  error: unknown,
  close: boolean,
): Promise<void> {
  // It may be that of the answer which could not be sent.
  res.statusMessage = ''
  try {
    await sendResponse(res, toProblemResponse(error, delivery.onError), close, delivery)
  } catch {
    res.req.socket.destroy()
  }
}

async function closeServices(services: readonly Service[]): Promise<void> {
  const outcomes = await Promise.allSettled(services.map(async (service) => service.close?.()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

const serveOptions: OptionChecks<ServeOptions> = {
  host: true,
  hosts: true,
  port: wholeNumber(0, 65_535),
  limits: true,
  shutdownTimeoutMs: milliseconds,
  onError: true,
  fallback: true,
}
