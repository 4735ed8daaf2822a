import { checkOptions } from '../model/check-options.ts'
import { RegistrationFaults } from '../model/describe/registration-faults.ts'
import { checkServices } from './check-services.ts'
import { type ClientAddress, clientAddress } from './client-address.ts'
import { type HealthSettings, healthPathsOf, resolveHealth } from './health/health-options.ts'
import { checkHosts, type Hosts } from './host-check.ts'
import { metricsPathsOf, resolveMetrics } from './metrics/metrics-options.ts'
import type { FallbackHandler } from './node-handler.ts'
import { resolveServerLimits, type ServerLimits } from './node-limits.ts'
import { type OverloadOptions, resolveOverload } from './overload/overload-options.ts'
import { refuseEqualOwnPaths } from './own-path.ts'
import { type ServeOptions, serveOptions } from './serve-options.ts'
import type { Service } from './service.ts'
import type { TraceSink } from './trace/trace-requests.ts'
import { traceSinks } from './trace/trace-sinks.ts'
import { checkWorkers } from './workers/check-workers.ts'
import { countOfWorkers } from './workers/worker-count.ts'

/** The options of `serve`, checked, and with their defaults. */
export interface ServeSettings {
  readonly hosts: Hosts | undefined
  readonly onError: ServeOptions['onError'] | undefined
  readonly fallback: FallbackHandler | undefined
  readonly host: string
  readonly port: number
  readonly limits: ServerLimits
  readonly addressOf: ClientAddress
  /** What becomes of the traces of requests, such as lines of a log. */
  readonly traceSinks: readonly TraceSink[]
  readonly shutdownTimeoutMs: number
  readonly shutdownDelayMs: number
  /** How many processes serve; undefined for this one alone. */
  readonly workers: number | undefined
  readonly workerStartTimeoutMs: number
  /** Undefined where the checks are off. */
  readonly health: HealthSettings | undefined
  /** Undefined where there are no metrics to read. */
  readonly metricsPath: string | undefined
  readonly serverTiming: boolean
  /** Undefined where no request is refused because of overload. */
  readonly overload: Required<OverloadOptions> | undefined
}

/** @throws RegistrationError for all that is wrong with services and options, at once */
export function resolveServe(services: readonly Service[], options: ServeOptions): ServeSettings {
  const faults = new RegistrationFaults()
  faults.attempt(() => checkOptions('serve()', options, serveOptions))
  const given = Object(options) as ServeOptions
  const limits = faults.attempt(() => resolveServerLimits(given.limits))
  const health = faults.attempt(() => resolveHealth(given.health))
  const metrics = faults.attempt(() => resolveMetrics(given.metrics))
  const overload = faults.attempt(() => resolveOverload(given.overload))
  const addressOf = faults.attempt(() => clientAddress(given.trustProxy, 'serve()'))
  const sinks = faults.attempt(() => traceSinks(given, 'serve()'))
  const workers = faults.attempt(() => countOfWorkers(given.workers))
  faults.attempt(() => checkHosts(given.hosts, 'serve()'))
  const ownPaths = [...healthPathsOf(health), ...metricsPathsOf(metrics)]
  faults.attempt(() => refuseEqualOwnPaths(ownPaths))
  faults.attempt(() => checkServices(services, 'serve()', ownPaths))
  if (workers !== undefined) faults.attempt(() => checkWorkers(services, health, metrics))
  faults.throwAll()
  return {
    hosts: given.hosts,
    onError: given.onError,
    fallback: given.fallback,
    host: given.host ?? '127.0.0.1',
    port: given.port ?? 0,
    limits: limits as ServerLimits,
    addressOf: addressOf as ClientAddress,
    traceSinks: sinks as readonly TraceSink[],
    shutdownTimeoutMs: given.shutdownTimeoutMs ?? 10_000,
    shutdownDelayMs: given.shutdownDelayMs ?? 0,
    workers,
    workerStartTimeoutMs: given.workerStartTimeoutMs ?? 600_000,
    health,
    metricsPath: metrics,
    serverTiming: given.serverTiming === true,
    overload,
  }
}
