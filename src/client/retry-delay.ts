/** A service that wants to be left alone for longer has the last word. */
const maxDelayMs = 30_000

/**
 * How long to wait before a request is sent again; undefined if it should not be.
 * @param attempt the number of attempts so far
 * @param retryAfter the header of the response: seconds, or a date
 */
export function retryDelayMs(attempt: number, retryAfter?: string | null): number | undefined {
  // Clients that failed together come back one by one.
  const jitterMs = Math.random() * 250 * 2 ** attempt
  if (!retryAfter) return Math.min(jitterMs, maxDelayMs)
  const seconds = Number(retryAfter)
  const afterMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000
  return afterMs <= maxDelayMs ? Math.max(afterMs, 0) + jitterMs : undefined
}

/** @throws the reason of the signal once it is aborted */
export async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
