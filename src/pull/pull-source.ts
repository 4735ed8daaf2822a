import { PostgresDatabase } from '../store/postgres/database.ts'
import { postgresEngine } from '../store/postgres/engine.ts'
import { openExistingFile } from '../store/sqlite/open-database-file.ts'
import { sqliteFileAt } from '../store/sqlite/sqlite-address.ts'
import { sqliteEngine } from '../store/sqlite/tables/engine.ts'
import type { Engine } from '../store/tables/engine.ts'
import type { DatabaseSchema, TableSelection } from '../store/tables/schema/database-schema.ts'
import type { SqlSession } from '../store/tables/sql-database.ts'
import type { SourceEngine } from './model-files.ts'
import type { Holds } from './value-schema.ts'

/** The tables of a database, and what its columns can hold. */
export interface PullSource {
  readonly engine: SourceEngine
  readonly schema: DatabaseSchema
  readonly holds: Holds
}

/** @param url `postgres://…`, or `sqlite:<file>`, or the path of an SQLite file */
export async function readPullSource(url: string, selection: TableSelection): Promise<PullSource> {
  if (/^postgres(?:ql)?:\/\//.test(url))
    return {
      engine: 'postgres',
      schema: await readPostgres(url, selection),
      holds: holdsIn(postgresEngine),
    }
  const file = sqliteFileAt(url) ?? url
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(file))
    throw new Error(
      `Expected 'postgres://…', 'sqlite:<file>' or the path of an SQLite file; got '${withoutPassword(url)}'.`,
    )
  return {
    engine: 'sqlite',
    schema: await readSqlite(file, selection),
    holds: holdsIn(sqliteEngine),
  }
}

function withoutPassword(url: string): string {
  return url.replace(/^([^/]*\/\/[^/@]*?):[^/@]*@/, '$1:***@')
}

async function readPostgres(url: string, selection: TableSelection): Promise<DatabaseSchema> {
  const database = new PostgresDatabase(url, { maxConnections: 1 })
  try {
    return await database.transaction((session) => postgresEngine.readSchema(session, selection))
  } finally {
    await database.close()
  }
}

function readSqlite(file: string, selection: TableSelection): Promise<DatabaseSchema> {
  return openExistingFile(file, (connection) => {
    const session: Pick<SqlSession, 'run'> = {
      run: async (statements) =>
        statements.map(({ sql, parameters }) => {
          const rows = connection.prepare(sql).all(parameters)
          return { rows, count: rows.length }
        }),
    }
    return sqliteEngine.readSchema(session as SqlSession, selection)
  })
}

function holdsIn({ codecFor }: Engine): Holds {
  return (type, databaseType) => codecFor(type, databaseType) !== undefined
}
