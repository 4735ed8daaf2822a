import { StoreClosed } from '../store-failures.ts'
import type { ConnectOptions } from './connect.ts'
import type { PostgresConnection } from './connection.ts'
import type { ConnectionLimits } from './options.ts'
import { Outage } from './outage.ts'
import { ConnectionLost } from './postgres-error.ts'
import type { Servers } from './servers.ts'

/** Opens the connections of a pool, and notes when none can be opened. */
export class Connector {
  /** Set while no connection can be opened, though there was one before. */
  outage: Outage | undefined
  readonly #servers: Servers
  readonly #limits: ConnectionLimits
  readonly #options: () => ConnectOptions
  readonly #onMoved: () => void
  #checking: Promise<void> | undefined
  /** A server that was never there is not away: its address is wrong. */
  #hasConnected = false
  #isClosed = false

  /** @param onMoved called when connections that are open lead to another server, or to none */
  constructor(
    servers: Servers,
    limits: ConnectionLimits,
    options: () => ConnectOptions,
    onMoved: () => void,
  ) {
    this.#servers = servers
    this.#limits = limits
    this.#options = options
    this.#onMoved = onMoved
  }

  async connect(): Promise<PostgresConnection> {
    const { currentUrl } = this.#servers
    const connection = await this.#servers.connect(this.#options())
    if (this.#servers.currentUrl !== currentUrl && this.#hasConnected) this.#onMoved()
    this.#hasConnected = true
    this.outage = undefined
    return connection
  }

  /**
   * An outage begins if no server can be connected to that was there before.
   * @param error why a connection was not opened
   * @returns may the call wait for the end of an outage?
   */
  noteFailure(error: unknown): boolean {
    const { failoverWaitMs: waitMs, maxWaiting } = this.#limits
    if (!(error instanceof ConnectionLost) || !this.#hasConnected || waitMs === 0) return false
    if (this.#isClosed) return false
    this.outage ??= new Outage(error, {
      probe: async () => {
        if (this.#isClosed) throw closed()
        await (await this.connect()).end()
      },
      onEnd: () => {
        this.outage = undefined
      },
      maxWaiting,
      waitMs,
    })
    return !this.outage.isLong
  }

  /**
   * Opens a connection to see whether the server still accepts one: a frozen server does not close
   * its connections, and each call would wait for it.
   */
  check(): void {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
  }

  async #check(): Promise<void> {
    try {
      await (await this.connect()).end()
    } catch (error) {
      if (error instanceof ConnectionLost) this.#onMoved()
    }
  }

  /** Calls that wait for the end of an outage fail soon; others may still open connections. */
  close(): void {
    this.#isClosed = true
  }
}

export function closed(): StoreClosed {
  return new StoreClosed('The connections to PostgreSQL are closed.')
}
