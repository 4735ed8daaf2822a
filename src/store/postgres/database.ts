import { setTimeout as wait } from 'node:timers/promises'
import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import type { ChangeSignal } from '../change-signal.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import type { StoreDescription } from '../store-description.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { Engine } from '../tables/engine.ts'
import { adaptEngine } from './adapt-engine.ts'
import { postgresChangeSignal } from './change-signal.ts'
import { withoutCollations } from './code-point-order.ts'
import type { PostgresConnection, RewriteStatements, RunOptions } from './connection.ts'
import { ConnectionPool, type Lease } from './connection-pool.ts'
import type { CallKind } from './connection-shares.ts'
import { closed } from './connector.ts'
import {
  type ConnectionLimits,
  connectionLimits,
  type PostgresConnectionOptions,
  type PostgresTimeOptions,
} from './options.ts'
import {
  ConnectionLost,
  LockTimeoutWithLocks,
  PostgresError,
  ReadOnlyServer,
  UselessConnection,
} from './postgres-error.ts'
import { probeFeatures } from './probe-features.ts'
import { RefusedAttempts, TransactionRepeats } from './refused-attempts.ts'
import {
  descriptionOf,
  type ServerFeature,
  type ServerFeatures,
  warnOfMissingFeatures,
} from './server-features.ts'
import { noTimeouts, type ServerTimeouts, timeoutsToSet } from './server-timeouts.ts'
import { serverUrls } from './server-urls.ts'
import { Servers } from './servers.ts'
import { type SessionHook, settingStatements } from './session-settings.ts'
import type { PostgresResult } from './statement.ts'
import { StatementNames } from './statement-names.ts'
import { PostgresTransaction } from './transaction.ts'

export interface DatabaseOptions extends PostgresConnectionOptions, PostgresTimeOptions {
  readonly session?: SessionHook
}

interface TransactionLimits {
  readonly timeoutMs: number
  /** Default: those of the options. */
  readonly timeouts?: ServerTimeouts
}

/** Triggers do not log what a transaction with this setting writes (`ChangeCapture`). */
const byItself: Readonly<Record<string, string>> = { 'resourcery.capture': 'off' }

/** The longest time of a timer of Node.js, 24 days. */
const maxTimeoutMs = 2 ** 31 - 1

/** How often a transaction runs that others get in the way of. */
export const maxAttempts = 8

/**
 * How often a transaction runs that waits for a lock in vain while it may have locks itself. Each
 * time takes as long as it may wait.
 */
const maxAttemptsWithLocks = 2
const pauseWithLocksMs = 200

/** How often a call runs again on another connection. */
const maxRepeats = 3

/**
 * Runs statements on a pool of connections. Values of rows are text. Statements that the server
 * refuses throw `PostgresError`.
 *
 * @throws StoreUnavailable while the server cannot be used; StoreOverloaded if too many calls wait;
 * StoreTimeout if a statement takes too long; the reason of the caller's signal
 */
export class PostgresDatabase {
  readonly #servers: Servers
  readonly #limits: ConnectionLimits
  readonly #pool: ConnectionPool
  readonly #session: SessionHook
  /** Of transactions. */
  #settings: Readonly<Record<string, string>> | undefined
  /** Undefined before the store opens. */
  #server: ServerFeatures | undefined
  #rewrite: RewriteStatements | undefined
  #transactionCount = 0
  #isClosing = false
  /** Settles while it closes, once no transaction is under way. */
  readonly #idle = promiseWithResolvers()

  /**
   * Connects when it is first used.
   * @param servers a URL names the primary, or several hosts of which one is it
   */
  constructor(
    servers: string | Servers,
    { session = () => undefined, ...options }: DatabaseOptions = {},
  ) {
    this.#servers =
      typeof servers === 'string'
        ? new Servers(serverUrls('PostgreSQL', servers, options.hosts), 'primary')
        : servers
    this.#limits = connectionLimits(options)
    this.#pool = new ConnectionPool(this.#servers, this.#limits)
    this.#session = session
  }

