import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * More of the body (or its end) can be read, the client has left, the time is over, or the signal
 * is aborted.
 */
export type WaitResult = 'readable' | 'closed' | 'timeout' | 'aborted'

export function waitForData(
  req: IncomingMessage,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WaitResult> {
  if (req.destroyed) return Promise.resolve('closed')
  if (timeoutMs <= 0) return Promise.resolve('timeout')
  return new Promise((resolve) => {
    const timer = setTimeout(settle, timeoutMs, 'timeout')
    req.on('readable', onReadable).on('close', onClose)
    signal?.addEventListener('abort', onAbort)

    function settle(outcome: WaitResult): void {
      clearTimeout(timer)
      req.off('readable', onReadable).off('close', onClose)
      signal?.removeEventListener('abort', onAbort)
      resolve(outcome)
    }
    function onReadable(): void {
      settle('readable')
    }
    function onAbort(): void {
      settle('aborted')
    }
    function onClose(): void {
      settle(req.complete ? 'readable' : 'closed')
    }
  })
}

/**
 * Reads and discards the rest of a body. Resolves to true if all of it is read. If there is too
 * much, it waits for the timeout, because closing at once may lose a response that the client has
 * not read yet.
 */
export async function discardBody(
  req: IncomingMessage,
  maxBytes: number,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  let size = 0
  while (size <= maxBytes) {
    const chunk: Buffer | null = req.read()
    if (chunk !== null) size += chunk.length
    else if (req.complete) return true
    else if ((await waitForData(req, deadline - performance.now())) !== 'readable') return false
  }
  await sleep(Math.max(0, deadline - performance.now()))
  return false
}
