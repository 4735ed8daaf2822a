import { type ApiError, createApiError } from './api-error.ts'
import type { ErrorCode } from './catalog.ts'

/** Creates an error with `Retry-After`, for requests that may succeed soon. */
export function temporaryRefusal(code: ErrorCode, detail: string, afterSeconds = 1): ApiError {
  return createApiError(code, detail, undefined, {
    headers: { 'retry-after': String(afterSeconds) },
  })
}
