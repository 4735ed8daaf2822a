import { setTimeout as wait } from 'node:timers/promises'

/** Waits, or until the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * The pause after so many failures: it doubles each time, and up to a half of it is left out, so
 * that what failed together is not repeated together.
 */
export function growingPause(failures: number, firstMs: number, maxMs: number): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 40), maxMs)
  return whole * (1 - Math.random() / 2)
}
