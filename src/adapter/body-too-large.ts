import { type ApiError, createApiError } from '../error/api-error.ts'

/** The error for a body that is larger than the limit of the operation. */
export function bodyTooLarge(limit: number): ApiError {
  return createApiError('body-too-large', `The body must have at most ${limit} bytes.`, undefined, {
    meta: { limit },
  })
}
