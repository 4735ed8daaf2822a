import { checkOptions } from '../model/check-options.ts'
import { serveAlone } from './serve-alone.ts'
import { type ServeOptions, serveOptions } from './serve-options.ts'
import type { Server } from './server.ts'
import type { Service } from './service.ts'
import { serveByWorkers } from './workers/primary-server.ts'
import { countOfWorkers } from './workers/worker-count.ts'
import { isWorker, serveInWorker } from './workers/worker-server.ts'

export type { TrustedProxies, TrustProxy, TrustProxyOptions } from './client-address.ts'
export type { FrameworkReply, FrameworkRequest } from './framework-exchange.ts'
export {
  type NodeHandler,
  type NodeHandlerOptions,
  nodeHandler,
} from './framework-handler.ts'
export type { HealthOptions } from './health/health-options.ts'
export type { Hosts } from './host-check.ts'
export type { LogEntry } from './log-entry.ts'
export type { LogOptions, RequestLog, RequestLogger, WriteLogEntry } from './log-options.ts'
export type { FallbackHandler } from './node-handler.ts'
export type { HandlerLimits, ServerLimits } from './node-limits.ts'
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
  const count = countOfWorkers(options.workers)
  if (count === undefined) return serveAlone(list, options)
  return isWorker() ? serveInWorker(list, options) : serveByWorkers(list, options, count)
}
