/** How long to wait for something. */
export interface WaitOptions {
  /** Without limit, if it is not set. */
  readonly timeoutMs?: number
  /** Makes the error that is thrown after the timeout. */
  timeoutError?(): Error
  /** Aborts waiting. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Settles as the promise does.
 * @throws the timeout error; the reason of the signal
 */
export function withTimeout<T>(
  promise: Promise<T>,
  { timeoutMs, timeoutError, signal }: WaitOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => settle(() => reject(timeoutError?.())), timeoutMs).unref()
    signal?.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )

    function onAbort(): void {
      settle(() => reject(signal?.reason))
    }

    function settle(settlePromise: () => void): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      settlePromise()
    }
  })
}
