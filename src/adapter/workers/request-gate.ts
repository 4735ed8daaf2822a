import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { ClientConnection } from '../node-connections.ts'
import type { ServiceHost } from '../service-host.ts'
import { forwardRequests } from './forward-requests.ts'
import { type NewWorkerLimits, NewWorkerPorts } from './new-worker-ports.ts'
import { finishMs } from './worker-messages.ts'

/** How long, and how many. Times are in milliseconds. */
export interface GateLimits extends NewWorkerLimits {
  /** How long requests under way may take before the store changes. */
  readonly finishMs: number
}

const defaultLimits: GateLimits = { finishMs, maxWaiting: 1_000, maxPauseMs: 30_000 }

export type GatedHost = Pick<
  ServiceHost,
  'connections' | 'divert' | 'handle' | 'refuse' | 'endStreams'
>

/**
 * What becomes of requests of an old worker while new ones take its place: it handles them, lets
 * them wait, or forwards them. While it handles them, they do not pass through here.
 */
export class RequestGate {
  readonly #host: GatedHost
  readonly #report: (error: Error) => void
  readonly #limits: GateLimits
  readonly #waiting = new Map<ServerResponse, ClientConnection>()
  /** Undefined unless requests are forwarded. */
  #newWorkers: NewWorkerPorts | undefined
  #isClosing = false
  /** Undefined unless requests wait. */
  #deadline: NodeJS.Timeout | undefined

  constructor(host: GatedHost, report: (error: Error) => void, limits: GateLimits = defaultLimits) {
    this.#host = host
    this.#report = report
    this.#limits = limits
  }

  /** Lets requests wait from now on. Resolves when those under way have ended, or take too long. */
  async pause(): Promise<void> {
    if (this.#newWorkers) return
    if (this.#deadline === undefined) {
      this.#host.divert((connection, res) => this.#keep(connection, res))
      // They would last, and end with the old workers in any case.
      this.#host.endStreams()
    }
    const { finishMs, maxPauseMs } = this.#limits
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#goOnLate(), maxPauseMs).unref()
    await Promise.race([this.#whenNoneIsUnderWay(), wait(finishMs, undefined, { ref: false })])
  }

  /** Handles requests again, first those that wait. */
  resume(): void {
    this.#newWorkers?.close()
    this.#newWorkers = undefined
    this.#host.divert(undefined)
    this.#release((connection, res) => this.#host.handle(connection, res))
  }

  /** Forwards requests to the port of a new worker, or another one where that fails. */
  forwardTo(port: number): void {
    const newWorkers = this.#newWorkers ?? new NewWorkerPorts(this.#limits)
    this.#newWorkers = newWorkers
    if (this.#isClosing) newWorkers.endWaiting()
    newWorkers.add(port)
    const forward = (connection: ClientConnection, res: ServerResponse): void =>
      void this.#forward(newWorkers, connection, res)
    this.#host.divert(forward)
    this.#release(forward)
  }

  /** Called once the worker with this port has ended. Requests wait for another one then. */
  stopForwardingTo(port: number): void {
    this.#newWorkers?.remove(port)
  }

  /** Lets nobody wait any more. Requests that come while the worker closes are still forwarded. */
  end(): void {
    this.#isClosing = true
    this.#newWorkers?.endWaiting()
    if (this.#deadline !== undefined) this.resume()
  }

  async #whenNoneIsUnderWay(): Promise<void> {
    const ends: Promise<void>[] = []
    for (const { currentResponse: res } of this.#host.connections.bySocket.values())
      if (res && !this.#waiting.has(res))
        ends.push(new Promise((resolve) => res.once('close', () => resolve())))
    await Promise.all(ends)
  }

  #keep(connection: ClientConnection, res: ServerResponse): void {
    if (this.#waiting.size >= this.#limits.maxWaiting)
      return void this.#host.refuse(connection, res)
    this.#waiting.set(res, connection)
    // The client may leave.
    res.once('close', () => this.#waiting.delete(res))
  }

  #release(handle: (connection: ClientConnection, res: ServerResponse) => void): void {
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const [res, connection] of waiting) handle(connection, res)
  }

  #goOnLate(): void {
    this.#report(
      new Error(
        `The worker ${process.pid} has paused for ${this.#limits.maxPauseMs / 1_000} s, and no new worker is ready: it goes on. Where a new one changes the store later, requests fail with 503.`,
      ),
    )
    this.resume()
  }

  async #forward(
    newWorkers: NewWorkerPorts,
    connection: ClientConnection,
    res: ServerResponse,
  ): Promise<void> {
    const upstream = await newWorkers.connect(connection.socket)
    if (upstream === 'full') this.#host.refuse(connection, res)
    else if (upstream) await forwardRequests(connection, upstream)
    // The store may still be as this worker knows it, and says so otherwise.
    else if (!connection.socket.destroyed) this.#host.handle(connection, res)
  }
}
