// What `resourcery pull` reads of a database. No entry of the package exports these names, because
// they change with what the store checks of tables.
import { PostgresDatabase } from './postgres/database.ts'
import { postgresEngine } from './postgres/engine.ts'
import { openExistingFile } from './sqlite/open-database-file.ts'
import { sqliteFileAt } from './sqlite/sqlite-address.ts'
import { sqliteEngine } from './sqlite/tables/engine.ts'
import type { Engine } from './tables/engine.ts'
import type { DatabaseSchema, TableSelection } from './tables/schema/database-schema.ts'
import type { SqlSession } from './tables/sql-database.ts'

export { sqliteFileAt } from './sqlite/sqlite-address.ts'
export type { ColumnType } from './tables/column-type.ts'
export type { Engine } from './tables/engine.ts'
export {
  allowsNull,
  areSameColumns,
  type ColumnSchema,
  type DatabaseSchema,
  type ForeignKeySchema,
  findColumn,
  findTable,
  isUniqueKey,
  isView,
  type KeySchema,
  keysOf,
  type TableSchema,
  type TableSelection,
} from './tables/schema/database-schema.ts'
export { type DatabaseType, typeText, withoutDomains } from './tables/schema/database-type.ts'
export type { SqlSession } from './tables/sql-database.ts'
export { isCodePointOrder } from './tables/text-order.ts'
export { isComputed } from './tables/writable-columns.ts'

/** An open database whose tables other programs made. */
export interface ReadDatabase {
  readonly name: 'postgres' | 'sqlite'
  readonly engine: Engine
  /** Runs statements in a transaction of their own. */
  readonly run: SqlSession['run']
  readonly read: (selection: TableSelection) => Promise<DatabaseSchema>
}

type UseDatabase<Result> = (database: ReadDatabase) => Promise<Result>

/**
 * Opens a database to read its tables, and closes it again.
 * @param url `postgres://…`, or `sqlite:<file>`, or the path of an SQLite file
 */
export async function withDatabase<Result>(url: string, use: UseDatabase<Result>): Promise<Result> {
  if (/^postgres(?:ql)?:\/\//.test(url)) return withPostgres(url, use)
  const file = sqliteFileAt(url) ?? url
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
    throw new Error(
      `Expected 'postgres://…', 'sqlite:<file>' or the path of an SQLite file; got '${withoutPassword(url)}'.`,
    )
  return withSqlite(file, use)
}

function withoutPassword(url: string): string {
  return url.replace(/^([^/]*\/\/[^/@]*?):[^/@]*@/, '$1:***@')
}

async function withPostgres<Result>(url: string, use: UseDatabase<Result>): Promise<Result> {
  const database = new PostgresDatabase(url, { maxConnections: 1 })
  try {
    return await use({
      name: 'postgres',
      engine: postgresEngine,
      // In transactions of their own, because a view whose query fails ends one; without a time
      // limit, because counting takes long.
      run: (statements) => database.longTransaction((session) => session.run(statements)),
      read: (selection) =>
        database.transaction((session) => postgresEngine.readSchema(session, selection)),
    })
  } finally {
    await database.close()
  }
}

function withSqlite<Result>(file: string, use: UseDatabase<Result>): Promise<Result> {
  return openExistingFile(file, (connection) => {
    const run: SqlSession['run'] = async (statements) =>
      statements.map(({ sql, parameters }) => {
        const rows = connection.prepare(sql).all(parameters)
        return { rows, count: rows.length }
      })
    return use({
      name: 'sqlite',
      engine: sqliteEngine,
      run,
      read: (selection) => sqliteEngine.readSchema({ run } as SqlSession, selection),
    })
  })
}
