import type { TableName } from '../../model/storage.ts'
import type { ChangeOrder } from '../sql/change-log-statements.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { PreparedQueries, Statement } from '../sql/statement-cache.ts'
import type { ReadableTable, TableOf } from '../sql/table.ts'
import type { ChangeCapture } from './change-capture.ts'
import type { ColumnCodec, ColumnCodecs, ColumnType } from './column-type.ts'
import type { LockValue } from './lock-fields.ts'
import type { RelationalExclusion } from './relational-layout.ts'
import type { ColumnSchema, DatabaseSchema, TableSelection } from './schema/database-schema.ts'
import type { DatabaseType } from './schema/database-type.ts'
import type { SqlSession, Violation } from './sql-database.ts'
import type { WordIndexing } from './word-indexes.ts'

/** Locks between transactions that take them; no other statement waits for one. */
export interface Locks {
  table(table: TableName, mode: LockMode): Statement
  /** Of values of a table, which are locked in one order. */
  values(table: TableName, values: readonly LockValue[], mode: LockMode): readonly Statement[]
}

/** The SQL of constraints that rows must not overlap. */
export interface Exclusions {
  /** Adds the constraint to the table. */
  add(table: TableName, exclusion: RelationalExclusion): string
  /** The condition that the rows with these aliases overlap. */
  overlap(exclusion: RelationalExclusion, one: string, other: string): string
}

/** A statement, or that a record is written again as it is, which is a change on any server. */
type Confirmation = Statement | 'writeAgain'

/** Any number of transactions may have a shared lock, if none has an exclusive one. */
export type LockMode = 'shared' | 'exclusive'

/** What a store does only where the database has what it takes. */
export type Capability = 'changesTables' | 'addsForeignKeys' | 'logsChanges'

/** Where changes of rows are noted while a start fills in columns. */
export interface LoggedTable {
  readonly table: TableName
  readonly key: string
  /** A change of one of these is noted, and each new row. */
  readonly columns: readonly string[]
  /** Its columns are `id` and `n`, a number that each further change of the row counts up. */
  readonly log: TableName
}

/** How a start learns which rows others change meanwhile. */
export interface ChangedIdsLog {
  /** Statements that leave alone what exists already. */
  create(logged: LoggedTable): readonly string[]
  drop(logged: Pick<LoggedTable, 'table' | 'log'>): readonly string[]
}

/** A database whose server may lack what an engine has elsewhere. */
export interface EngineAdapter {
  /**
   * The engine as it can be on this server.
   * @param changesTables may the store change tables?
   */
  adaptEngine?(engine: Engine, changesTables: boolean): Promise<Engine>
}

/** The SQL of ordinary tables that differs between engines. */
export interface Engine {
  readonly dialect: Dialect
  /** The columns of tables that the store makes. */
  readonly codecs: ColumnCodecs
  /** How a column keeps values of a type of fields; undefined if it cannot hold them. */
  codecFor(type: ColumnType, databaseType: DatabaseType): ColumnCodec | undefined
  /** Prepares queries with the strategies of the engine. */
  prepareQueries(tableOf: TableOf<ReadableTable>): PreparedQueries<ReadStrategy>
  readonly maxNameBytes: number
  /** The part of an id with several parts, which `~` separates, as text. */
  idPart(id: string, index: number): string
  /** The condition that a text is this one, whatever the collations of its columns hold equal. */
  isExactly(text: string, other: string): string
  /** Is each call a round trip to a server? */
  readonly isRemote: boolean
  quoteTable(name: TableName): string
  /** A query for a JSON array of the ids of a join table, as text without spaces. */
  idList(target: string, order: readonly string[], from: string, where: string): string
  /**
   * The value, as an expression that ends the statement above its byte limit, if the engine counts
   * in SQL. The columns may have long texts.
   */
  countingBytes(value: string, columns: readonly string[]): string
  /** The statements of an insert into a table whose last one returns the id of the new row. */
  insertReturningId(insertSql: string, tableSql: string, idSql: string): readonly string[]
  /** Can it do so where the database makes a part of a key of several columns? */
  readonly returnsCompositeIds: boolean
  /** The end of a query whose rows stay as they are until the end of the transaction. */
  readonly lockRows: string
  /** Can one statement lock several rows? */
  readonly locksSeveralRows: boolean
  /** Can a transaction undo a part of what it did? */
  readonly hasSavepoints: boolean
  /** Locks until the end of the transaction; undefined where one transaction writes at a time. */
  readonly locks: Locks | undefined
  /** Creates the table whose rows are locks; empty where locks need none. */
  readonly createLockTable: readonly string[]
  /** Keeps other processes from changing tables until the end of the transaction. */
  readonly lockSchema: readonly string[]
  /**
   * The same, if no other process does so now: without a row it is not locked. Undefined where only
   * waiting tells.
   */
  readonly tryLockSchema: string | undefined
  /** Ends statements of the transaction that wait longer for a lock; empty where none waits. */
  limitLockWait(maxWaitMs: number): readonly string[]
  /**
   * Keeps all others from a table until the end of the transaction, once they let it go within a
   * moment; empty where one transaction writes at a time.
   */
  lockTable(table: TableName, maxWaitMs: number): readonly string[]
  /** Is this the error of a statement that would have waited longer? */
  isLockTimeout(error: unknown): boolean
  /**
   * Its commit waits for all that the commits before it have waited for. Undefined where what can
   * be read needs no confirmation.
   */
  readonly confirmation: Confirmation | undefined
  readonly changedIds: ChangedIdsLog
  /** How the database orders the log of changes. */
  readonly changeOrder: ChangeOrder
  /** Keeps a column from being NULL, once all rows have a value; also while others write. */
  requireValue(
    table: TableName,
    column: string,
  ): { readonly sql: readonly string[]; readonly onlineSql: readonly string[] }
  /** Lets a column be NULL again; undefined where its table was made without that. */
  allowNull(table: TableName, column: ColumnSchema): readonly string[] | undefined
  /** How long others get the database between two batches, in milliseconds. */
  readonly batchPauseMs: number
  /** Can constraints be added to a table that exists, or only together with it or its column? */
  readonly constraints: 'separate' | 'inTable'
  /** The end of the definition of a table. */
  readonly tableOptions: string
  /** Checks constraints that wait for the commit; empty if the engine cannot. */
  readonly checkDeferred: string
  /** Triggers that log what other programs write; undefined where the engine has none. */
  readonly capture: ChangeCapture | undefined
  /** Constraints that rows must not overlap; undefined where the engine has none. */
  readonly exclusions: Exclusions | undefined
  readonly words: WordIndexing
  /** Statements to run before a table or columns of it are dropped; a start undoes what they do. */
  beforeDrop?(session: SqlSession, table: TableName): Promise<readonly string[]>
  /** Why the store can not do something on this server, as a sentence for the developer. */
  readonly refusals: Readonly<Partial<Record<Capability, string>>>
  /** What the database has already. */
  readSchema(session: SqlSession, selection: TableSelection): Promise<DatabaseSchema>
  /** Is this the error of a parameter that its column cannot hold? */
  isMalformedValue(error: unknown): boolean
  /** What an error of the database says; undefined for any other error. */
  violationOf(error: unknown): Violation | undefined
}
