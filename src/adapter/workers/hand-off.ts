import type { Socket } from 'node:net'

/** A connection that the primary has accepted, until a worker has it. */
export interface Connection {
  readonly socket: Socket
  /** How many workers have refused it. */
  refusals: number
}

/** Takes connections. */
export interface ConnectionTaker {
  take(connection: Connection): void
}

/** How many connections wait while no worker is ready; further ones are closed. */
export const maxWaitingConnections = 1_000

/**
 * Gives connections to workers in turn. The primary keeps its copy of a connection until a worker
 * says that it has it, so that none is lost with a worker that ends meanwhile.
 */
export class HandOff {
  readonly #takers: ConnectionTaker[] = []
  readonly #waiting: Connection[] = []
  #hasEnded = false

  add(taker: ConnectionTaker): void {
    this.#takers.push(taker)
    for (const connection of this.#waiting.splice(0)) this.give(connection)
  }

  remove(taker: ConnectionTaker): void {
    const index = this.#takers.indexOf(taker)
    if (index >= 0) this.#takers.splice(index, 1)
  }

  give(connection: Connection): void {
    const taker = this.#takers.shift()
    if (taker === undefined) this.#keep(connection)
    else {
      this.#takers.push(taker)
      taker.take(connection)
    }
  }

  /** A worker that is full or closes has refused it: another one gets it, if there is one. */
  refused(connection: Connection): void {
    connection.refusals++
    if (connection.refusals > this.#takers.length && this.#takers.length > 0)
      connection.socket.destroy()
    else this.give(connection)
  }

  /** Closes the connections that no worker has. */
  end(): void {
    this.#hasEnded = true
    for (const { socket } of this.#waiting.splice(0)) socket.destroy()
  }

  #keep(connection: Connection): void {
    if (this.#hasEnded || this.#waiting.length >= maxWaitingConnections) connection.socket.destroy()
    else this.#waiting.push(connection)
  }
}
