import type { ErrorReporter } from '../adapter/error-reporter.ts'
import { OutdatedProcess } from '../store/store-failures.ts'

/** An outdated process fails each request, for the same reason. */
const intervalMs = 60_000

/** Reports at most once a minute that the process is outdated, and every other error. */
export function reportOutdatedProcess<Details extends readonly unknown[]>(
  report: ErrorReporter<Details>,
): ErrorReporter<Details> {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (error, ...details) => {
    if (isOutdated(error)) {
      const now = performance.now()
      if (now - reportedAt < intervalMs) return
      reportedAt = now
    }
    report(error, ...details)
  }
}

/** Work beside requests reports it as the cause of what cannot go on. */
function isOutdated(error: unknown): boolean {
  return error instanceof OutdatedProcess || (error instanceof Error && isOutdated(error.cause))
}
