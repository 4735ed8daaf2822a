import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * One client's connection. Its requests are answered one after the other, in the order in which
 * they came.
 */
export interface ClientConnection {
  readonly socket: Socket
  /** The request that is being answered. */
  currentResponse: ServerResponse | undefined
  /** Requests that were sent ahead, before the current one's answer (pipelining). */
  readonly pipelined: ServerResponse[]
  /** The client has been told that the connection ends: no further request on it is looked at. */
  isEnding: boolean
  /** What is sent as it is when all requests are answered, before the connection ends. */
  finalResponse: string | undefined
}

export interface ClientConnections {
  /** Those that are open. */
  readonly bySocket: ReadonlyMap<Socket, ClientConnection>
  /** Shall the answer to the current request be the last on its connection? */
  isLastResponse(connection: ClientConnection): boolean
  /**
   * Ends every connection after its next answer, or when none is asked for within the given time.
   */
  drain(idleMs: number): void
}

/** How many requests may wait on one connection: far more than any honest client sends ahead. */
export const maxPipelinedRequests = 1_000

/** How long a client may go on sending after the last answer before the connection is cut. */
const lingerMs = 1_000

/** Keeps account of a server's connections, and starts their requests in order. */
export function trackConnections(
  server: Server,
  start: (connection: ClientConnection, res: ServerResponse) => void,
): ClientConnections {
  const open = new Map<Socket, ClientConnection>()
  let drainMs: number | undefined

  server.on('connection', (socket) => {
    open.set(socket, {
      socket,
      currentResponse: undefined,
      pipelined: [],
      isEnding: false,
      finalResponse: undefined,
    })
    socket.once('close', forget)
  })
  // Expectations are looked at with everything else in the head, not here.
  server.on('request', arrived).on('checkContinue', arrived).on('checkExpectation', arrived)

  return {
    bySocket: open,
    isLastResponse: ({ pipelined, finalResponse }) =>
      drainMs !== undefined && pipelined.length === 0 && finalResponse === undefined,
    drain(idleMs) {
      drainMs = idleMs
      for (const connection of open.values()) endWhenIdle(connection)
    },
  }

  function forget(this: Socket): void {
    open.delete(this)
  }

  function arrived(_: unknown, res: ServerResponse): void {
    const connection = open.get(res.req.socket)
    if (connection === undefined || connection.isEnding) return
    if (connection.currentResponse === undefined) begin(connection, res)
    else if (connection.pipelined.push(res) > maxPipelinedRequests) connection.socket.destroy()
  }

  function begin(connection: ClientConnection, res: ServerResponse): void {
    connection.currentResponse = res
    res.on('close', ended)
    start(connection, res)
  }

  function ended(this: ServerResponse): void {
    const connection = open.get(this.req.socket)
    if (connection === undefined || connection.socket.destroyed) return
    connection.currentResponse = undefined
    const next = connection.pipelined.shift()
    if (next !== undefined) begin(connection, next)
    else if (connection.finalResponse !== undefined)
      endConnection(connection, connection.finalResponse)
    else if (drainMs !== undefined) endWhenIdle(connection)
  }

  /** A request may be on its way already: ending at once would cut it off. */
  function endWhenIdle(connection: ClientConnection): void {
    if (connection.currentResponse !== undefined || connection.isEnding) return
    setTimeout(() => {
      if (connection.currentResponse === undefined) endConnection(connection)
    }, drainMs)
  }
}

/**
 * Says good-bye, but waits a little before hanging up: a client that still sends would lose the
 * last answer to a reset.
 */
export function endConnection(connection: ClientConnection, farewell = ''): void {
  connection.isEnding = true
  connection.finalResponse = undefined
  connection.socket.end(farewell)
  setTimeout(() => connection.socket.destroy(), lingerMs).unref()
}
