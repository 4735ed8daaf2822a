import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What became of waiting for a body: some or the last of it can be read, the client has left, or
 * the time is over.
 */
export type WaitResult = 'more' | 'gone' | 'late'

export function waitForData(req: IncomingMessage, timeoutMs: number): Promise<WaitResult> {
  if (req.destroyed) return Promise.resolve('gone')
  if (timeoutMs <= 0) return Promise.resolve('late')
  return new Promise((resolve) => {
    const timer = setTimeout(settle, timeoutMs, 'late')
    req.on('readable', onReadable).on('close', onClose)

    function settle(outcome: WaitResult): void {
      clearTimeout(timer)
      req.off('readable', onReadable).off('close', onClose)
      resolve(outcome)
    }
    function onReadable(): void {
      settle('more')
    }
    function onClose(): void {
      settle(req.complete ? 'more' : 'gone')
    }
  })
}

/**
 * Reads and forgets the rest of a body, within bounds. Resolves to whether all of it is read; if
 * there is too much, only when the time is over, since hanging up at once may cost the client the
 * answer it has not read yet.
 */
export async function discardBody(
  req: IncomingMessage,
  mostBytes: number,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  let size = 0
  while (size <= mostBytes) {
    const part: Buffer | null = req.read()
    if (part !== null) size += part.length
    else if (req.complete) return true
    else if ((await waitForData(req, deadline - performance.now())) !== 'more') return false
  }
  await sleep(Math.max(0, deadline - performance.now()))
  return false
}
