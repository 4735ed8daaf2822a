import type { Server as HttpServer } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { ClientConnections } from './node-connections.ts'

/**
 * How long an idle connection may still ask when the server is about to end: a request may be on
 * its way.
 */
const idleMs = 100

/**
 * Stops accepting, lets what is in flight finish, and resolves when the last connection has ended,
 * at the deadline by force.
 */
export async function drainServer(
  server: HttpServer,
  connections: ClientConnections,
  deadlineMs: number,
): Promise<void> {
  // The http server's own `close` also destroys connections whose last answer is written but not
  // yet sent.
  const ended = new Promise<void>((resolve) =>
    NetServer.prototype.close.call(server, () => resolve()),
  )
  connections.drain(idleMs)
  const deadline = setTimeout(() => {
    for (const socket of connections.bySocket.keys()) socket.destroy()
  }, deadlineMs)
  await ended
  clearTimeout(deadline)
  // By now it has nothing left to end but its timer.
  server.close(() => {})
}
