/** Tells of a fault that the client must not see. */
export type ErrorReporter<Details extends readonly unknown[] = []> = (
  error: unknown,
  ...details: Details
) => void

/**
 * Standard error, unless the host has a better place. A place that fails itself, at once or later,
 * must not take the server with it: what it was told of goes to standard error then.
 */
export function errorReporter<Details extends readonly unknown[] = []>(
  onError: (error: unknown, ...details: Details) => unknown = printError,
): ErrorReporter<Details> {
  return (error, ...details) => {
    const failed = (another: unknown): void => console.error(error, another)
    try {
      Promise.resolve(onError(error, ...details)).catch(failed)
    } catch (another) {
      failed(another)
    }
  }
}

function printError(error: unknown, ..._: readonly unknown[]): void {
  console.error(error)
}
