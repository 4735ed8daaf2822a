import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorReporter } from './error-reporter.ts'

/** What sending takes besides the response. */
export interface SendContext {
  readonly onError: ErrorReporter
  /** How long a client may leave an answer unread. */
  readonly stalledWriteTimeoutMs: number
  /** How fast a client has to read, on average, while an answer waits for it. */
  readonly minReadBytesPerSecond: number
}

/** The responses that wait for their readers. */
const watched = new WeakSet<ServerResponse>()

/** How often a reader is looked at within the time that it may do nothing. */
const checksPerTimeout = 8

/**
 * Watches the client of an answer that could not be handed over at once, until the answer is out.
 * What it sends meanwhile does not count, and time in which the service has nothing for it counts
 * for nobody.
 */
export function watchReader(
  res: ServerResponse,
  { stalledWriteTimeoutMs, minReadBytesPerSecond }: SendContext,
): void {
  const { socket } = res.req
  if (socket.writableLength === 0 || watched.has(res)) return
  watched.add(res)
  const everyMs = Math.max(1, stalledWriteTimeoutMs / checksPerTimeout)
  let lastLook = performance.now()
  let lastTaken = bytesFlushed(socket)
  let unreadMs = 0
  let waitedMs = 0
  let taken = 0
  const timer = setInterval(look, everyMs)
  timer.unref()
  res.once('close', () => clearInterval(timer))

  function look(): void {
    const now = performance.now()
    // Where the service itself was held up, it cannot say that its reader was.
    const passed = Math.min(now - lastLook, 2 * everyMs)
    const more = bytesFlushed(socket) - lastTaken
    lastLook = now
    lastTaken += more
    if (socket.writableLength === 0) {
      unreadMs = 0
      return
    }
    unreadMs = more > 0 ? 0 : unreadMs + passed
    waitedMs += passed
    taken += more
    const isSlow = taken < (minReadBytesPerSecond * (waitedMs - stalledWriteTimeoutMs)) / 1_000
    if (unreadMs >= stalledWriteTimeoutMs || isSlow) socket.destroy()
  }
}

/**
 * What the system took of all that was ever written. Node itself tells slow readers from such as do
 * not read by this, and shows it nowhere else.
 */
function bytesFlushed(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: StreamHandle }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

interface StreamHandle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}
