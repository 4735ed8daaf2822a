import type { Socket } from 'node:net'

/** A connection that the primary has accepted, until a worker has it. */
export interface Connection {
  readonly socket: Socket
  /** How many workers have refused it. */
  refusals: number
}

/** Gets connections. */
export interface ConnectionReceiver {
  receive(connection: Connection): void
}

/** How many connections wait while no worker is ready; further ones are closed. */
export const maxWaitingConnections = 1_000

/**
 * Gives connections to workers in turn. The primary keeps its copy of a connection until a worker
 * has accepted it, so that none is lost with a worker that ends meanwhile.
 */
export class HandOff {
  readonly #receivers: ConnectionReceiver[] = []
  readonly #waiting: Connection[] = []
  #hasEnded = false

  add(receiver: ConnectionReceiver): void {
    this.#receivers.push(receiver)
    for (const connection of this.#waiting.splice(0)) this.give(connection)
  }

  remove(receiver: ConnectionReceiver): void {
    const index = this.#receivers.indexOf(receiver)
    if (index >= 0) this.#receivers.splice(index, 1)
  }

  give(connection: Connection): void {
    const receiver = this.#receivers.shift()
    if (receiver === undefined) this.#keep(connection)
    else {
      this.#receivers.push(receiver)
      receiver.receive(connection)
    }
  }

  /** Gives a connection that a worker has refused, because it is full or closes, to another one. */
  giveAgain(connection: Connection): void {
    connection.refusals++
    if (connection.refusals > this.#receivers.length && this.#receivers.length > 0)
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
