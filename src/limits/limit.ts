// The public names of `resourcery/limits`.
import { callerOrAddress } from '../context/caller-or-address.ts'
import type { Context } from '../context/context.ts'
import { joinHeaderValues } from '../http/headers/response-headers.ts'
import { ServiceRequest } from '../http/service-request.ts'
import { withClientLimit } from '../middleware/client-limit.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { checkOptions, type OptionChecks, wholeNumber } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { stateKey } from '../state/state.ts'
import { ConcurrentRequests } from './concurrent-requests.ts'
import { limitHeaders } from './limit-headers.ts'
import type { FailureHandling } from './limiter-failures.ts'
import { defaultMaxKeys, memoryLimiter } from './memory-limiter.ts'
import { pointsOf, Quota } from './quota.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { RefusedRequests } from './refused-requests.ts'
import { defaultCost, type RequestSize, requestSize } from './request-cost.ts'
import type { RequestCounter } from './request-counter.ts'

export type { RateLimiter, RateLimiterResult } from './rate-limiter.ts'
export { defaultCost, type RequestSize } from './request-cost.ts'
export type { RequestCounter } from './request-counter.ts'

/** What a limit knows of a request, also of one to a route of one's own. */
export type LimitedSender = Pick<Context, 'request' | 'caller' | 'client'>

export interface LimitOptions {
  /** The points of a client in each period. Default: those of `limiter`. */
  readonly points?: number
  /** The period, in seconds; required with `points`. Default: that of `limiter`. */
  readonly seconds?: number
  /**
   * Who has the points; undefined for requests that are not limited. Default: the `id` of
   * `context.caller`, or the address of an anonymous client (`request.address`). Behind a proxy,
   * set `trustProxy` of the server: without it all clients have the address of the proxy. Required
   * where callers have no `id`, and more than one member.
   */
  readonly by?: (sender: LimitedSender) => string | undefined
  /** The points of a request; one of 0 points is not limited. Default: `defaultCost`. */
  readonly cost?: (size: RequestSize, context: Context) => number
  /** How many requests of a client may be under way. Default: any number. */
  readonly concurrent?: number
  /** Counts them for all processes. Default: each process counts its own, in memory. */
  readonly requestCounter?: RequestCounter
  /**
   * A limiter of rate-limiter-flexible, for example one that counts in Redis for all processes.
   * Default: one in the memory of the process.
   */
  readonly limiter?: RateLimiter
  /**
   * Requests that are refused before they have a rule or a caller: a wrong credential, or an
   * unknown path or method. `count` lets both take points of their address, apart from each other
   * and from those of its other requests. While none is left for credentials, those from there are
   * refused with 429 before they are looked up. For the middleware of a router, not of one model.
   * Default: `count`.
   */
  readonly refused?: 'count' | 'ignore'
  /**
   * The name of the limit in the headers, unlike those of other limits of the same requests.
   * Default: `default`.
   */
  readonly name?: string
  /**
   * What happens while the limiter or the counter fails: `allow` lets requests pass, `refuse`
   * responds with 503. Default: `allow`.
   */
  readonly onFailure?: 'allow' | 'refuse'
  /** Called with the errors of both. Default: a warning of the process, once a minute. */
  readonly onError?: (error: unknown) => void
  /**
   * How many clients the limiter in memory tells apart. Beyond that, new ones share points.
   * Default: 100 000.
   */
  readonly maxKeys?: number
}

const limitOptions: OptionChecks<LimitOptions> = {
  points: wholeNumber(1),
  seconds: wholeNumber(1, 2_147_483),
  by: 'function',
  cost: 'function',
  concurrent: wholeNumber(1),
  requestCounter: true,
  limiter: true,
  refused: ['count', 'ignore'],
  name: true,
  onFailure: ['allow', 'refuse'],
  onError: 'function',
  maxKeys: wholeNumber(1),
}

/**
 * Middleware that limits how much a client may ask for in a period, and how many requests it may
 * have under way. Refuses with 429 and `Retry-After`; responses have `RateLimit-Policy` and
 * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). Needs the package `rate-limiter-flexible`.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), store: memory() })
 * router.use(limit({ points: 100, seconds: 60, concurrent: 5 }))
 * ```
 *
 * @throws RegistrationError for an unknown, missing or invalid option
 */
