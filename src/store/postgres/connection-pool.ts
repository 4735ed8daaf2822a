import { FairSemaphore } from '../../concurrency/fair-semaphore.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { type GaugeReader, gauges, listenTo } from '../../telemetry/channels.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreOverloaded } from '../store-failures.ts'
import type { ConnectOptions } from './connect.ts'
import type { PostgresConnection } from './connection.ts'
import {
  type CallKind,
  connectionShares,
  type ShareSizes,
  shareSizes,
} from './connection-shares.ts'
import { Connector, closed } from './connector.ts'
import type { ConnectionLimits } from './options.ts'
import { type ServerTimeouts, serverTimeouts } from './server-timeouts.ts'
import type { Servers } from './servers.ts'
import { StatementNames } from './statement-names.ts'
import { UnconfirmedCommits } from './unconfirmed-commits.ts'

/** A connection on loan. */
export interface Lease {
  readonly connection: PostgresConnection
  /** Was the connection used before? Then it may be dead, which nobody has noticed. */
  readonly isReused: boolean
  /** The time limits of the server for a transaction on it. */
  readonly timeouts: ServerTimeouts
  release(): void
}

interface IdleConnection {
  readonly connection: PostgresConnection
  readonly timer: NodeJS.Timeout
}

/** What metrics call it, which cannot tell one pool from another. */
const poolName = 'postgresql'

/** Calls that no request makes share one place in the turns. */
const noClient = ''

/**
 * Opens connections when they are needed, keeps them for later calls, and limits their number.
 * Clients take turns by the time that their calls have connections. Each kind of call has a share
 * of the connections, so that no call waits for slower ones.
 */
export class ConnectionPool {
  readonly #connector: Connector
  readonly #limits: ConnectionLimits
  readonly #permits: FairSemaphore
  readonly #names: StatementNames
  readonly #sizes: ShareSizes
  readonly #shares: ReturnType<typeof connectionShares>
  /** How many calls wait. */
  readonly #waiting: Record<CallKind, number> = { quick: 0, transaction: 0, long: 0 }
  readonly #unconfirmed: UnconfirmedCommits
  /** How long code in a transaction may do nothing, if that has a limit. */
  #idleMs: number | undefined
  /** The one that was used last is used next, so that the others can be closed. */
  #idle: IdleConnection[] = []
  /** Connections of an earlier generation are closed when they come back. */
  #generation = 0
  #closing: Promise<void> | undefined
  readonly #stopMeasuring = listenTo(gauges, (reader) => this.#measure(reader))

