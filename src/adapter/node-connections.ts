import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** One client's connection. Its requests are answered one after the other, in the order in which they came. */
export interface Connection {
  readonly socket: Socket
  /** The request that is being answered. */
  current: ServerResponse | undefined
  /** Requests that were sent ahead, before the current one's answer (pipelining). */
  readonly ahead: ServerResponse[]
  /** The client has been told that the connection ends: no further request on it is looked at. */
  ending: boolean
  /** What is sent as it is when all requests are answered, before the connection ends. */
  farewell: string | undefined
}

export interface Connections {
  /** Those that are open. */
  readonly open: ReadonlyMap<Socket, Connection>
  /** Shall the answer to the current request be the last on its connection? */
  isLast(connection: Connection): boolean
  /** Ends every connection after its next answer, or when none is asked for within the given time. */
  drain(idleMs: number): void
}

/** How many requests may wait on one connection: far more than any honest client sends ahead. */
export const mostAhead = 1_000

/** How long a client may go on sending after the last answer before the connection is cut. */
const lingerMs = 1_000

/** Keeps account of a server's connections, and starts their requests in order. */
export function trackConnections(
  server: Server,
  start: (connection: Connection, res: ServerResponse) => void,
): Connections {
  const open = new Map<Socket, Connection>()
  let drainMs: number | undefined

  server.on('connection', (socket) => {
    open.set(socket, { socket, current: undefined, ahead: [], ending: false, farewell: undefined })
    socket.once('close', forget)
  })
  // Expectations are looked at with everything else in the head, not here.
  server.on('request', arrived).on('checkContinue', arrived).on('checkExpectation', arrived)

  return {
    open,
    isLast: ({ ahead, farewell }) => drainMs !== undefined && ahead.length === 0 && farewell === undefined,
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
    if (connection === undefined || connection.ending) return
    if (connection.current === undefined) begin(connection, res)
    else if (connection.ahead.push(res) > mostAhead) connection.socket.destroy()
  }

  function begin(connection: Connection, res: ServerResponse): void {
    connection.current = res
    res.on('close', ended)
    start(connection, res)
  }

  function ended(this: ServerResponse): void {
    const connection = open.get(this.req.socket)
    if (connection === undefined || connection.socket.destroyed) return
    connection.current = undefined
    const next = connection.ahead.shift()
    if (next !== undefined) begin(connection, next)
    else if (connection.farewell !== undefined) endConnection(connection, connection.farewell)
    else if (drainMs !== undefined) endWhenIdle(connection)
  }

  /** A request may be on its way already: ending at once would cut it off. */
  function endWhenIdle(connection: Connection): void {
    if (connection.current !== undefined || connection.ending) return
    setTimeout(() => {
      if (connection.current === undefined) endConnection(connection)
    }, drainMs)
  }
}

/** Says good-bye, but waits a little before hanging up: a client that still sends would lose the last answer to a reset. */
export function endConnection(connection: Connection, farewell = ''): void {
  connection.ending = true
  connection.farewell = undefined
  connection.socket.end(farewell)
  setTimeout(() => connection.socket.destroy(), lingerMs).unref()
}
