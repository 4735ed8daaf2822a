import {
  type DatabaseSchema,
  type Engine,
  type ReadDatabase,
  type TableSchema,
  type TableSelection,
  withDatabase,
} from '../../store/read-database.ts'
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

async function sourceOf(
  { name, engine, run, read }: ReadDatabase,
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
