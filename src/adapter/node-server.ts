import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ErrorReporter } from './error-reporter.ts'
import type { ClientConnections } from './node-connections.ts'
import type { ServerLimits } from './node-limits.ts'

/** A server that reads requests within the limits. */
export function limitedServer(limits: ServerLimits): HttpServer {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.uploadTimeoutMs, limits.headersTimeoutMs),
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    keepAliveTimeout: limits.idleTimeoutMs,
    // A header that must be single and is not is then seen as malformed, rather than read as its
    // first line.
    joinDuplicateHeaders: true,
    // Checked with the rest of the head, so that the answer is a problem like any other.
    requireHostHeader: false,
  })
  // Their size is limited; a limit on their number would drop the rest in silence.
  server.maxHeadersCount = 0
  if (limits.maxConnections !== undefined) server.maxConnections = limits.maxConnections
  return server
}

/** A connection may be silent while its request is being answered, but not idle for long. */
export function destroyIdleSockets(server: HttpServer, connections: ClientConnections): void {
  server.on('timeout', (socket) => {
    if (connections.bySocket.get(socket)?.currentResponse === undefined) socket.destroy()
  })
}

export function listen(
  server: HttpServer,
  port: number,
  host: string,
  report: ErrorReporter,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      // From here on it is a connection that could not be taken, for want of descriptors perhaps.
      server.off('error', reject).on('error', report)
      resolve(server.address() as AddressInfo)
    })
  })
}
