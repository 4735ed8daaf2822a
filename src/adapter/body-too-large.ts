import { type ApiError, createApiError } from '../error/api-error.ts'

/** The refusal of a body, declared or found to be larger than the operation takes. */
export function bodyTooLarge(limit: number): ApiError {
  return createApiError('body-too-large', `The body may have at most ${limit} bytes.`, undefined, {
    meta: { limit },
  })
}
