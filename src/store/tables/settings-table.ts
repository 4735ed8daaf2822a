import { randomBytes } from 'node:crypto'
import { RegistrationError } from '../../model/registration-error.ts'
import type { TableName } from '../../model/storage.ts'
import type { Engine } from './engine.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import type { SqlSession } from './sql-database.ts'

const settingsTable: TableName = { schema: undefined, name: 'resourcery_settings' }
const versionSecretKey = 'version secret'

/**
 * What the store keeps about a database. Call the functions in a transaction that holds the lock of
 * the schema, `createSettings` first.
 */
export async function createSettings(engine: Engine, session: SqlSession): Promise<void> {
  const schema = await engine.readSchema(session, { kind: 'tables', names: [settingsTable] })
  if (findTable(schema, settingsTable)) return
  const sql = `create table ${engine.quoteTable(settingsTable)} (key text primary key, value text not null)`
  await session.run([{ sql, parameters: [] }])
}

/** The secret behind the versions of items, the same for all processes: the first one makes it. */
export async function versionSecretIn(engine: Engine, session: SqlSession): Promise<string> {
  await addSetting(engine, session, versionSecretKey, randomBytes(32).toString('base64url'))
  const settings = await readSettings(engine, session)
  return settings.get(versionSecretKey)!
}

/**
 * Notes the tables that do not exist yet, because the store is about to make them.
 *
 * @throws RegistrationError for a table that exists and that the store did not make: it may belong
 * to another program
 */
export async function claimTables(
  engine: Engine,
  session: SqlSession,
  schema: DatabaseSchema,
  tables: readonly TableName[],
): Promise<void> {
  const settings = await readSettings(engine, session)
  for (const table of tables) {
    const key = `table ${engine.quoteTable(table)}`
    if (!findTable(schema, table)) await addSetting(engine, session, key, 'managed')
    else if (!settings.has(key))
      throw new RegistrationError(
        `The table '${table.name}' exists, and this store did not make it. The store changes only tables that it made. Give the model another with { table: '…' }.`,
      )
  }
}

async function readSettings(
  engine: Engine,
  session: SqlSession,
): Promise<ReadonlyMap<string, string>> {
  const sql = `select key, value from ${engine.quoteTable(settingsTable)}`
  const [settings] = await session.run([{ sql, parameters: [] }])
  return new Map(settings!.rows.map(([key, value]) => [key as string, value as string]))
}

async function addSetting(
  { dialect, quoteTable }: Engine,
  session: SqlSession,
  key: string,
  value: string,
): Promise<void> {
  const values = [1, 2].map(dialect.placeholder).join(', ')
  const sql = `insert into ${quoteTable(settingsTable)} (key, value) values (${values}) on conflict (key) do nothing`
  await session.run([{ sql, parameters: [key, value] }])
}
