import type { Authenticate, CredentialFacts } from '../authentication/authenticate.ts'
import { memoizeBy } from '../cache/memoize-by.ts'
import { isPromise } from '../concurrency/is-promise.ts'
import { ApiError } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isSafe } from '../http/safe-method.ts'
import type { RefusalLimit } from '../middleware/client-limit.ts'
import { encodeError } from './encode-error.ts'
import type { KnownCallerHandler } from './known-caller.ts'
import { type PipelineParts, pipeline } from './pipeline.ts'
import { limitedRouter } from './refused-requests.ts'

/** A router, as groups of callers see it. */
export interface CallerVariants<Variant> {
  readonly whole: Variant
  readonly isSingle: boolean
  of(caller: unknown): Variant
}

/**
 * Handles each request with the variant of its caller. Where there are several, the caller is known
 * before the request is routed: a path of a field does not exist for those who may not see it. A
 * credential leads to what it leads to where all callers see the same: 401 for one that is refused
 * at the paths of rules, as far as anonymous callers see them; it is not looked up at others.
 * @param limits take points of requests without a rule
 */
export function variantPipeline<Variant extends object>(
  variants: CallerVariants<Variant>,
  partsOf: (variant: Variant) => PipelineParts,
  authenticate: Authenticate | undefined,
  limits: readonly RefusalLimit[],
): (request: ApiRequest) => Promise<ApiResponse> {
  const knownParts = memoizeBy(partsOf)
  const limitedParts = memoizeBy((variant: Variant) => withLimits(knownParts(variant), limits))
  if (variants.isSingle || !authenticate)
    return pipeline(limitedParts(variants.whole), authenticate)
  const handlerOf = memoizeBy((variant: Variant) => pipeline(limitedParts(variant), undefined))
  const whole = knownParts(variants.whole)
  const anonymous = { caller: undefined }
  return async (request) => {
    let caller: unknown
    const facts: CredentialFacts = {}
    try {
      if (!isForCaller(request, whole, () => knownParts(variants.of(undefined))))
        return await handlerOf(variants.of(undefined))(request, anonymous)
      const found = authenticate(request, facts)
      caller = isPromise(found) ? await found : found
    } catch (error) {
      const refuse = () => {
        throw error
      }
      return pipeline(limitedParts(variants.of(undefined)), refuse)(request)
    }
    try {
      return await handlerOf(variants.of(caller))(request, { caller, ...facts })
    } catch (error) {
      return encodeError(error, whole.serializer, undefined, whole.services, request.trace)
    }
  }
}

/** Handles requests whose callers are known, each with the variant of its caller. */
export function knownCallerPipeline<Variant extends object>(
  variants: CallerVariants<Variant>,
  partsOf: (variant: Variant) => PipelineParts,
  limits: readonly RefusalLimit[],
): KnownCallerHandler {
  const handlerOf = memoizeBy((variant: Variant) =>
    pipeline(withLimits(partsOf(variant), limits), undefined),
  )
  return (request, known) => handlerOf(variants.of(known.caller))(request, known)
}

/** The parts, where requests without a rule take points. */
export function withLimits(parts: PipelineParts, limits: readonly RefusalLimit[]): PipelineParts {
  return { ...parts, router: limitedRouter(parts.router, limits) }
}

/** Can the response depend on the caller? Where it cannot, a credential is not looked up. */
function isForCaller(
  request: ApiRequest,
  { router, services }: PipelineParts,
  ofAnonymous: () => PipelineParts,
): boolean {
  const route = routeOrStatus(router, request)
  if (typeof route === 'number') return route !== routeOrStatus(ofAnonymous().router, request)
  switch (route.kind) {
    case 'response':
      return false
    case 'page':
      return route.page.audience !== 'everyone'
    case 'endpoint':
      return isSafe(route.endpoint.rule) || !isRefused(services, request)
  }
}

/** The route, or the status of the error that the router responds with. */
export function routeOrStatus(
  router: PipelineParts['router'],
  request: ApiRequest,
): ReturnType<PipelineParts['router']['route']> | number {
  try {
    return router.route(request)
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
}

export function isRefused(
  { refuseCrossSite }: PipelineParts['services'],
  request: ApiRequest,
): boolean {
  try {
    refuseCrossSite(request)
    return false
  } catch {
    return true
  }
}
