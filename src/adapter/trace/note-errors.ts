import type { RequestTrace } from '../../http/request-trace.ts'
import type { ErrorReporter } from '../error-reporter.ts'

/** After the head, an error ends the connection; the trace says that it was not the client. */
export function noteErrors(report: ErrorReporter, trace: RequestTrace): ErrorReporter {
  return (error) => {
    trace.fail('internal-error', error)
    report(error)
  }
}
