import { growingPause, pause } from '../concurrency/pause.ts'
import { StoreClosed } from '../store/store-failures.ts'

/** The pauses after errors of the store, in milliseconds. */
const firstPauseMs = 500
const maxPauseMs = 30_000

/**
 * Does the work again and again until the signal is aborted or the store is closed, with growing
 * pauses after errors.
 */
export async function repeatUntilClosed(
  closing: AbortSignal,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  let failures = 0
  while (!closing.aborted) {
    try {
      await work()
      failures = 0
    } catch (error) {
      if (error instanceof StoreClosed) return
      failures++
      onError(error)
      await pause(growingPause(failures, firstPauseMs, maxPauseMs), closing)
    }
  }
}
