import type { Statement } from '../sql/statement-cache.ts'
import type { WriteOptions, WriteOutcome } from '../store-transaction.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import type { StatementResult } from './sql-database.ts'
import { outcomeOfViolation, refuseFormerVersion } from './violations.ts'
import type { Attempt, WriteSession } from './write-session.ts'

/** What became of a write: what it returned, or why the item was not written. */
export type WriteAttempt =
  | Exclude<WriteOutcome, { kind: 'written' }>
  | { readonly kind: 'done'; readonly results: readonly StatementResult[] }

/** Runs writes that the database may refuse, and says what their violations mean. */
export class WriteAttempts {
  readonly #engine: Engine
  readonly #session: WriteSession
  /** Have tables of other programs changed? */
  #hasForeignChanges = false

  constructor(engine: Engine, session: WriteSession) {
    this.#engine = engine
    this.#session = session
  }

  /** A row of the table changes. */
  noteChange({ isManaged }: ItemTable): void {
    this.#hasForeignChanges ||= !isManaged
  }

  /** @param expects as in `WriteOptions` */
  async attempt(
    table: ItemTable,
    statements: readonly Statement[],
    expects: WriteOptions['expects'],
  ): Promise<WriteAttempt> {
    this.noteChange(table)
    return this.#outcomeOf(table, await this.#session.attempt(statements, expects))
  }

  /**
   * Commits, unless something is refused.
   * @param check reads the row, and fails unless it is as it should be
   */
  async attemptLast(
    table: ItemTable,
    statements: readonly Statement[],
    check: Statement,
    expects: WriteOptions['expects'],
  ): Promise<WriteAttempt> {
    this.noteChange(table)
    // What is checked at the end may change the row too.
    const last = [...statements, ...this.#deferredCheck(), check]
    return this.#outcomeOf(table, await this.#session.attemptLast(last, expects))
  }

  /** Do the changes satisfy what the database would check at the commit? */
  async deferredHolds(): Promise<boolean> {
    const check = this.#deferredCheck()
    if (check.length === 0) return true
    return (await this.#session.attemptWithSavepoint(check)).kind !== 'violation'
  }

  /** Checks what the database would check at the commit, which could only fail as a whole. */
  #deferredCheck(): readonly Statement[] {
    const sql = this.#engine.checkDeferred
    return this.#hasForeignChanges && sql !== ''
      ? [{ sql, parameters: [], needsTransaction: true }]
      : []
  }

  /** @throws StoreUnavailable if a newer version requires what this one does not write */
  #outcomeOf(table: ItemTable, attempt: Attempt): WriteAttempt {
    if (attempt.kind !== 'violation') return attempt
    // Only an engine that changes columns frees those that no field has any more.
    if (this.#engine.constraints === 'separate')
      refuseFormerVersion(table, attempt.violation, attempt.cause)
    return outcomeOfViolation(table, attempt.violation)
  }
}
