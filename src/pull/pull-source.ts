import { PostgresDatabase } from '../store/postgres/database.ts'
import { postgresEngine } from '../store/postgres/engine.ts'
import { openExistingFile } from '../store/sqlite/open-database-file.ts'
import { sqliteFileAt } from '../store/sqlite/sqlite-address.ts'
import { sqliteEngine } from '../store/sqlite/tables/engine.ts'
import type { Engine } from '../store/tables/engine.ts'
import type { DatabaseSchema, TableSelection } from '../store/tables/schema/database-schema.ts'
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
export async function readPullSource(url: string, selection: TableSelection): Promise<PullSource> {
  if (/^postgres(?:ql)?:\/\//.test(url)) return readPostgres(url, selection)
  const file = sqliteFileAt(url) ?? url
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
    throw new Error(
      `Expected 'postgres://…', 'sqlite:<file>' or the path of an SQLite file; got '${withoutPassword(url)}'.`,
    )
  return readSqlite(file, selection)
}

function withoutPassword(url: string): string {
  return url.replace(/^([^/]*\/\/[^/@]*?):[^/@]*@/, '$1:***@')
}

async function readPostgres(url: string, selection: TableSelection): Promise<PullSource> {
  const database = new PostgresDatabase(url, { maxConnections: 1 })
  try {
    const read = (selected: TableSelection) =>
      database.transaction((session) => postgresEngine.readSchema(session, selected))
    // In transactions of their own, because a view whose query fails ends one; without a time
    // limit, because counting takes long.
    const run: RunSql = (statements) =>
      database.longTransaction((session) => session.run(statements))
    return await sourceOf('postgres', postgresEngine, await read(selection), run, read)
  } finally {
    await database.close()
  }
}

function readSqlite(file: string, selection: TableSelection): Promise<PullSource> {
  return openExistingFile(file, (connection) => {
    const run: RunSql = async (statements) =>
      statements.map(({ sql, parameters }) => {
        const rows = connection.prepare(sql).all(parameters)
        return { rows, count: rows.length }
      })
    const read = (selected: TableSelection) =>
      sqliteEngine.readSchema({ run } as SqlSession, selected)
    return read(selection).then((schema) => sourceOf('sqlite', sqliteEngine, schema, run, read))
  })
}

async function sourceOf(
  name: SourceEngine,
  engine: Engine,
  schema: DatabaseSchema,
  run: RunSql,
  read: (selection: TableSelection) => Promise<DatabaseSchema>,
): Promise<PullSource> {
  // What the store notes about its own tables is no item.
  const tables = schema.tables.filter((table) => !table.name.startsWith('resourcery_'))
  const facts = await tableFacts(tables, {
    engine,
    run,
    viewsSql: viewsSql[name],
    readAll: () => read({ kind: 'all' }),
  })
  return { engine: name, schema: { tables }, holds: holdsIn(engine), facts }
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
