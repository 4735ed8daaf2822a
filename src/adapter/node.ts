import type { Server as HttpServer, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiResponse } from '../http/api-response.ts'
import { checkOptions, type KnownOptions, milliseconds, wholeNumber } from '../model/check-options.ts'
import { closeUnsent } from './chunks.ts'
import { dispatcher } from './dispatch.ts'
import type { Service } from './host.ts'
import { checkHosts, type HostGuard, type Hosts, hostGuard } from './host-guard.ts'
import { type Answering, answer, type Pages, requestOf } from './node-answer.ts'
import { type Connection, type Connections, trackConnections } from './node-connections.ts'
import type { Delivery } from './node-delivery.ts'
import { answerClientErrors } from './node-errors.ts'
import { checkedLimits, type Limits } from './node-limits.ts'
import { leavesTooMuch, sendResponse } from './node-response.ts'
import { cutIdle, limitedServer, listen } from './node-server.ts'
import { drainServer } from './node-shutdown.ts'
import { answerTo } from './problem-response.ts'
import { reporter } from './report.ts'

export type { Service } from './host.ts'
export type { Hosts } from './host-guard.ts'
export type { Limits } from './node-limits.ts'
export { closeOnSignals } from './signals.ts'

export interface ServeOptions {
  /** `127.0.0.1` unless given: a service is not open to the network by accident. */
  readonly host?: string
  /**
   * Names of hosts that are served beside those of this machine (`localhost`, `127.0.0.1`), without ports: for a proxy on this machine that hands the
   * `Host` of its clients on. On a loopback address all others are refused (421), so that no web page reaches the service under a name of its own; on other
   * addresses only where names are given. `any` lets all through.
   */
  readonly hosts?: Hosts
  /** 0, the default, picks a free one. */
  readonly port?: number
  readonly limits?: Partial<Limits>
  /** How long requests in flight may take to finish when the server closes: 10 s. */
  readonly shutdownMs?: number
  /**
   * Is told of unexpected faults of what no service is about, such as those of `pages`, and of services that have no place of their own: a router
   * given `onError` is told itself of all that goes wrong with its requests, up to their last byte. They go to standard error unless given.
   */
  readonly onError?: (error: unknown) => void
  /** Answers addresses that belong to no service, such as a start page; undefined is 404. */
  readonly pages?: Pages
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
 * Opens one service or several, and serves them over HTTP/1.1; the one with the longest matching base path answers.
 *
 * ```ts
 * const server = await serve([router, jsonApiRouter], { port: 3000 })
 * console.log(server.address)
 * ```
 *
 * @throws when a service cannot be opened, the address cannot be listened at, or two services share a base path. Nothing listens then.
 */
export async function serve(services: Service | readonly Service[], options: ServeOptions = {}): Promise<Server> {
  const all = Array.isArray(services) ? (services as readonly Service[]) : [services as Service]
  checkOptions('serve()', options, serveOptions)
  const limits = checkedLimits(options.limits)
  let checkHost: HostGuard = () => {}
  const delivery: Delivery = {
    stalledMs: limits.stalledWriteMs,
    minBytesPerSecond: limits.minReadBytesPerSecond,
    report: reporter(options.onError),
  }
  const deliveries = new Map<Service | undefined, Delivery>(
    all.flatMap((service) =>
      service.report ? [[service, { ...delivery, report: (error) => service.report?.(error) }]] : [],
    ),
  )
  const answering: Answering = {
    ...delivery,
    deliveryOf: (service) => deliveries.get(service) ?? delivery,
    dispatch: dispatcher(all),
    pages: options.pages ?? (() => undefined),
    checkHost: (host) => checkHost(host),
    bodyTimeoutMs: limits.requestTimeoutMs,
  }
  checkHosts(options.hosts)
  for (const service of all) await service.open?.()
  const node = limitedServer(limits)
  const connections = trackConnections(node, (connection, res) => {
    void exchange(answering, connections, connection, res)
  })
  answerClientErrors(node, connections)
  cutIdle(node, connections)
  const { port, address, family } = await listen(node, options.port ?? 0, options.host ?? '127.0.0.1', answering.report)
  checkHost = hostGuard(address, options.hosts)

  let closed: Promise<void> | undefined
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    port,
    node,
    close() {
      closed ??= drainServer(node, connections, options.shutdownMs ?? 10_000).then(() => closeAll(all))
      return closed
    },
  }
}

/** One request and its answer. Never rejects: nobody waits for it. Every promise here costs each request its time. */
async function exchange(
  answering: Answering,
  connections: Connections,
  connection: Connection,
  res: ServerResponse,
): Promise<void> {
  let delivery: Delivery = answering
  let response: ApiResponse
  try {
    const request = requestOf(answering, res)
    const service = request.path === '*' ? undefined : answering.dispatch(request.path)
    delivery = answering.deliveryOf(service)
    response = await answer(answering, request, service)
  } catch (error) {
    response = answerTo(error, delivery.report)
  }
  // The rest of a body that came together with the head is parsed by the next turn.
  if (!res.req.complete) await nextTurn()
  if (res.destroyed) return closeUnsent(response, delivery.report)
  const close = connections.isLast(connection) || leavesTooMuch(res.req, response)
  if (close) connection.ending = true
  try {
    const sending = sendResponse(res, response, close, delivery)
    if (sending !== undefined) await sending
  } catch (error) {
    closeUnsent(response, delivery.report)
    await sendFault(delivery, res, error, close)
  }
}

/** For a response that cannot be sent, such as one with a line break in a header. */
async function sendFault(delivery: Delivery, res: ServerResponse, error: unknown, close: boolean): Promise<void> {
  // It may be that of the answer which could not be sent.
  res.statusMessage = ''
  try {
    await sendResponse(res, answerTo(error, delivery.report), close, delivery)
  } catch {
    res.req.socket.destroy()
  }
}

async function closeAll(services: readonly Service[]): Promise<void> {
  const outcomes = await Promise.allSettled(services.map(async (service) => service.close?.()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

const serveOptions: KnownOptions<ServeOptions> = {
  host: true,
  hosts: true,
  port: wholeNumber(0, 65_535),
  limits: true,
  shutdownMs: milliseconds,
  onError: true,
  pages: true,
}
