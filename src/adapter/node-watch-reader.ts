import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorReporter } from './error-reporter.ts'

/** What sending a response needs. */
export interface SendContext {
  /**
   * Is the response an object of this server alone, or may middleware of a framework have replaced
   * its functions? Such functions expect headers by `setHeader`, and may keep the chunks.
   */
  readonly host: 'own' | 'framework'
  readonly onError: ErrorReporter
  /** See `ServerLimits`. */
  readonly stalledWriteTimeoutMs: number
  /** See `ServerLimits`. */
  readonly minReadBytesPerSecond: number
}

/** The responses that already have a timer. */
const watched = new WeakSet<ServerResponse>()

/** The number of checks within `stalledWriteTimeoutMs`. */
const checksPerTimeout = 8

/**
 * Destroys the connection of a client that reads a response too slowly. Requests that it sends in
 * between do not count, and neither does time in which the response has no bytes for it.
 */
export function watchReader(
  res: ServerResponse,
  { stalledWriteTimeoutMs, minReadBytesPerSecond }: SendContext,
): void {
  const { socket } = res.req
  // Requests that a test injects without a connection have no length.
  if (!(socket.writableLength > 0) || watched.has(res)) return
  watched.add(res)
  const intervalMs = Math.max(1, stalledWriteTimeoutMs / checksPerTimeout)
  let lastCheck = performance.now()
  let lastFlushed = bytesFlushed(socket)
  let stalledMs = 0
  let waitedMs = 0
  let readBytes = 0
  const timer = setInterval(check, intervalMs)
  timer.unref()
  res.once('close', () => clearInterval(timer))

  function check(): void {
    const now = performance.now()
    // A blocked event loop must not count against the client.
    const passedMs = Math.min(now - lastCheck, 2 * intervalMs)
    const newBytes = bytesFlushed(socket) - lastFlushed
    lastCheck = now
    lastFlushed += newBytes
    if (socket.writableLength === 0) {
      stalledMs = 0
      return
    }
    stalledMs = newBytes > 0 ? 0 : stalledMs + passedMs
    waitedMs += passedMs
    readBytes += newBytes
    const isSlow = readBytes < (minReadBytesPerSecond * (waitedMs - stalledWriteTimeoutMs)) / 1_000
    if (stalledMs >= stalledWriteTimeoutMs || isSlow) socket.destroy()
  }
}

/** The bytes that the system accepted. Node has no public API for this number. */
function bytesFlushed(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: StreamHandle }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}

interface StreamHandle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}
