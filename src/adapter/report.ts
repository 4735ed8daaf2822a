/** Tells of a fault that the client must not see. */
export type Report<Details extends readonly unknown[] = []> = (error: unknown, ...details: Details) => void

/**
 * Standard error, unless the host has a better place. A place that fails itself, at once or later, must not take the server
 * with it: what it was told of goes to standard error then.
 */
export function reporter<Details extends readonly unknown[] = []>(
  onError: (error: unknown, ...details: Details) => unknown = printed,
): Report<Details> {
  return (error, ...details) => {
    const failed = (another: unknown): void => console.error(error, another)
    try {
      Promise.resolve(onError(error, ...details)).catch(failed)
    } catch (another) {
      failed(another)
    }
  }
}

function printed(error: unknown, ..._: readonly unknown[]): void {
  console.error(error)
}