  /**
   * Runs statements that only read, in one round trip. They run again on a new connection if the
   * one they were sent on turns out to be dead.
   */
  read(statements: readonly Statement[], call?: StoreCall): Promise<readonly PostgresResult[]> {
    const isLong = statements.some((statement) => statement.isLong)
    // Code without a request may read for longer, such as an export.
    const timeoutMs = isLong && call ? this.#limits.listTimeoutMs : this.#limits.statementTimeoutMs
    return this.#onConnection(call, isLong ? 'long' : 'quick', ({ connection }) =>
      this.#run(connection, statements, call, {
        timeoutMs,
        call,
        canAbort: true,
        rewrite: this.#rewrite,
      }),
    )
  }

  /**
   * Runs statements in one round trip and one transaction of `read committed`. They run again if
   * they conflicted with another transaction.
   * @throws OutcomeUnknown if nobody knows whether it was committed
   */
  write(statements: readonly Statement[], call?: StoreCall): Promise<readonly PostgresResult[]> {
    return this.#withRetries(call, () =>
      this.#onConnection(call, 'transaction', ({ connection }) =>
        this.#run(connection, statements, call, {
          timeoutMs: this.#limits.statementTimeoutMs,
          commits: true,
          rewrite: this.#rewrite,
        }),
      ),
    )
  }

  /**
   * Runs the function in a transaction: again if it conflicted with another, or if the
   * connection was lost before the commit was sent.
   * @throws OutcomeUnknown if nobody knows whether it was committed
   */
  transaction<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    call?: StoreCall,
  ): Promise<T> {
    return this.#transaction(work, call, { timeoutMs: this.#limits.statementTimeoutMs })
  }

  async #transaction<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    call: StoreCall | undefined,
    { timeoutMs, ...limits }: TransactionLimits,
  ): Promise<T> {
    const refusals = this.#lacks('savepoints') ? new RefusedAttempts() : undefined
    const attempt = () =>
      this.#onConnection(call, 'transaction', async ({ connection, timeouts }) => {
        const wanted = limits.timeouts ?? timeouts
        const transaction = new PostgresTransaction(
          connection,
          settingStatements(this.#session(call), {
            ...timeoutsToSet(wanted, connection.timeouts),
            ...this.#settings,
          }),
          { call, timeoutMs, rewrite: this.#rewrite, refusals },
        )
        try {
          const result = await work(transaction)
          await transaction.commit()
          return result
        } catch (error) {
          await transaction.rollback()
          throw transaction.repetition ?? error
        }
      })
    return this.#withRetries(call, attempt)
  }

  longTransaction<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.#transaction(work, undefined, { timeoutMs: maxTimeoutMs, timeouts: noTimeouts })
  }

  inspect<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.longTransaction(work)
  }

  /** Asks the server what it can do, and goes on without what it lacks. */
  async adaptEngine(engine: Engine, changesTables: boolean): Promise<Engine> {
    const features = await probeFeatures((texts) => this.#probe(texts), changesTables)
    this.#server = features
    if (features.lacks.has('collations')) this.#rewrite = withoutCollations
    warnOfMissingFeatures(features)
    return adaptEngine(engine, features)
  }

  #probe(texts: readonly string[]): Promise<readonly PostgresResult[]> {
    return this.longTransaction(async (transaction) => {
      const results = await transaction.run(texts.map((sql) => ({ sql, parameters: [] })))
      await transaction.rollback()
      return results
    })
  }

  #lacks(feature: ServerFeature): boolean {
    return this.#server?.lacks.has(feature) === true
  }

  describe(): StoreDescription | undefined {
    return this.#server && descriptionOf(this.#server)
  }

  /** Code in a transaction may do nothing for so long; the server ends it a while later. */
  allowIdle(timeoutMs: number): void {
    this.#pool.allowIdle(timeoutMs)
  }

  logsByItself(): void {
    this.#settings = byItself
  }

  changeSignal(latest: Statement): ChangeSignal {
    const { connectTimeoutMs, statementTimeoutMs: timeoutMs } = this.#limits
    const names = new StatementNames(false)
    return postgresChangeSignal({
      read: (statement) => this.read([statement]),
      connect: () => this.#servers.connect({ connectTimeoutMs, names, timeouts: noTimeouts }),
      timeoutMs,
      latest,
      canNotify: () => !this.#lacks('notifications'),
    })
  }

  /**
   * Waits for calls that are under way, and closes all connections. A transaction is under way
   * until it need not run again, which takes a connection once more.
   */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#transactionCount === 0) this.#idle.resolve()
    await this.#idle.promise
    await this.#pool.close()
  }

  async #run(
    connection: PostgresConnection,
    statements: readonly Statement[],
    call: StoreCall | undefined,
    options: RunOptions,
  ): Promise<readonly PostgresResult[]> {
    const before = settingStatements(this.#session(call))
    if (before.length === 0) return connection.run(statements, options)
    const results = await connection.run([...before, ...statements], options)
    return results.slice(before.length)
  }

  /** Runs the work, again on another connection where its own turns out to be of no use. */
  async #onConnection<T>(
    call: StoreCall | undefined,
    kind: CallKind,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    let lostAt: number | undefined
    for (let repeats = 0; ; repeats++) {
      const lease = await this.#pool.acquire(call, kind, lostAt)
      try {
        return await work(lease)
      } catch (error) {
        if (!this.#mayRepeat(error, lease, kind) || repeats === maxRepeats) throw error
        lostAt ??= performance.now()
      } finally {
        lease.release()
      }
    }
  }

  async #withRetries<T>(call: StoreCall | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#isClosing) throw closed()
    this.#transactionCount++
    try {
      for (let attempt = 1; ; attempt++) {
        let maxPauseMs = 10 * 2 ** Math.min(attempt, 5)
        try {
          return await work()
        } catch (error) {
          if (error instanceof TransactionRepeats) {
            call?.signal.throwIfAborted()
            attempt--
            continue
          }
          if (attempt >= maxAttemptsAfter(error)) {
            if (!isConflict(error)) throw error
            throw new StoreUnavailable(`${attempt} attempts failed: ${error.message}.`, {
              cause: error,
            })
          }
          // All transactions of a deadlock may end at once.
          if (!isConflict(error)) maxPauseMs = pauseWithLocksMs
        }
        // Random, so that those who got in each other's way do not meet again.
        await wait(Math.random() * maxPauseMs)
        call?.signal.throwIfAborted()
      }
    } finally {
      this.#transactionCount--
      if (this.#isClosing && this.#transactionCount === 0) this.#idle.resolve()
    }
  }

  /** Can the work run again on another connection? Nothing that it did is committed. */
  #mayRepeat(error: unknown, { isReused }: Lease, kind: CallKind): boolean {
    // Some servers let reads conflict. Transactions run again after a pause.
    if (isConflict(error)) return kind !== 'transaction'
    if (!(error instanceof ConnectionLost)) return false
    // Others may be dead too, or lead to the same server.
    if (isReused || error instanceof ReadOnlyServer) this.#pool.discard()
    return isReused || error instanceof UselessConnection
  }
}

function isConflict(error: unknown): error is PostgresError {
  return error instanceof PostgresError && error.isConflict
}

function maxAttemptsAfter(error: unknown): number {
  if (isConflict(error)) return maxAttempts
  return error instanceof LockTimeoutWithLocks ? maxAttemptsWithLocks : 1
}
