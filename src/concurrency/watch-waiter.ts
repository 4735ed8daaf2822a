import type { Waiter } from './yield-to-event-loop.ts'

/** Most waits are shorter: those do not read the signal, which may create it. */
const quickWaitMs = 100

export interface WaitCallbacks {
  onTimeout(): void
  onAbort(reason: unknown): void
}

/**
 * Limits a wait, also by the signal of whoever waits.
 *
 * ```ts
 * const stop = watchWaiter(caller, 5_000, { onTimeout, onAbort })
 * ```
 *
 * @param timeoutMs undefined for no limit
 * @returns ends the watch; call it when the wait is over
 */
export function watchWaiter(
  waiter: Waiter | undefined,
  timeoutMs: number | undefined,
  { onTimeout, onAbort }: WaitCallbacks,
): () => void {
  let signal: AbortSignal | undefined
  let timeout: NodeJS.Timeout | undefined
  let quickWait: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(timeout)
    clearTimeout(quickWait)
    signal?.removeEventListener('abort', abort)
  }
  const abort = (): void => {
    stop()
    onAbort(signal?.reason)
  }
  const watchSignal = (): void => {
    signal = waiter?.signal
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  }
  const endWait = (): void => {
    stop()
    onTimeout()
  }
  if (timeoutMs !== undefined) timeout = setTimeout(endWait, timeoutMs).unref()
  // A signal that exists is read at once.
  if (waiter?.isAborted === undefined) watchSignal()
  else quickWait = setTimeout(watchSignal, quickWaitMs).unref()
  return stop
}
