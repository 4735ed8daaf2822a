import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import type { ErrorReporter } from './error-reporter.ts'
import type { ClientConnections } from './node-connections.ts'
import type { ServerLimits } from './node-limits.ts'

/** Creates an HTTP server with the limits. */
export function limitedServer(limits: ServerLimits): HttpServer {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.uploadTimeoutMs, limits.headersTimeoutMs),
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    keepAliveTimeout: limits.idleTimeoutMs,
    // Repeated single-value headers are then malformed, instead of their first line being used.
    joinDuplicateHeaders: true,
    // `checkHost` checks it, so that the response is a problem document.
    requireHostHeader: false,
  })
  // The size is limited; a limit on the number would drop headers silently.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections
  return server
}

/** Destroys sockets that time out without a current request. */
export function destroyIdleSockets(server: HttpServer, connections: ClientConnections): void {
  server.on('timeout', (socket) => {
    if (connections.bySocket.get(socket)?.currentResponse === undefined) socket.destroy()
  })
}

export function listen(
  server: NetServer,
  { port, host }: { readonly port: number; readonly host: string },
  report: ErrorReporter,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      // Later errors are connections that could not be accepted, for example without descriptors.
      server.off('error', reject).on('error', report)
      resolve(server.address() as AddressInfo)
    })
  })
}
