import type { Socket } from 'node:net'

/** A connection that the primary has accepted, until a worker has it. */
export interface Connection {
  readonly socket: Socket
  /** The workers that have refused it. */
  readonly refusedBy: ConnectionReceiver[]
}

/** Gets connections. */
export interface ConnectionReceiver {
  /** How many connections it has got, and neither accepted nor refused. */
  readonly pendingCount: number
  receive(connection: Connection): void
}

/** How many connections wait for a worker; further ones are closed. */
export const maxWaitingConnections = 1_000

/** One that is blocked holds up no more connections than this; the others get the next ones. */
export const maxPendingPerWorker = 8

/**
 * Gives connections to the workers that have the fewest to accept, and in turn where these are
 * equal. The primary keeps its copy of a connection until a worker has accepted it, so that none is
 * lost with a worker that ends meanwhile.
 */
export class HandOff {
  readonly #receivers: ConnectionReceiver[] = []
  readonly #waiting: Connection[] = []
  #hasEnded = false

  add(receiver: ConnectionReceiver): void {
    if (!this.#receivers.includes(receiver)) this.#receivers.push(receiver)
    this.giveWaiting()
  }

  remove(receiver: ConnectionReceiver): void {
    const index = this.#receivers.indexOf(receiver)
    if (index >= 0) this.#receivers.splice(index, 1)
  }

  give(connection: Connection): void {
    const isNew = connection.refusedBy.length === 0
    const receiver = this.#next(connection, isNew ? maxPendingPerWorker : maxWaitingConnections)
    if (receiver) receiver.receive(connection)
    else if (isNew || this.#receivers.length === 0) this.#keep(connection)
    else connection.socket.destroy()
  }

  /** Gives a connection that a worker has refused, because it is full or closes, to another one. */
  giveAgain(connection: Connection, refusedBy: ConnectionReceiver): void {
    connection.refusedBy.push(refusedBy)
    this.give(connection)
  }

  /** Called when a worker has accepted or refused a connection, and so can get another one. */
  giveWaiting(): void {
    while (this.#waiting.length > 0 && this.#receivers.some(hasRoom))
      this.give(this.#waiting.shift()!)
  }

  /** Closes the connections that no worker has. */
  end(): void {
    this.#hasEnded = true
    for (const { socket } of this.#waiting.splice(0)) socket.destroy()
  }

  /** The worker with the fewest pending connections, which is the last one in turn then. */
  #next({ refusedBy }: Connection, limit: number): ConnectionReceiver | undefined {
    let best: ConnectionReceiver | undefined
    for (const receiver of this.#receivers) {
      if (refusedBy.includes(receiver)) continue
      if (receiver.pendingCount < (best?.pendingCount ?? limit)) best = receiver
    }
    if (best === undefined) return undefined
    this.remove(best)
    this.#receivers.push(best)
    return best
  }

  #keep(connection: Connection): void {
    if (this.#hasEnded || this.#waiting.length >= maxWaitingConnections) connection.socket.destroy()
    else this.#waiting.push(connection)
  }
}

function hasRoom({ pendingCount }: ConnectionReceiver): boolean {
  return pendingCount < maxPendingPerWorker
}
