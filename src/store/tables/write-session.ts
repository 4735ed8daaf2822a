import type { Statement } from '../sql/statement-cache.ts'
import { transactionEnded } from '../store-errors.ts'
import type { ExpectedCount } from '../store-transaction.ts'
import type { Engine } from './engine.ts'
import type { ItemQueries } from './item-queries.ts'
import type { SqlSession, StatementResult, Violation } from './sql-database.ts'

/**
 * Something was not as an optimistic transaction assumed: the database refused a write, or a count
 * was not as expected. The transaction cannot go on.
 */
export class OptimismFailed extends Error {
  override readonly name = 'OptimismFailed'
}

export type Attempt =
  | { readonly kind: 'done'; readonly results: readonly StatementResult[] }
  | { readonly kind: 'violation'; readonly violation: Violation; readonly cause: Error }

/** The statements of one transaction of the store. */
export class WriteSession {
  /**
   * Does it assume that no write is refused and that all counts are as expected? Otherwise writes
   * have savepoints, and counts are waited for, which takes longer.
   */
  readonly isOptimistic: boolean
  readonly #engine: Engine
  readonly #queries: ItemQueries
  readonly #session: SqlSession
  #hasEnded = false
  #hasRunLast = false
  #failure: OptimismFailed | undefined
  #expectedCounts: readonly ExpectedCount[] = []

  constructor(engine: Engine, queries: ItemQueries, session: SqlSession, isOptimistic: boolean) {
    this.#engine = engine
    this.#queries = queries
    this.#session = session
    this.isOptimistic = isOptimistic
  }

  /**
   * Makes the session unusable.
   * @returns what was not as assumed, after which other errors do not count
   */
  end(): OptimismFailed | undefined {
    this.#hasEnded = true
    // A work that threw before a count was read may have thrown because it differs.
    return this.#expectedCounts.length > 0 ? this.#fail(undefined) : this.#failure
  }

  /** Lets the next statements read these counts, too. False if the caller has to read them. */
  expectCounts(counts: readonly ExpectedCount[]): boolean {
    if (this.isOptimistic) this.#expectedCounts = [...this.#expectedCounts, ...counts]
    return this.isOptimistic
  }

  async run(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    return this.#usableSession().run(statements)
  }

  /**
   * Runs statements that the database may refuse.
   *
   * @throws OptimismFailed if it refuses them in an optimistic transaction
   */
  async attempt(statements: readonly Statement[]): Promise<Attempt> {
    if (!this.isOptimistic) return this.attemptWithSavepoint(statements)
    try {
      return { kind: 'done', results: await this.#runExpecting(statements) }
    } catch (error) {
      throw this.#engine.violationOf(error) ? this.#fail(error) : error
    }
  }

  /**
   * Runs the last statements of an optimistic transaction, and commits.
   *
   * @throws OptimismFailed if the database refuses them
   */
  async attemptLast(statements: readonly Statement[]): Promise<Attempt> {
    const assertions = this.#takeExpectedCounts().map((count) => this.#queries.assertCount(count))
    const session = this.#usableSession()
    this.#hasRunLast = true
    try {
      const results = await session.runLast([...assertions, ...statements])
      return { kind: 'done', results: results.slice(assertions.length) }
    } catch (error) {
      throw this.#engine.violationOf(error) ? this.#fail(error) : error
    }
  }

  /** Have the last statements run? Nothing can follow them. */
  get hasRunLast(): boolean {
    return this.#hasRunLast
  }

  /** The transaction can go on without the statements if the database refuses them. */
  async attemptWithSavepoint(statements: readonly Statement[]): Promise<Attempt> {
    await this.readExpectedCounts()
    try {
      return { kind: 'done', results: await this.#usableSession().attempt(statements) }
    } catch (error) {
      const violation = this.#engine.violationOf(error)
      if (violation) return { kind: 'violation', violation, cause: error as Error }
      throw error
    }
  }

  /** @throws OptimismFailed if one is not as expected */
  async readExpectedCounts(): Promise<void> {
    if (this.#expectedCounts.length > 0) await this.#runExpecting([])
  }

  /** Runs the statements together with the counts that are expected by now. */
  async #runExpecting(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    const counts = this.#takeExpectedCounts()
    const countStatements = counts.map(({ model, condition }) =>
      this.#queries.count(model, condition).count(),
    )
    const results = await this.run([...countStatements, ...statements])
    if (counts.some(({ expected }, index) => Number(results[index]!.rows[0]![0]) !== expected))
      throw this.#fail(undefined)
    return results.slice(counts.length)
  }

  #takeExpectedCounts(): readonly ExpectedCount[] {
    const counts = this.#expectedCounts
    this.#expectedCounts = []
    return counts
  }

  #fail(cause: unknown): OptimismFailed {
    this.#failure ??= new OptimismFailed('The transaction runs again.', { cause })
    return this.#failure
  }

  #usableSession(): SqlSession {
    if (this.#hasEnded || this.#hasRunLast) throw transactionEnded()
    return this.#session
  }
}
