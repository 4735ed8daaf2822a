import { type ApiError, createApiError } from '../error/api-error.ts'

/** The error for a client that leaves before it has sent its whole body. */
export function connectionLost(): ApiError {
  return createApiError('malformed-request', 'The connection closed before the end of the body.')
}
