import {
  milliseconds,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
} from '../model/check-options.ts'
import type { TrustProxy } from './client-address.ts'
import type { HealthOptions } from './health/health-options.ts'
import type { Hosts } from './host-check.ts'
import type { RequestLog } from './log/log-options.ts'
import type { MetricsOptions } from './metrics/metrics-options.ts'
import type { FallbackHandler } from './node-handler.ts'
import type { ServerLimits } from './node-limits.ts'
import type { OverloadOptions } from './overload/overload-options.ts'

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
   * Logs each request that is HTTP, with the template of its path, status, bytes and time, and
   * sends `X-Request-Id`. Default: none.
   *
   * ```ts
   * await serve(router, { log: true }) // {"time":"…","method":"GET","route":"/api/books/{id}",…}
   * ```
   */
  readonly log?: RequestLog
  /**
   * Makes spans and metrics of requests, and of what stores and feeds do, with the package
   * `@opentelemetry/api`, and goes on with the trace of a `traceparent`. The program starts an SDK
   * before. Default: false.
   */
  readonly telemetry?: boolean
  /**
   * Responds with metrics of requests, stores and feeds in the text format of Prometheus, without a
   * package. Whoever can reach the path reads them. `true` for `/metrics`. Default: false.
   */
  readonly metrics?: boolean | MetricsOptions
  /**
   * Sends `Server-Timing` with each response: how long each stage took until its head, in
   * milliseconds (W3C Server Timing). It tells clients what the service does, so it is meant for
   * development. Default: false.
   */
  readonly serverTiming?: boolean
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
   * Time between the call of `close` and the time at which the port closes, in milliseconds:
   * `/readyz` is 503 meanwhile, and all other requests get their responses as before, until load
   * balancers stop sending requests. Default: 0.
   */
  readonly shutdownDelayMs?: number
  /**
   * How many processes serve on one port, from 1 to 1024. Each of them runs the module of the
   * program, and one that ends is replaced; `auto` starts one for each core. A process that is
   * asked to end is killed if it still runs `shutdownDelayMs` + `shutdownTimeoutMs` + 30 000 ms
   * later.
   * Default: none, so that the process of the program serves itself.
   */
  readonly workers?: number | 'auto'
  /**
   * How long a worker that replaces another one may take to become ready, in milliseconds, with the
   * migration of its store. After that it is killed, and a restart fails. The first start has no
   * limit. Default: 600 000.
   */
  readonly workerStartTimeoutMs?: number
  /** Health checks at `/livez` and `/readyz`. `false` turns them off. Default: on. */
  readonly health?: false | HealthOptions
  /**
   * Refuses requests with 503 `overloaded` while the process has more of them than it can answer
   * soon, lists before single items, and health checks never. `true` for the defaults. Default:
   * false, so that only full queues refuse.
   */
  readonly overload?: boolean | OverloadOptions
  /**
   * Called with unexpected errors outside of services, such as those of `fallback`, and of services
   * without their own `onError`. In a primary, called for each worker that has ended by itself, and
   * for each restart on SIGHUP that has failed. Default: standard error.
   */
  readonly onError?: (error: unknown) => void
  /**
   * Responds to paths of no service, for example with a start page; undefined means 404. Default:
   * leads browsers from `/` to the start page of a service, and is 404 for all other paths.
   */
  readonly fallback?: FallbackHandler
}

export const serveOptions: OptionChecks<ServeOptions> = {
  host: 'string',
  hosts: true,
  log: true,
  telemetry: 'boolean',
  metrics: true,
  serverTiming: 'boolean',
  trustProxy: true,
  port: wholeNumber(0, 65_535),
  limits: true,
  shutdownTimeoutMs: milliseconds,
  shutdownDelayMs: milliseconds,
  workers: true,
  workerStartTimeoutMs: positiveMilliseconds,
  health: true,
  overload: true,
  onError: 'function',
  fallback: 'function',
}
