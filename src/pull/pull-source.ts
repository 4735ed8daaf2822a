import { PostgresDatabase } from '../store/postgres/database.ts'
import { postgresEngine } from '../store/postgres/engine.ts'
import { openExistingFile } from '../store/sqlite/open-database-file.ts'
import { sqliteFileAt } from '../store/sqlite/sqlite-address.ts'
import { sqliteEngine } from '../store/sqlite/tables/engine.ts'
import type { Engine } from '../store/tables/engine.ts'
import type {
  DatabaseSchema,
  TableSchema,
  TableSelection,
} from '../store/tables/schema/database-schema.ts'
import type { SqlSession } from '../store/tables/sql-database.ts'
import type { RunSql } from './assumed-keys.ts'
import type { SourceEngine } from './model-files.ts'
import { type TableFacts, tableFacts } from './table-facts.ts'
import type { Holds } from './value-schema.ts'

/** The tables of a database, and what its columns can hold. */
export interface PullSource {
  readonly engine: SourceEngine
  readonly schema: DatabaseSchema
  readonly holds: Holds
  readonly facts: TableFacts
}

/** @param url `postgres://…`, or `sqlite:<file>`, or the path of an SQLite file */
export function readPullSource(url: string, selection: TableSelection): Promise<PullSource> {
  return withDatabase(url, async (database) => sourceOf(database, await database.read(selection)))
}

/** All tables and views, without what only models need. */
export function readTables(url: string): Promise<readonly TableSchema[]> {
  return withDatabase(url, async ({ read }) => tablesOfOthers(await read({ kind: 'all' })))
}

interface OpenDatabase {
  readonly name: SourceEngine
  readonly engine: Engine
  readonly run: RunSql
  readonly read: (selection: TableSelection) => Promise<DatabaseSchema>
}

type UseDatabase<Result> = (database: OpenDatabase) => Promise<Result>

async function withDatabase<Result>(url: string, use: UseDatabase<Result>): Promise<Result> {
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
    const run: RunSql = async (statements) =>
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

async function sourceOf(
  { name, engine, run, read }: OpenDatabase,
  schema: DatabaseSchema,
): Promise<PullSource> {
  const tables = tablesOfOthers(schema)
  const facts = await tableFacts(tables, {
    engine,
    run,
    viewsSql: viewsSql[name],
    readAll: () => read({ kind: 'all' }),
  })
  return { engine: name, schema: { tables }, holds: holdsIn(engine), facts }
}

/** What the store notes about its own tables is no item. */
function tablesOfOthers({ tables }: DatabaseSchema): readonly TableSchema[] {
  return tables.filter((table) => !table.name.startsWith('resourcery_'))
}

/** The schema, name and text of each view. */
const viewsSql: Readonly<Record<SourceEngine, string>> = {
  postgres:
    'select schemaname::text, viewname::text, definition from pg_views union all select schemaname::text, matviewname::text, definition from pg_matviews',
  sqlite: "select 'main', name, sql from sqlite_schema where type = 'view'",
}

function holdsIn({ codecFor }: Engine): Holds {
  return (type, databaseType) => codecFor(type, databaseType) !== undefined
}
