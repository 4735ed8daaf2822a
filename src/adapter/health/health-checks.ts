import type { ApiRequest } from '../../http/api-request.ts'
import { type ApiResponse, respond } from '../../http/api-response.ts'
import { refusedMethod } from '../../http/route-problems.ts'
import { type ErrorReporter, errorReporter } from '../error-reporter.ts'
import { toProblemResponse } from '../problem-response.ts'
import type { Service } from '../service.ts'
import { type DependencyCheck, type DependencyState, dependencyCheck } from './dependency-check.ts'
import type { HealthSettings } from './health-options.ts'

/** How long the result of the last checks holds: probes of several hosts may ask all the time. */
const cacheMs = 1_000

/** Where a server stands between its start and its end. */
export type ServerPhase = 'starting' | 'open' | 'draining'

/** Responds to health checks, beside the services of a server. */
export class HealthChecks implements Service {
  readonly basePath: string
  readonly paths: readonly string[]
  /** Set by the server. */
  phase: ServerPhase = 'starting'
  readonly #readyPath: string
  readonly #checks: readonly DependencyCheck[]
  #latest: { readonly states: Promise<readonly DependencyState[]>; untilMs: number } | undefined

  constructor(health: HealthSettings, services: readonly Service[], report: ErrorReporter) {
    this.basePath = health.livePath
    this.paths = [health.livePath, health.readyPath]
    this.#readyPath = health.readyPath
    this.#checks = services.flatMap((service) =>
      (service.dependencies ?? []).map((dependency) =>
        dependencyCheck(service, dependency, health.timeoutMs, reportOf(service, report)),
      ),
    )
  }

  async respond({ method, path }: ApiRequest): Promise<ApiResponse> {
    if (method !== 'GET' && method !== 'HEAD')
      return toProblemResponse(refusedMethod(method, ['GET', 'HEAD']), () => undefined)
    if (path !== this.#readyPath) return healthResponse(200, { status: 'live' })
    if (this.phase !== 'open') return healthResponse(503, { status: this.phase })
    const checks = await this.#states()
    return areReady(checks)
      ? healthResponse(200, { status: 'ready', checks })
      : healthResponse(503, { status: 'unavailable', checks })
  }

  /** Requests at the same time share one check, and so do those of the next second. */
  #states(): Promise<readonly DependencyState[]> {
    if (this.#latest && performance.now() < this.#latest.untilMs) return this.#latest.states
    const states = Promise.all(this.#checks.map((check) => check()))
    const latest = { states, untilMs: Number.POSITIVE_INFINITY }
    this.#latest = latest
    const expire = () => {
      latest.untilMs = performance.now() + cacheMs
    }
    states.then(expire, expire)
    return states
  }
}

/** A service whose own `onError` throws does not end the process. */
function reportOf(service: Service, report: ErrorReporter): ErrorReporter {
  return service.onError ? errorReporter((error) => service.onError?.(error)) : report
}

/** Of a group, such as the stores of a router, one is enough. */
function areReady(checks: readonly DependencyState[]): boolean {
  return checks.every(
    ({ service, group, state }) =>
      state === 'ready' ||
      (group !== undefined &&
        checks.some(
          (other) => other.service === service && other.group === group && other.state === 'ready',
        )),
  )
}

/** What a readiness probe reads is the status; the rest is for people. */
interface HealthReport {
  readonly status: 'live' | 'ready' | 'unavailable' | Exclude<ServerPhase, 'open'>
  readonly checks?: readonly DependencyState[]
}

function healthResponse(status: 200 | 503, body: HealthReport): ApiResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return respond(status, headers, `${JSON.stringify(body, undefined, 2)}\n`)
}
