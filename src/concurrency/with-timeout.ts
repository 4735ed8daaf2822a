import { watchWaiter } from './watch-waiter.ts'
import type { Waiter } from './yield-to-event-loop.ts'

/** How long to wait for something. */
export interface WaitOptions {
  /** Without limit, if it is not set. */
  readonly timeoutMs?: number
  /** Makes the error that is thrown after the timeout. */
  timeoutError?(): Error
  /** Aborts waiting. */
  readonly signal?: AbortSignal | undefined
}

/** The same for somebody whose signal is read late, so that a short wait does not create it. */
export interface WaiterOptions extends Required<Omit<WaitOptions, 'signal'>> {
  readonly waiter: Waiter | undefined
}

/**
 * Settles as the promise does.
 * @throws the timeout error; the reason of the signal
 */
export function withTimeout<T>(
  promise: Promise<T>,
  options: WaitOptions | WaiterOptions,
): Promise<T> {
  return 'waiter' in options ? withWaiter(promise, options) : withSignal(promise, options)
}

function withWaiter<T>(
  promise: Promise<T>,
  { timeoutMs, timeoutError, waiter }: WaiterOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopWatching = watchWaiter(waiter, timeoutMs, {
      onTimeout: () => reject(timeoutError()),
      onAbort: reject,
    })
    promise.then(resolve, reject).finally(stopWatching)
  })
}

function withSignal<T>(
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
