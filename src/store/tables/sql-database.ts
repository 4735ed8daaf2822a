import type { ChangeSignal } from '../change-signal.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Table } from '../sql/table.ts'
import type { StoreCall } from '../store-call.ts'
import type { StoreDescription } from '../store-description.ts'

/** The rows of a statement, and how many it selected, inserted, updated or deleted. */
export interface StatementResult {
  readonly rows: readonly (readonly unknown[])[]
  readonly count: number
}

/** A transaction under way. */
export interface SqlSession {
  /** Runs statements in one round trip. After an error the transaction can only be rolled back. */
  run(statements: readonly Statement[]): Promise<readonly StatementResult[]>
  /**
   * Runs statements in one round trip. If one of them violates a constraint, all of them are
   * undone, and the transaction can go on.
   */
  attempt(statements: readonly Statement[]): Promise<readonly StatementResult[]>
  /**
   * Runs the last statements of the transaction. A database far away commits in the same round
   * trip, unless one of them fails.
   */
  runLast(statements: readonly Statement[]): Promise<readonly StatementResult[]>
}

/** A database with ordinary tables. */
export interface SqlDatabase {
  /** Runs statements that only read, in one round trip. */
  read(statements: readonly Statement[], call?: StoreCall): Promise<readonly StatementResult[]>
  /** Runs the function in a transaction, again if it conflicted with another. */
  transaction<T>(work: (session: SqlSession) => Promise<T>, call?: StoreCall): Promise<T>
  /** Runs the function in a transaction without a time limit: building an index takes long. */
  longTransaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>
  /** Runs a function that only reads. The database is not created, and stays as it is. */
  inspect<T>(work: (session: SqlSession) => Promise<T>): Promise<T>
  /**
   * Code in a transaction may do nothing for so long. A database far away ends it some time later
   * by itself, also if this process cannot.
   */
  allowIdle?(timeoutMs: number): void
  /**
   * From now on, transactions say that they log by themselves what they change: triggers log the
   * changes of all others.
   */
  logsByItself?(): void
  /**
   * The tables with indexes of the words that searches of them need, where the store makes these
   * after the tables.
   * @param nameOf the name of a table, not quoted
   */
  indexWords?<T extends Table>(
    tables: readonly T[],
    nameOf: (table: T) => string,
  ): Promise<readonly T[]>
  /**
   * Says when the log of changes may have grown. Called once.
   * @param latest as `ChangeLogStatements.latest`
   */
  changeSignal(latest: Statement): ChangeSignal
  /** As `StoreAdmin.describe`. */
  describe(): StoreDescription | undefined
  close(): Promise<void>
}

interface ViolatedTable {
  /** A trigger may have written to another table. Undefined if the database does not say it. */
  readonly table: string | undefined
}

/** What a statement violated, as the database reports it. */
export type Violation =
  | (ViolatedTable & {
      readonly kind: 'unique' | 'foreignKey' | 'check' | 'exclusion'
      readonly constraint: string
    })
  /** Of engines that name the columns of a key. */
  | (ViolatedTable & { readonly kind: 'uniqueColumns'; readonly columns: readonly string[] })
  | (ViolatedTable & { readonly kind: 'notNull'; readonly column: string })
  /** A value that its column cannot hold, such as a number beyond its range. */
  | { readonly kind: 'value' }
