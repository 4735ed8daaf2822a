import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { Caller } from '../caller.ts'
import { StoreOverloaded, StoreUnavailable } from '../store-failures.ts'
import { connect } from './connect.ts'
import type { PostgresConnection } from './connection.ts'
import type { ConnectionLimits } from './options.ts'
import { StatementNames } from './statement-names.ts'

/** A connection on loan. */
export interface Lease {
  readonly connection: PostgresConnection
  /** Was the connection used before? Then it may be dead, which nobody has noticed. */
  readonly isReused: boolean
  release(): void
}

interface IdleConnection {
  readonly connection: PostgresConnection
  readonly timer: NodeJS.Timeout
}

/** Calls that no request makes share one place in the turns. */
const noClient = ''

/**
 * Opens connections when they are needed, keeps them for later calls, and limits their number.
 * Clients take turns by the time that their calls have connections.
 */
export class ConnectionPool {
  readonly #url: string
  readonly #limits: ConnectionLimits
  readonly #permits: FairSemaphore
  readonly #names: StatementNames
  /** The one that was used last is used next, so that the others can be closed. */
  #idle: IdleConnection[] = []
  /** Connections of an earlier generation are closed when they come back. */
  #generation = 0
  #closing: Promise<void> | undefined

  constructor(url: string, limits: ConnectionLimits) {
    this.#url = url
    this.#limits = limits
    this.#permits = new FairSemaphore(limits.maxConnections)
    this.#names = new StatementNames(limits.preparedStatements)
  }

  /**
   * @throws StoreOverloaded if too many calls wait, or one waits for too long
   * @throws StoreUnavailable if the server cannot be reached
   */
  async acquire(caller: Caller | undefined): Promise<Lease> {
    if (this.#closing) throw closed()
    const releasePermit = await this.#permit(caller)
    const idle = this.#takeIdle()
    if (idle) return this.#lease(idle, true, this.#generation, releasePermit)
    const generation = this.#generation
    const connecting = connect(this.#url, this.#limits, this.#names)
    try {
      const connection = await withTimeout(connecting, { waiter: caller })
      return this.#lease(connection, false, generation, releasePermit)
    } catch (error) {
      // The caller may have left before the connection was open.
      connecting
        .then(
          (connection) => this.#keep(connection, generation),
          () => {},
        )
        .finally(releasePermit)
      throw error
    }
  }

  /** Closes all connections that are not in use, and the others when they are given back. */
  discard(): void {
    this.#generation++
    for (let idle = this.#takeIdle(); idle; idle = this.#takeIdle()) idle.destroy()
  }

  /** Waits for calls that are under way, and closes all connections. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#permits.idle()
    const connections = this.#idle.map(({ connection }) => connection)
    for (const { timer } of this.#idle) clearTimeout(timer)
    this.#idle = []
    await Promise.all(connections.map((connection) => connection.end()))
  }

  #permit(caller: Caller | undefined): Promise<() => void> {
    const client = caller?.client ?? noClient
    if (this.#permits.isFree) return this.#permits.acquire(client, {})
    const { maxWaiting, acquireTimeoutMs } = this.#limits
    if (this.#permits.queueLength >= maxWaiting)
      throw new StoreOverloaded(`${maxWaiting} calls wait for a connection to PostgreSQL.`)
    return this.#permits.acquire(client, {
      waiter: caller,
      timeoutMs: acquireTimeoutMs,
      timeoutError: () =>
        new StoreOverloaded(`No connection to PostgreSQL was free for ${acquireTimeoutMs} ms.`),
    })
  }

  #lease(
    connection: PostgresConnection,
    isReused: boolean,
    generation: number,
    releasePermit: () => void,
  ): Lease {
    const release = (): void => {
      this.#keep(connection, generation)
      releasePermit()
    }
    return {
      connection,
      isReused,
      release: () => {
        if (connection.settling) connection.settling.finally(release)
        else release()
      },
    }
  }

  #takeIdle(): PostgresConnection | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (idle.connection.isUsable) return idle.connection
    }
    return undefined
  }

  #keep(connection: PostgresConnection, generation: number): void {
    if (!connection.isUsable || generation !== this.#generation) {
      connection.destroy()
      return
    }
    const expire = (): void => {
      this.#idle = this.#idle.filter((idle) => idle.connection !== connection)
      connection.end().catch(() => {})
    }
    const timer = setTimeout(expire, this.#limits.idleTimeoutMs).unref()
    this.#idle.push({ connection, timer })
  }
}

function closed(): StoreUnavailable {
  return new StoreUnavailable('The connections to PostgreSQL are closed.')
}
