import { type ApiError, createApiError } from './api-error.ts'
import type { ErrorCode } from './catalog.ts'

/**
 * A refusal of what may be asked for again in a moment: it says so in `Retry-After`. @param
 * afterSeconds 1 unless given
 */
export function temporaryRefusal(code: ErrorCode, detail: string, afterSeconds = 1): ApiError {
  return createApiError(code, detail, undefined, {
    headers: { 'retry-after': String(afterSeconds) },
  })
}
