import type { TableName } from '../../../model/storage.ts'
import type { DatabaseType } from './database-type.ts'

/** What a database has: its tables and views. */
export interface DatabaseSchema {
  readonly tables: readonly TableSchema[]
  /** Where a statement that names no schema creates a table; undefined if there is none. */
  readonly currentSchema?: string | undefined
  /** May the role of the service not create functions in that schema? */
  readonly refusesFunctions?: true
}

/** Which tables to read. `all` leaves out those of the engine and of its extensions. */
export type TableSelection =
  | { readonly kind: 'tables'; readonly names: readonly TableName[] }
  | { readonly kind: 'schemas'; readonly names: readonly string[] }
  | { readonly kind: 'all' }

export interface TableSchema {
  /** Undefined if the engine has no schemas. */
  readonly schema: string | undefined
  readonly name: string
  /** Does a statement that does not name the schema mean this table? */
  readonly isOnSearchPath: boolean
  readonly kind: 'table' | 'partitioned' | 'foreign' | 'view' | 'materializedView'
  readonly comment: string | undefined
  /** The names of the triggers that log changes, without those that are disabled. */
  readonly captureTriggers?: readonly string[]
  /** Do policies hide rows? */
  readonly hasRowPolicies?: true
  /** In the order of the table. */
  readonly columns: readonly ColumnSchema[]
  readonly primaryKey: KeySchema | undefined
  /** Does the table have its rows in the order of code points of its key, a column of texts? */
  readonly isInOrderOfTexts?: true
  /** Unique constraints and indexes over columns alone, without a condition. */
  readonly uniqueKeys: readonly KeySchema[]
  /** All other indexes. */
  readonly indexes: readonly IndexSchema[]
  readonly foreignKeys: readonly ForeignKeySchema[]
  readonly checks: readonly CheckSchema[]
  /** `exclude` constraints. */
  readonly exclusions: readonly CheckSchema[]
}

export interface ColumnSchema {
  readonly name: string
  readonly type: DatabaseType
  readonly isNullable: boolean
  /** The triggers that require a value, where the definition of the column does not. */
  readonly requiringTriggers?: readonly string[]
  readonly default: ColumnDefault | undefined
  readonly generated: 'never' | 'identityAlways' | 'identityByDefault' | 'computed'
  /** Undefined for that of the type or of the database. */
  readonly collation: string | undefined
  /** May texts be equal that differ, such as in case? */
  readonly equality?: 'loose'
  readonly comment: string | undefined
}

/** `sequence`: the next number of a sequence, as identity columns have. */
interface ColumnDefault {
  readonly kind: 'sequence' | 'expression'
  readonly sql: string
}

export interface KeySchema {
  readonly name: string
  /** In the order of the key. */
  readonly columns: readonly string[]
  readonly isDeferrable: boolean
  /** Does NULL sort after all values of the first column, in ascending order? */
  readonly isNullLargest?: true
}

export interface IndexSchema {
  readonly name: string
  readonly isUnique: boolean
  /** False while it is built, or if building it failed. */
  readonly isValid: boolean
  /** Such as `btree`. */
  readonly method: string
  readonly keys: readonly IndexKeySchema[]
  /** The condition of a partial index. */
  readonly predicate: string | undefined
}

export interface IndexKeySchema {
  /** Undefined for an expression. */
  readonly column: string | undefined
  readonly sql: string
  readonly direction: 'asc' | 'desc'
  /** Undefined for that of the database, and for types that have none. */
  readonly collation: string | undefined
  /** Does NULL sort after all values, in ascending order? */
  readonly isNullLargest?: true
}

export interface ForeignKeySchema {
  readonly name: string
  readonly columns: readonly string[]
  readonly target: { readonly schema: string | undefined; readonly name: string }
  /** In the order of `columns`. */
  readonly targetColumns: readonly string[]
  readonly onDelete: 'noAction' | 'restrict' | 'cascade' | 'setNull' | 'setDefault'
  readonly isDeferrable: boolean
  /** Is it not known to hold for all rows? */
  readonly isUnchecked?: true
}

export interface CheckSchema {
  readonly name: string
  /** In SQL. */
  readonly expression: string
  /** The columns that it names. */
  readonly columns: readonly string[]
}

/** The table that a statement with this name means. */
export function findTable(
  { tables }: DatabaseSchema,
  { schema, name }: TableName,
): TableSchema | undefined {
  return tables.find(
    (table) =>
      table.name === name &&
      (schema === undefined ? table.isOnSearchPath : table.schema === schema),
  )
}

export function findColumn({ columns }: TableSchema, name: string): ColumnSchema | undefined {
  return columns.find((column) => column.name === name)
}

/**
 * Can the table have keys and indexes? A view and a foreign table show rows of other tables, and
 * the database cannot tell which of their columns are unique or may be NULL.
 */
export function hasKeys({ kind }: TableSchema): boolean {
  return kind === 'table' || kind === 'partitioned'
}

export function isView({ kind }: TableSchema): boolean {
  return kind === 'view' || kind === 'materializedView'
}

/** May the column be NULL? A domain may forbid it where the column does not. */
export function allowsNull({ isNullable, type }: ColumnSchema): boolean {
  for (let base = type; base.kind === 'domain'; base = base.base) if (!base.isNullable) return false
  return isNullable
}

/** The names of the indexes and constraints of a table. */
export function constraintNames(table: TableSchema): ReadonlySet<string> {
  const { indexes, foreignKeys, checks, exclusions } = table
  const constraints = [...keysOf(table), ...indexes, ...foreignKeys, ...checks, ...exclusions]
  return new Set(constraints.map(({ name }) => name))
}

/** The primary key, and the unique keys. */
export function keysOf({
  primaryKey,
  uniqueKeys,
}: Pick<TableSchema, 'primaryKey' | 'uniqueKeys'>): readonly KeySchema[] {
  return primaryKey ? [primaryKey, ...uniqueKeys] : uniqueKeys
}

/** The keys over these columns, in any order. */
export function uniqueKeysOver(
  table: TableSchema,
  columns: readonly string[],
): readonly KeySchema[] {
  return keysOf(table).filter((key) => areSameColumns(key.columns, columns))
}

/** The unique indexes over these columns, in any order, that hold for some rows only. */
export function partialKeysOver(
  { indexes }: TableSchema,
  columns: readonly string[],
): readonly IndexSchema[] {
  return indexes.filter(
    ({ isUnique, isValid, keys, predicate }) =>
      isUnique &&
      isValid &&
      predicate !== undefined &&
      areSameColumns(
        keys.map((key) => key.column ?? ''),
        columns,
      ),
  )
}

export function isUniqueKey(table: TableSchema, columns: readonly string[]): boolean {
  return uniqueKeysOver(table, columns).length > 0
}

/** Are these the same columns, in any order? Their values are as unique in each. */
export function areSameColumns(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((column) => others.includes(column))
}
