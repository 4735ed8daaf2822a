import type { Authenticate } from '../authentication/authenticate.ts'
import { memoizeBy } from '../cache/memoize-by.ts'
import { isPromise } from '../concurrency/is-promise.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { encodeError } from './encode-error.ts'
import { type PipelineParts, pipeline } from './pipeline.ts'

/** A router, as groups of callers see it. */
export interface CallerVariants<Variant> {
  readonly whole: Variant
  readonly isSingle: boolean
  of(caller: unknown): Variant
}

/**
 * Handles each request with the variant of its caller. Where there are several, the caller is known
 * before the request is routed: a path of a field does not exist for those who may not see it. A
 * credential that is refused leads to what it leads to where all callers see the same: 401 at the
 * paths of rules, as far as anonymous callers see them, and nothing at others.
 */
export function variantPipeline<Variant extends object>(
  variants: CallerVariants<Variant>,
  partsOf: (variant: Variant) => PipelineParts,
  authenticate: Authenticate | undefined,
): (request: ApiRequest) => Promise<ApiResponse> {
  if (variants.isSingle || !authenticate) return pipeline(partsOf(variants.whole), authenticate)
  const knownParts = memoizeBy(partsOf)
  const handlerOf = memoizeBy((variant: Variant) => pipeline(knownParts(variant), undefined))
  const whole = knownParts(variants.whole)
  return async (request) => {
    let caller: unknown
    try {
      const found = authenticate(request)
      caller = isPromise(found) ? await found : found
    } catch (error) {
      const refuse = () => {
        throw error
      }
      return pipeline(knownParts(variants.of(undefined)), refuse)(request)
    }
    try {
      return await handlerOf(variants.of(caller))(request, { caller })
    } catch (error) {
      return encodeError(error, whole.serializer, undefined, whole.services)
    }
  }
}
