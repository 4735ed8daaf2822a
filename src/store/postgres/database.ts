import { setTimeout as wait } from 'node:timers/promises'
import type { Caller } from '../caller.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionPool, type Lease } from './connection-pool.ts'
import {
  type ConnectionLimits,
  connectionLimits,
  type PostgresConnectionOptions,
} from './options.ts'
import { ConnectionLost, PostgresError } from './postgres-error.ts'
import { type SessionHook, settingStatements } from './session-settings.ts'
import type { PostgresResult } from './statement.ts'
import { PostgresTransaction } from './transaction.ts'

export interface DatabaseOptions extends PostgresConnectionOptions {
  readonly session?: SessionHook
}

/** The longest time of a timer of Node.js, 24 days. */
const maxTimeoutMs = 2 ** 31 - 1

/** How often a transaction runs that others get in the way of. */
export const maxAttempts = 8

/**
 * Runs statements on a pool of connections. Values of rows are text. Statements that the server
 * refuses throw `PostgresError`.
 *
 * @throws StoreUnavailable while the server cannot be used; StoreOverloaded if too many calls wait;
 * StoreTimeout if a statement takes too long; the reason of the caller's signal
 */
export class PostgresDatabase {
  readonly #limits: ConnectionLimits
  readonly #pool: ConnectionPool
  readonly #session: SessionHook

  /** Connects when it is first used. */
  constructor(url: string, { session = () => undefined, ...options }: DatabaseOptions = {}) {
    this.#limits = connectionLimits(options)
    this.#pool = new ConnectionPool(url, this.#limits)
    this.#session = session
  }

  /**
   * Runs statements that only read, in one round trip. They run again on a new connection if the
   * one they were sent on turns out to be dead.
   */
  async read(
    statements: readonly Statement[],
    caller?: Caller,
  ): Promise<readonly PostgresResult[]> {
    try {
      return await this.#withConnection(caller, ({ connection, isReused }) =>
        this.#run(connection, statements, caller).catch((error) => {
          throw this.#asRetry(error, isReused)
        }),
      )
    } catch (error) {
      if (!(error instanceof DeadConnection)) throw error
    }
    return this.#withConnection(caller, ({ connection }) =>
      this.#run(connection, statements, caller),
    )
  }

  /**
   * Runs statements in one round trip and one transaction of `read committed`. They run again if
   * another transaction got in their way.
   */
  write(statements: readonly Statement[], caller?: Caller): Promise<readonly PostgresResult[]> {
    return this.#withRetries(caller, () =>
      this.#withConnection(caller, ({ connection }) => this.#run(connection, statements, caller)),
    )
  }

  /**
   * Runs the function in a transaction: again if another transaction got in its way, or if the
   * connection was lost before the commit was sent.
   */
  async transaction<T>(
    work: (transaction: PostgresTransaction) => Promise<T>,
    caller?: Caller,
    timeoutMs: number = this.#limits.statementTimeoutMs,
  ): Promise<T> {
    const attempt = () =>
      this.#withConnection(caller, async ({ connection, isReused }) => {
        const transaction = new PostgresTransaction(
          connection,
          settingStatements(this.#session(caller)),
          { caller, timeoutMs },
        )
        let result: T
        try {
          result = await work(transaction)
        } catch (error) {
          await transaction.rollback()
          throw transaction.isRepeatable ? this.#asRetry(error, isReused) : error
        }
        await transaction.commit()
        return result
      })
    return this.#withRetries(caller, () =>
      attempt().catch((error: unknown) => {
        if (error instanceof DeadConnection) return attempt()
        throw error
      }),
    )
  }

  longTransaction<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.transaction(work, undefined, maxTimeoutMs)
  }

  inspect<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.longTransaction(work)
  }

  /** Waits for calls that are under way, and closes all connections. */
  close(): Promise<void> {
    return this.#pool.close()
  }

  async #run(
    connection: PostgresConnection,
    statements: readonly Statement[],
    caller: Caller | undefined,
  ): Promise<readonly PostgresResult[]> {
    const before = settingStatements(this.#session(caller))
    const results = await connection.run([...before, ...statements], this.#runOptions(caller))
    return before.length === 0 ? results : results.slice(before.length)
  }

  async #withConnection<T>(
    caller: Caller | undefined,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    const lease = await this.#pool.acquire(caller)
    try {
      return await work(lease)
    } finally {
      lease.release()
    }
  }

  async #withRetries<T>(caller: Caller | undefined, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof PostgresError && error.isConflict)) throw error
        if (attempt === maxAttempts)
          throw new StoreUnavailable(`${attempt} attempts failed: ${error.message}.`, {
            cause: error,
          })
      }
      // Random, so that those who got in each other's way do not meet again.
      await wait(Math.random() * 10 * 2 ** Math.min(attempt, 5))
      caller?.signal.throwIfAborted()
    }
  }

  /** The error to throw if the work can run again on another connection, else the error itself. */
  #asRetry(error: unknown, isReused: boolean): unknown {
    if (!(error instanceof ConnectionLost && isReused)) return error
    this.#pool.discardIdle()
    return new DeadConnection(error.message, { cause: error.cause })
  }

  #runOptions(caller: Caller | undefined): {
    readonly caller: Caller | undefined
    readonly timeoutMs: number
  } {
    return { caller, timeoutMs: this.#limits.statementTimeoutMs }
  }
}

/** The connection was dead before it was used. */
class DeadConnection extends ConnectionLost {}
