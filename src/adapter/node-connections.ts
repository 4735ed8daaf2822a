import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A client connection. Its requests are handled one after the other, in their order. */
export interface ClientConnection {
  readonly socket: Socket
  /** The response to the request that is being handled. */
  currentResponse: ServerResponse | undefined
  /** The responses to pipelined requests, which wait for the current one. */
  readonly pipelined: ServerResponse[]
  /** True after the client was told that the connection closes; further requests are ignored. */
  isEnding: boolean
  /** A raw response to send after all others, before the connection closes. */
  finalResponse: string | undefined
}

export interface ClientConnections {
  /** The open connections. */
  readonly bySocket: ReadonlyMap<Socket, ClientConnection>
  /** Must the connection close after the current response? */
  isLastResponse(connection: ClientConnection): boolean
  /** Closes every connection after its next response, or when it is idle for this time. */
  drain(idleMs: number): void
}

/** The server closes a connection with more pipelined requests than this. */
export const maxPipelinedRequests = 1_000

/** The time between the last response and the destruction of the socket. */
const lingerMs = 1_000

/** Tracks the connections of a server, and starts their requests in order. */
export function trackConnections(
  server: Server,
  start: (connection: ClientConnection, res: ServerResponse) => void,
): ClientConnections {
  const connections = new Map<Socket, ClientConnection>()
  let drainMs: number | undefined

  server.on('connection', (socket) => {
    connections.set(socket, {
      socket,
      currentResponse: undefined,
      pipelined: [],
      isEnding: false,
      finalResponse: undefined,
    })
    socket.once('close', onSocketClose)
  })
  // Expectations are checked with the rest of the head, so all three events are handled alike.
  server.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest)

  return {
    bySocket: connections,
    isLastResponse: ({ pipelined, finalResponse }) =>
      drainMs !== undefined && pipelined.length === 0 && finalResponse === undefined,
    drain(idleMs) {
      drainMs = idleMs
      for (const connection of connections.values()) endWhenIdle(connection)
    },
  }

  function onSocketClose(this: Socket): void {
    connections.delete(this)
  }

  function onRequest(_: unknown, res: ServerResponse): void {
    const connection = connections.get(res.req.socket)
    if (connection === undefined || connection.isEnding) return
    if (connection.currentResponse === undefined) begin(connection, res)
    else if (connection.pipelined.push(res) > maxPipelinedRequests) connection.socket.destroy()
  }

  function begin(connection: ClientConnection, res: ServerResponse): void {
    connection.currentResponse = res
    res.on('close', onResponseClose)
    start(connection, res)
  }

  function onResponseClose(this: ServerResponse): void {
    const connection = connections.get(this.req.socket)
    if (connection === undefined || connection.socket.destroyed) return
    connection.currentResponse = undefined
    const next = connection.pipelined.shift()
    if (next !== undefined) begin(connection, next)
    else if (connection.finalResponse !== undefined)
      endConnection(connection, connection.finalResponse)
    else if (drainMs !== undefined) endWhenIdle(connection)
  }

  /** Waits before closing, because a request may already be on its way. */
  function endWhenIdle(connection: ClientConnection): void {
    if (connection.currentResponse !== undefined || connection.isEnding) return
    setTimeout(() => {
      if (connection.currentResponse === undefined) endConnection(connection)
    }, drainMs)
  }
}

/**
 * Ends the connection, and destroys the socket later: a client that still sends would lose the last
 * response to a reset.
 */
export function endConnection(connection: ClientConnection, farewell = ''): void {
  connection.isEnding = true
  connection.finalResponse = undefined
  connection.socket.end(farewell)
  setTimeout(() => connection.socket.destroy(), lingerMs).unref()
}
