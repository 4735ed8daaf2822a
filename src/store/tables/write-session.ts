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
  /** A count is not as expected, and nothing has run. */
  | { readonly kind: 'unmet' }

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
    return this.#failure
  }

  async run(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
    return this.#usableSession().run(statements)
  }

  /**
   * Runs statements that the database may refuse, once the counts are as expected.
   *
   * @throws OptimismFailed if it refuses them in an optimistic transaction, or a count is another
   */
  async attempt(
    statements: readonly Statement[],
    expects: readonly ExpectedCount[] = noCounts,
  ): Promise<Attempt> {
    if (!this.isOptimistic) return this.attemptWithSavepoint(statements, expects)
    try {
      const results = await this.run([...this.#countsOf(expects), ...statements])
      if (!areMet(expects, results)) throw this.#fail(undefined)
      return { kind: 'done', results: results.slice(expects.length) }
    } catch (error) {
      throw this.#engine.violationOf(error) ? this.#fail(error) : error
    }
  }

  /**
   * Runs the last statements of an optimistic transaction, and commits.
   *
   * @throws OptimismFailed if the database refuses them, or a count is not as expected
   */
  async attemptLast(
    statements: readonly Statement[],
    expects: readonly ExpectedCount[] = noCounts,
  ): Promise<Attempt> {
    const assertions = this.#queries.assertCounts(expects)
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
  async attemptWithSavepoint(
    statements: readonly Statement[],
    expects: readonly ExpectedCount[] = noCounts,
  ): Promise<Attempt> {
    if (!(await this.areMet(expects))) return { kind: 'unmet' }
    try {
      return { kind: 'done', results: await this.#usableSession().attempt(statements) }
    } catch (error) {
      const violation = this.#engine.violationOf(error)
      if (violation) return { kind: 'violation', violation, cause: error as Error }
      throw error
    }
  }

  /** Are these counts as expected? */
  async areMet(expects: readonly ExpectedCount[] | undefined): Promise<boolean> {
    if (expects === undefined || expects.length === 0) return true
    return areMet(expects, await this.run(this.#countsOf(expects)))
  }

  #countsOf(expects: readonly ExpectedCount[]): readonly Statement[] {
    return expects.map(({ model, condition }) => this.#queries.count(model, condition).count())
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

const noCounts: readonly ExpectedCount[] = Object.freeze([])

/** @param results begin with those of the counts */
function areMet(expects: readonly ExpectedCount[], results: readonly StatementResult[]): boolean {
  return expects.every(({ atLeast }, index) => Number(results[index]!.rows[0]![0]) >= atLeast)
}
