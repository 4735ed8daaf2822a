import { isWorker } from '../process/worker-process.ts'
import { serveAlone } from './serve-alone.ts'
import type { ServeOptions } from './serve-options.ts'
import { resolveServe } from './serve-settings.ts'
import type { Server } from './server.ts'
import type { Service } from './service.ts'
import { serveByWorkers } from './workers/primary-server.ts'
import { serveInWorker } from './workers/worker-server.ts'

export type { TrustedProxies, TrustProxy, TrustProxyOptions } from './client-address.ts'
export type { FrameworkReply, FrameworkRequest } from './framework-exchange.ts'
export {
  type NodeHandler,
  type NodeHandlerOptions,
  nodeHandler,
} from './framework-handler.ts'
export type { HealthOptions } from './health/health-options.ts'
export type { Hosts } from './host-check.ts'
export type { LogEntry } from './log/log-entry.ts'
export type { LogOptions, RequestLog, RequestLogger, WriteLogEntry } from './log/log-options.ts'
export type { ServedStore } from './log/served-stores.ts'
export type { MetricsOptions } from './metrics/metrics-options.ts'
export type { FallbackHandler } from './node-handler.ts'
export type { HandlerLimits, ServerLimits } from './node-limits.ts'
export type { OverloadOptions } from './overload/overload-options.ts'
export type { ServeOptions } from './serve-options.ts'
export type { Server } from './server.ts'
export type { Service, ServiceDependency } from './service.ts'
export { type CloseOnSignalsOptions, closeOnSignals } from './signals.ts'

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
 * @throws RegistrationError for unknown or invalid options, and for services that cannot be served
 * together, such as two with the same base path: all faults at once. Any error of a service that
 * cannot be opened, or of a port that cannot be listened on. Nothing listens then.
 */
export async function serve(
  services: Service | readonly Service[],
  options: ServeOptions = {},
): Promise<Server> {
  const list = Array.isArray(services) ? (services as readonly Service[]) : [services as Service]
  const settings = resolveServe(list, options)
  if (settings.workers === undefined) return serveAlone(list, settings)
  return isWorker() ? serveInWorker(list, settings) : serveByWorkers(settings.workers, settings)
}
