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
 * before the request is routed: a path of a field does not exist for those who may not see it.
 */
export function variantPipeline<Variant extends object>(
  variants: CallerVariants<Variant>,
  partsOf: (variant: Variant) => PipelineParts,
  authenticate: Authenticate | undefined,
): (request: ApiRequest) => Promise<ApiResponse> {
  const whole = partsOf(variants.whole)
  if (variants.isSingle || !authenticate) return pipeline(whole, authenticate)
  const handlerOf = memoizeBy((variant: Variant) =>
    pipeline(variant === variants.whole ? whole : partsOf(variant), undefined),
  )
  return async (request) => {
    try {
      const found = authenticate(request)
      const caller = isPromise(found) ? await found : found
      return await handlerOf(variants.of(caller))(request, { caller })
    } catch (error) {
      return encodeError(error, whole.serializer, undefined, whole.services)
    }
  }
}
