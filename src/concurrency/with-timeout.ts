/** How long something is waited for. */
export interface WaitOptions {
  /** For ever, unless given. */
  readonly timeoutMs?: number
  /** What is thrown where it takes longer. */
  timeoutError?(): Error
  /** Where it is aborted, nobody waits any more. */
  readonly signal?: AbortSignal
}

/** Settles as the promise does, or throws where it takes too long, or the reason of the signal. */
export function withTimeout<T>(
  promise: Promise<T>,
  { timeoutMs, timeoutError, signal }: WaitOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const alarm =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => settle(() => reject(timeoutError?.())), timeoutMs).unref()
    signal?.addEventListener('abort', leave, { once: true })
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )

    function leave(): void {
      settle(() => reject(signal?.reason))
    }

    function settle(end: () => void): void {
      clearTimeout(alarm)
      signal?.removeEventListener('abort', leave)
      end()
    }
  })
}
