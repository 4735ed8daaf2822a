import type { Authenticate, CredentialFacts } from '../authentication/authenticate.ts'
import { memoizeBy } from '../cache/memoize-by.ts'
import { isPromise } from '../concurrency/is-promise.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { isSafe } from '../http/safe-method.ts'
import type { RefusalLimit } from '../middleware/client-limit.ts'
import { encodeError } from './encode-error.ts'
import type { HandlerOfCaller } from './known-caller.ts'
import { type PipelineParts, pipeline } from './pipeline.ts'
import {
  type CallerVariants,
  isRefused,
  routeOrStatus,
  variantPipeline,
  withLimits,
} from './variant-pipeline.ts'

/**
 * Passes each request of a rule on to the store of its caller. All others, such as those for pages,
 * and those that are refused before their caller is known, need no store.
 */
export function storePipeline<Variant extends object>(
  variants: CallerVariants<Variant>,
  partsOf: (variant: Variant) => PipelineParts,
  authenticate: Authenticate | undefined,
  limits: readonly RefusalLimit[],
  handlerOf: HandlerOfCaller,
): (request: ApiRequest) => Promise<ApiResponse> {
  const knownParts = memoizeBy(partsOf)
  const handleWithoutStore = variantPipeline(variants, knownParts, authenticate, limits)
  const whole = knownParts(variants.whole)
  return async (request) => {
    if (!needsStore(whole, request)) return handleWithoutStore(request)
    const { trace } = request
    const facts: CredentialFacts = {}
    let caller: unknown
    try {
      trace?.enter('authenticate')
      const result = authenticate?.(request, facts)
      caller = isPromise(result) ? await result : result
      if (trace) trace.caller = caller
      return await handlerOf(caller)(request, { caller, ...facts })
    } catch (error) {
      return respondWith(error, request, () => withLimits(knownParts(variants.of(caller)), limits))
    }
  }

  /** The stage that finds the caller fails, so that the error has the form of its rule. */
  async function respondWith(
    error: unknown,
    request: ApiRequest,
    pipelineParts: () => PipelineParts,
  ): Promise<ApiResponse> {
    try {
      return await pipeline(pipelineParts(), () => {
        throw error
      })(request)
    } catch (unexpected) {
      return encodeError(unexpected, whole.serializer, undefined, whole.services, request.trace)
    }
  }
}

function needsStore({ router, services }: PipelineParts, request: ApiRequest): boolean {
  const route = routeOrStatus(router, request)
  if (typeof route === 'number' || route.kind !== 'endpoint') return false
  return isSafe(route.endpoint.rule) || !isRefused(services, request)
}
