import type { TableName } from '../../model/storage.ts'
import { changeTable, pendingTable } from './change-log-table.ts'
import type { Engine } from './engine.ts'
import { lockTable } from './lock-table.ts'
import { formerTablesOf } from './plan/former-names.ts'
import { type RelationalLayout, tablesOf } from './relational-layout.ts'
import { requestTable } from './request-record-table.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import { isOwnTable, readSettings, type Settings, settingsTable } from './settings-table.ts'
import type { SqlSession } from './sql-database.ts'

/** What the database has of the tables of models, with the settings of the store. */
export interface Database {
  readonly schema: DatabaseSchema
  readonly settings: Settings
}

export async function readDatabase(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
): Promise<Database> {
  const formerTables = formerTablesOf(layouts, engine.maxNameBytes)
  const names = [
    settingsTable,
    requestTable,
    changeTable,
    pendingTable,
    lockTable,
    ...tablesOf(layouts),
    ...formerTables,
  ]
  const schema = await engine.readSchema(session, { kind: 'tables', names })
  return { schema, settings: await readSettings(engine, session, schema) }
}

/** The tables of models that exist, and that the store did not make. */
export function tablesOfOthers(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
): readonly TableName[] {
  const isOwn = ownershipIn(engine, database)
  return tablesOf(layouts).filter((table) => findTable(database.schema, table) && !isOwn(table))
}

/** Did the store make the table? */
export function ownershipIn(
  engine: Engine,
  { schema, settings }: Database,
): (table: TableName) => boolean {
  return (table) => isOwnTable(engine, settings, schema, table)
}
