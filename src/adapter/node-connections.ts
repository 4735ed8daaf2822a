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
  /** True while nothing is read from the socket, because enough requests wait for responses. */
  isPaused: boolean
}

export interface ClientConnections {
  /** The open connections. */
  readonly bySocket: ReadonlyMap<Socket, ClientConnection>
  /** Must the connection close after the current response? */
  isLastResponse(connection: ClientConnection): boolean
  /** Closes every connection after its next response, or when it is idle for this time. */
  drain(idleMs: number): void
  /** Resolves when none is open. */
  whenEmpty(): Promise<void>
}

/**
 * With so many pipelined requests, the server reads no further ones from the connection, until half
 * of them have their responses.
 */
export const maxPipelinedRequests = 50

/**
 * The server closes a connection with more pipelined requests than this. What has been read already
 * may have more than `maxPipelinedRequests`: about 64 KiB.
 */
const maxParsedRequests = 1_000

/** The time between the last response and the destruction of the socket. */
export const lingerMs = 1_000

/** Tracks the connections of a server, and starts their requests in order. */
export function trackConnections(
  server: Server,
  start: (connection: ClientConnection, res: ServerResponse) => void,
): ClientConnections {
  const connections = new Map<Socket, ClientConnection>()
  let drainMs: number | undefined
  let onEmpty: (() => void) | undefined

  server.on('connection', (socket) => {
    connections.set(socket, {
      socket,
      currentResponse: undefined,
      pipelined: [],
      isEnding: false,
      finalResponse: undefined,
      isPaused: false,
    })
    socket.once('close', onSocketClose).on('resume', onSocketResume)
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
    async whenEmpty() {
      if (connections.size === 0) return
      await new Promise<void>((resolve) => {
        onEmpty = resolve
      })
    },
  }

  function onSocketClose(this: Socket): void {
    connections.delete(this)
    if (connections.size === 0) onEmpty?.()
  }

  /** Node resumes a socket after each response. */
  function onSocketResume(this: Socket): void {
    if (connections.get(this)?.isPaused) this.pause()
  }

  function onRequest(_: unknown, res: ServerResponse): void {
    const connection = connections.get(res.req.socket)
    if (connection === undefined || connection.isEnding) return
    if (connection.currentResponse === undefined) begin(connection, res)
    else addPipelined(connection, res)
  }

  function addPipelined(connection: ClientConnection, res: ServerResponse): void {
    const { pipelined, socket } = connection
    const count = pipelined.push(res)
    if (count > maxParsedRequests) socket.destroy()
    else if (count === maxPipelinedRequests) setReading(connection, false)
  }

  function setReading(connection: ClientConnection, isReading: boolean): void {
    connection.isPaused = !isReading
    if (isReading) connection.socket.resume()
    else connection.socket.pause()
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
    if (connection.isPaused && connection.pipelined.length <= maxPipelinedRequests / 2)
      setReading(connection, true)
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
    }, drainMs).unref()
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
