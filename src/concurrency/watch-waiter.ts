import type { Waiter } from './yield-to-event-loop.ts'

/** Most waits are shorter: those do not read the signal, which creates it. */
const quickWaitMs = 100

export interface WaitEnds {
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
 * @returns ends the watch; call it when the wait is over
 */
export function watchWaiter(
  waiter: Waiter | undefined,
  timeoutMs: number,
  { onTimeout, onAbort }: WaitEnds,
): () => void {
  let signal: AbortSignal | undefined
  const abort = (): void => onAbort(signal?.reason)
  const watchSignal = (): void => {
    timer = setTimeout(onTimeout, timeoutMs - quickWaitMs)
    signal = waiter?.signal
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  }
  let timer =
    timeoutMs > quickWaitMs
      ? setTimeout(watchSignal, quickWaitMs)
      : setTimeout(onTimeout, timeoutMs)
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
