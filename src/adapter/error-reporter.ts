/** Reports an error whose details the client must not see. */
export type ErrorReporter<Details extends readonly unknown[] = [], Reported = unknown> = (
  error: Reported,
  ...details: Details
) => void

/**
 * Reports to `onError`, or to standard error. If `onError` throws or rejects, both errors go to
 * standard error, so that the server keeps running.
 */
export function errorReporter<Details extends readonly unknown[] = [], Reported = unknown>(
  onError: (error: Reported, ...details: Details) => unknown = printError,
): ErrorReporter<Details, Reported> {
  return (error, ...details) => {
    const printBoth = (reporterError: unknown): void => console.error(error, reporterError)
    try {
      Promise.resolve(onError(error, ...details)).catch(printBoth)
    } catch (reporterError) {
      printBoth(reporterError)
    }
  }
}

function printError(error: unknown, ..._: readonly unknown[]): void {
  console.error(error)
}
