import { watchWaiter } from './watch-waiter.ts'
import { throwIfAborted, type Waiter } from './yield-to-event-loop.ts'

/** How long to wait for something. */
export interface WaitOptions {
  /** Without limit, if it is not set. */
  readonly timeoutMs?: number
  /** Makes the error that is thrown after the timeout. */
  timeoutError?(): Error
  /** Who waits. Waiting ends when the signal is aborted. */
  readonly waiter?: Waiter | undefined
}

/**
 * Settles as the promise does.
 * @throws the timeout error; the reason of the signal
 */
export function withTimeout<T>(
  promise: Promise<T>,
  { timeoutMs, timeoutError, waiter }: WaitOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    throwIfAborted(waiter)
    const stopWatching = watchWaiter(waiter, timeoutMs, {
      onTimeout: () => reject(timeoutError?.()),
      onAbort: reject,
    })
    promise.then(resolve, reject).finally(stopWatching)
  })
}
