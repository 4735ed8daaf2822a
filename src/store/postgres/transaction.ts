import type { Statement } from '../sql/statement-cache.ts'
import type { PostgresConnection, RunOptions } from './connection.ts'
import {
  LockTimeout,
  LockTimeoutWithLocks,
  PostgresError,
  ReadOnlyServer,
} from './postgres-error.ts'
import { type RefusedAttempts, TransactionRepeats } from './refused-attempts.ts'
import type { PostgresResult } from './statement.ts'

export interface TransactionOptions extends RunOptions {
  /** What was refused when it ran before; undefined where savepoints undo it. */
  readonly refusals?: RefusedAttempts | undefined
}

/**
 * A transaction under way, of `read committed`. It begins with its first statement, in the same
 * round trip.
 */
export class PostgresTransaction {
  readonly #connection: PostgresConnection
  readonly #options: TransactionOptions
  readonly #settings: readonly Statement[]
  #hasBegun = false
  #mayHaveLocks = false
  /** Did a whole transaction of one round trip fail? The server has rolled it back. */
  #hasFailed = false
  /** How many parts of it the server could refuse. */
  #attemptCount = 0
  #repetition: TransactionRepeats | undefined

  /** @param settings statements that run first */
  constructor(
    connection: PostgresConnection,
    settings: readonly Statement[],
    options: TransactionOptions,
  ) {
    this.#connection = connection
    this.#options = options
    this.#settings = settings
  }

  /** Runs statements in one round trip. After an error the transaction can only be rolled back. */
  async run(statements: readonly Statement[]): Promise<readonly PostgresResult[]> {
    return this.#run(this.#takeBefore(), statements, this.#options)
  }

  /**
   * Runs statements in one round trip. If one of them fails, all of them are undone, and the
   * transaction can go on.
   */
  async attempt(statements: readonly Statement[]): Promise<readonly PostgresResult[]> {
    const { refusals } = this.#options
    return refusals
      ? this.#attemptAgain(statements, refusals)
      : this.#attemptWithSavepoint(statements)
  }

  /** The error after which the transaction has to run again, without what was refused. */
  get repetition(): TransactionRepeats | undefined {
    return this.#repetition
  }

  /** What was refused before is not sent again: its error is known. */
  async #attemptAgain(
    statements: readonly Statement[],
    refusals: RefusedAttempts,
  ): Promise<readonly PostgresResult[]> {
    const index = this.#attemptCount++
    const known = refusals.errorOf(index, statements)
    if (known) throw known
    const settingsCount = this.#hasBegun ? 0 : this.#settings.length
    try {
      return await this.run(statements)
    } catch (error) {
      if (!(error instanceof PostgresError) || error.isConflict) throw error
      if (error.statementIndex < settingsCount) throw error
      refusals.add(index, statements, error)
      this.#repetition = new TransactionRepeats(error)
      throw this.#repetition
    }
  }

  async #attemptWithSavepoint(
    statements: readonly Statement[],
  ): Promise<readonly PostgresResult[]> {
    const savepointIndex = this.#hasBegun ? 0 : this.#settings.length + 1
    try {
      const results = await this.run([statement('savepoint attempt'), ...statements, release])
      return results.slice(1, -1)
    } catch (error) {
      const isUndoable = error instanceof PostgresError && error.statementIndex > savepointIndex
      if (isUndoable && !error.isConflict)
        await this.run([statement('rollback to savepoint attempt'), release])
      throw error
    }
  }

  /**
   * Runs statements and commits in one round trip, unless one of them fails. A transaction that has
   * not begun needs no `begin` and `commit`: the statements of a round trip are one by themselves.
   * @throws OutcomeUnknown if nobody knows whether the transaction was committed
   */
  async runLast(statements: readonly Statement[]): Promise<readonly PostgresResult[]> {
    const { timeoutMs, rewrite } = this.#options
    const options = { timeoutMs, rewrite, commits: true }
    if (this.#isWholeTransaction(statements)) {
      this.#hasFailed = true
      const results = await this.#run(this.#settings, statements, options)
      this.#hasFailed = false
      return results
    }
    const before = this.#takeBefore()
    const results = await this.#run(before, [...statements, commit], options)
    this.#hasBegun = false
    return results.slice(0, -1)
  }

  /**
   * @throws OutcomeUnknown if nobody knows whether the transaction was committed
   * @throws Error if an error of a statement was ignored, so that the server rolled back
   */
  async commit(): Promise<void> {
    if (this.#repetition) throw this.#repetition
    const command = this.#hasBegun ? await this.#end('commit') : 'COMMIT'
    if (command !== 'COMMIT' || this.#hasFailed)
      throw new Error('The transaction was rolled back, because one of its statements failed.')
  }

  /** Never throws: the end of the connection rolls back too. */
  async rollback(): Promise<void> {
    await this.#connection.settling
    if (!this.#hasBegun || !this.#connection.isUsable) return
    await this.#end('rollback').catch(() => this.#connection.destroy())
  }

  async #run(
    before: readonly Statement[],
    statements: readonly Statement[],
    options: RunOptions,
  ): Promise<readonly PostgresResult[]> {
    if (this.#repetition) throw this.#repetition
    try {
      const results = await this.#connection.run([...before, ...statements], options)
      this.#mayHaveLocks = true
      return results.slice(before.length)
    } catch (error) {
      if (error instanceof LockTimeout && this.#mayHaveLocks)
        throw new LockTimeoutWithLocks(error.message, { cause: error })
      if (error instanceof PostgresError && error.statementIndex < before.length)
        throw this.#notBegun(error)
      throw error
    }
  }

  /** The server refused what comes before the statements: they are not at fault. */
  #notBegun(error: PostgresError): Error {
    const text = `PostgreSQL did not begin a transaction: ${error.message}.`
    if (error.sqlState !== standbyState) return new Error(text, { cause: error })
    this.#connection.destroy()
    return new ReadOnlyServer(text, { cause: error })
  }

  #isWholeTransaction(statements: readonly Statement[]): boolean {
    if (this.#hasBegun || !this.#connection.hasOwnSession) return false
    return !statements.some(({ needsTransaction }) => needsTransaction)
  }

  #takeBefore(): readonly Statement[] {
    if (this.#hasBegun) return []
    this.#hasBegun = true
    return [begin, ...this.#settings]
  }

  async #end(sql: 'commit' | 'rollback'): Promise<string | undefined> {
    // The caller is not asked any more: what is sent now cannot be taken back.
    const { timeoutMs } = this.#options
    this.#hasBegun = false
    const [result] = await this.#connection.run([statement(sql)], {
      timeoutMs,
      commits: sql === 'commit',
      rewrite: this.#options.rewrite,
    })
    return result?.command
  }
}

function statement(sql: string): Statement {
  return { sql, parameters: [] }
}

/** Of `begin read write` on a standby. */
const standbyState = '0A000'

const begin = statement('begin isolation level read committed read write')
const release = statement('release savepoint attempt')
const commit = statement('commit')
