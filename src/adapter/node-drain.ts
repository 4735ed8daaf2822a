import type { Server as HttpServer } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { ClientConnections } from './node-connections.ts'

/** The time that idle connections stay open where a server ends, for requests on their way. */
export const drainIdleMs = 100

/**
 * Stops accepting connections and waits for requests in flight. Destroys the remaining connections
 * at the deadline, and ends idle ones after their time. A worker, which accepts none itself, does
 * not listen.
 */
export async function drainServer(
  server: HttpServer,
  connections: ClientConnections,
  deadlineMs: number,
  idleMs: number = drainIdleMs,
): Promise<void> {
  // `close` of http.Server also destroys connections whose last response is not flushed yet.
  const closed = server.listening
    ? new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
    : connections.whenEmpty()
  connections.drain(idleMs)
  const deadline = setTimeout(() => {
    for (const socket of connections.bySocket.keys()) socket.destroy()
  }, deadlineMs)
  await closed
  clearTimeout(deadline)
  // Stops the timer of http.Server.
  server.close(() => {})
}