export function limit(options: LimitOptions): Middleware {
  checkOptions('limit()', options, limitOptions)
  const { cost = defaultCost, concurrent, name = 'default' } = options
  if (typeof name !== 'string' || !/^[ !#-[\]-~]{1,64}$/.test(name))
    throw new RegistrationError(
      "The option 'name' of limit() must have 1 to 64 ASCII characters, without quotes and backslashes.",
    )
  const { onFailure = 'allow', onError = warnSometimes() } = options
  const failures: FailureHandling = { onFailure, onError }
  const limiter = limiterOf(options)
  const quota = limiter && new Quota(name, limiter, failures)
  checkCounter(options)
  const underWay =
    concurrent === undefined
      ? undefined
      : new ConcurrentRequests(concurrent, failures, options.requestCounter)
  if (!quota && !underWay)
    throw new RegistrationError(
      "limit() needs 'points' and 'seconds', a 'limiter' or 'concurrent'.",
    )
  const by = clientKey(options.by ?? callerOrAddress)
  const isCounted = stateKey<true>(`limit:${name}`)
  /** @throws ApiError `too-many-requests`, with what is left in the headers of the response */
  const take = async (context: Context, key: string, points: number) => {
    const result = await quota!.take(key, points)
    if (!result) return
    const headers = quota!.withHeaders(context.headers, result)
    for (const header of limitHeaders) context.setHeader(header, joinHeaderValues(headers[header]!))
    if (result.isExceeded) throw quota!.exceeded(result)
  }
  const middleware: Middleware = {
    around: async (context, next) => {
      context.state.set(isCounted, true)
      if (context.request instanceof ServiceRequest) return next()
      const key = by(context)
      if (key === undefined) return next()
      const points = quota && pointsOf(cost(requestSize(context), context), quota.points)
      if (points) await take(context, key, points)
      return underWay ? underWay.run(key, next) : next()
    },
    request: {
      // Operations of a batch, and reads through another model, pass no hook around a request.
      any: async (context) => {
        if (!quota || context.state.has(isCounted)) return
        context.state.set(isCounted, true)
        const key = by(context)
        if (key !== undefined) await take(context, key, 1)
      },
    },
    declares: {
      errors: ['too-many-requests', 'overloaded'],
      headers: quota ? headerTexts : {},
    },
  }
  return withClientLimit(middleware, {
    name: quota && name,
    isByCaller: options.by === undefined,
    refusals:
      quota && options.refused !== 'ignore'
        ? new RefusedRequests(quota, options.maxKeys ?? defaultMaxKeys)
        : undefined,
    ofRoute: async (sender, next) => {
      const key = by(sender)
      if (key === undefined) return next()
      const result = await quota?.take(key, 1)
      if (quota && result?.isExceeded) throw quota.exceeded(result, quota.withHeaders({}, result))
      const response = await (underWay ? underWay.run(key, next) : next())
      return quota && result
        ? { ...response, headers: quota.withHeaders(response.headers, result) }
        : response
    },
    // Known when the body is read, which is after `around`.
    relatedIds:
      quota &&
      (async (context, relatedIds) => {
        const key = by(context)
        if (key === undefined) return
        const size = requestSize(context)
        const before = pointsOf(cost(size, context), quota.points)
        const points = pointsOf(cost({ ...size, relatedIds }, context), quota.points) - before
        if (before > 0 && points > 0) await take(context, key, points)
      }),
  })
}

/** Refused requests have keys of other kinds, so what a request says must not name one of them. */
function clientKey(by: NonNullable<LimitOptions['by']>): NonNullable<LimitOptions['by']> {
  return (sender) => {
    const key = by(sender)
    return key === undefined ? undefined : `client:${key}`
  }
}

const headerTexts = Object.freeze({
  'RateLimit-Policy':
    'The limits of the client: points (`q`) in a period of seconds (`w`) (draft-ietf-httpapi-ratelimit-headers).',
  RateLimit: 'The points that are left (`r`), and the seconds until they come back (`t`).',
})

/** @throws RegistrationError */
function checkCounter({ concurrent, requestCounter }: LimitOptions): void {
  if (requestCounter === undefined) return
  if (concurrent === undefined)
    throw new RegistrationError(
      "limit() has 'requestCounter' without 'concurrent', which it counts.",
    )
  if (typeof requestCounter?.begin !== 'function' || typeof requestCounter.end !== 'function')
    throw new RegistrationError(
      "The option 'requestCounter' of limit() must be an object with the methods 'begin' and 'end'.",
    )
}

function limiterOf({
  limiter,
  points,
  seconds,
  maxKeys = defaultMaxKeys,
}: LimitOptions): RateLimiter | undefined {
  const hasPoints = points !== undefined || seconds !== undefined
  if (limiter) {
    if (hasPoints)
      throw new RegistrationError(
        "limit() has 'limiter' and 'points' or 'seconds'; the limiter has its own.",
      )
    if (typeof limiter.consume !== 'function' || !(limiter.points >= 1) || !(limiter.duration >= 1))
      throw new RegistrationError(
        "The option 'limiter' of limit() must be a limiter of rate-limiter-flexible, with points and a duration of at least 1.",
      )
    return limiter
  }
  if (!hasPoints) return undefined
  if (points === undefined || seconds === undefined)
    throw new RegistrationError("limit() needs both 'points' and 'seconds'.")
  return memoryLimiter(points, seconds, maxKeys)
}

function warnSometimes(): (error: unknown) => void {
  let nextAtMs = 0
  return (error) => {
    const nowMs = Date.now()
    if (nowMs < nextAtMs) return
    nextAtMs = nowMs + 60_000
    const reason = error instanceof Error ? error.message : String(error)
    process.emitWarning(`A limiter of requests fails: ${reason}`, { code: 'RESOURCERY_LIMITER' })
  }
}
