import { ApiError } from '../error/api-error.ts'
import type { Context } from './context.ts'

/** Whether the work stopped because the client disconnected. That is no error to report. */
export function isClientAbort(error: unknown, context: Context | undefined): boolean {
  return (
    context !== undefined &&
    !(error instanceof ApiError) &&
    context.signal.aborted &&
    error === context.signal.reason
  )
}