  constructor(servers: Servers, limits: ConnectionLimits) {
    this.#connector = new Connector(
      servers,
      limits,
      () => this.#connectOptions,
      () => this.discard(),
    )
    this.#limits = limits
    this.#permits = new FairSemaphore(limits.maxConnections)
    this.#names = new StatementNames(limits.preparedStatements)
    this.#sizes = shareSizes(limits.maxConnections)
    this.#shares = connectionShares(this.#sizes)
    this.#unconfirmed = new UnconfirmedCommits(Math.ceil(limits.maxConnections / 2), () =>
      this.#waitingCommits(),
    )
  }

  /** Code in a transaction may do nothing for so long. The longest time counts. */
  allowIdle(timeoutMs: number): void {
    this.#idleMs = Math.max(this.#idleMs ?? 0, timeoutMs)
  }

  /**
   * @param since when a connection of the call was lost before, by `performance.now()`
   * @throws StoreOverloaded if too many calls wait, or one waits for too long
   * @throws StoreUnavailable if the server cannot be reached, also after a while
   */
  async acquire(call: StoreCall | undefined, kind: CallKind, since?: number): Promise<Lease> {
    for (let beganAt = since; ; ) {
      if (this.#closing) throw closed()
      const { outage } = this.#connector
      if (outage && this.#idle.length === 0 && !outage.isLong) {
        beganAt ??= performance.now()
        await outage.untilOver(call, beganAt)
        continue
      }
      const releasePermit = await this.#permit(call, kind)
      const idle = this.#takeIdle()
      if (idle) return this.#lease(idle, true, this.#generation, releasePermit)
      beganAt ??= performance.now()
      try {
        return await this.#openLease(call, releasePermit)
      } catch (error) {
        if (!this.#connector.noteFailure(error)) throw error
      }
    }
  }

  async #openLease(call: StoreCall | undefined, releasePermit: () => void): Promise<Lease> {
    const generation = this.#generation
    const connecting = this.#connector.connect()
    try {
      const connection = await withTimeout(connecting, { waiter: call })
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

  get #connectOptions(): ConnectOptions {
    const generation = this.#generation
    return {
      connectTimeoutMs: this.#limits.connectTimeoutMs,
      names: this.#names,
      timeouts: serverTimeouts(this.#limits, this.#idleMs),
      onDemoted: () => {
        if (generation === this.#generation) this.discard()
      },
    }
  }

  /** Closes all connections that are not in use, and the others when they are given back. */
  discard(): void {
    this.#generation++
    for (let idle = this.#takeIdle(); idle; idle = this.#takeIdle()) idle.destroy()
  }

  /** Waits for calls that are under way, and closes all connections. */
  close(): Promise<void> {
    this.#connector.close()
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#stopMeasuring()
    await this.#permits.idle()
    const connections = this.#idle.map(({ connection }) => connection)
    for (const { timer } of this.#idle) clearTimeout(timer)
    this.#idle = []
    await Promise.all(connections.map((connection) => connection.end()))
  }

  #measure(reader: GaugeReader): void {
    const { quick, transaction, long } = this.#waiting
    reader.read('connectionsIdle', this.#idle.length, poolName)
    reader.read('connectionsUsed', this.#permits.takenCount, poolName)
    reader.read('connectionsMax', this.#limits.maxConnections, poolName)
    reader.read('waitingCalls', quick + transaction + long, poolName)
  }

  /** How many commits the server still waits with that were given up, of all processes. */
  async #waitingCommits(): Promise<number> {
    const lease = await this.acquire(undefined, 'quick')
    try {
      const { statementTimeoutMs: timeoutMs } = this.#limits
      // A commit that was sent just now may wait for a moment as a rule.
      const statement = { sql: waitingCommitsSql, parameters: [timeoutMs / 2] }
      const [result] = await lease.connection.run([statement], { timeoutMs })
      return Number(result!.rows[0]![0])
    } finally {
      lease.release()
    }
  }

  async #permit(call: StoreCall | undefined, kind: CallKind): Promise<() => void> {
    if (kind !== 'transaction') return this.#turn(call, kind)
    if (!this.#unconfirmed.areFew) await this.#unconfirmed.check()
    const release = await this.#turn(call, kind)
    // Commits of others may have been given up meanwhile.
    if (this.#unconfirmed.areFew) return release
    release()
    return this.#permit(call, kind)
  }

  async #turn(call: StoreCall | undefined, kind: CallKind): Promise<() => void> {
    const client = call?.client ?? noClient
    const share = this.#shares[kind]
    if (this.#permits.isFreeFor(client, share)) return this.#permits.acquire(client, {}, share)
    const { maxWaiting, acquireTimeoutMs } = this.#limits
    if (this.#waiting[kind] >= maxWaiting)
      throw new StoreOverloaded(`${maxWaiting} calls wait for a connection to PostgreSQL.`)
    const timeoutError = () =>
      new StoreOverloaded(`No connection to PostgreSQL was free for ${acquireTimeoutMs} ms.`)
    this.#waiting[kind]++
    try {
      const wait = { waiter: call, timeoutMs: acquireTimeoutMs, timeoutError }
      return await this.#permits.acquire(client, wait, share)
    } finally {
      this.#waiting[kind]--
    }
  }

  /** A transaction that begins while many others run gets less time to wait for locks. */
  get #timeouts(): ServerTimeouts {
    const isCrowded = (this.#shares.transaction?.count ?? 0) > this.#sizes.patientTransactions
    return serverTimeouts(this.#limits, this.#idleMs, isCrowded)
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
      timeouts: this.#timeouts,
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
    if (connection.hasUnconfirmedCommit) this.#unconfirmed.add()
    if (!connection.isUsable || generation !== this.#generation) {
      if (connection.isUnresponsive) this.#connector.check()
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

const waitingCommitsSql =
  "select count(*) from pg_stat_activity where usename = session_user and wait_event = 'SyncRep' and clock_timestamp() - query_start > $1::float8 * interval '1 millisecond'"
