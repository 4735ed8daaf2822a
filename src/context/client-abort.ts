import { ApiError } from '../error/api-error.ts'
import type { Context } from './context.ts'

/**
 * Was the work given up because the client left? Nothing went wrong then that anybody would have to
 * hear of.
 */
export function isClientAbort(error: unknown, context: Context | undefined): boolean {
  return (
    context !== undefined &&
    !(error instanceof ApiError) &&
    context.signal.aborted &&
    error === context.signal.reason
  )
}
