import { randomBytes } from 'node:crypto'
import type { TableName } from '../../model/storage.ts'
import type { Dialect } from '../sql/dialect.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { textLiteral } from '../sql/text-literal.ts'
import type { Engine } from './engine.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import type { SqlSession } from './sql-database.ts'

/** What the store keeps about a database that it manages. */
export const settingsTable: TableName = { schema: undefined, name: 'resourcery_settings' }

export type Settings = ReadonlyMap<string, string>

const versionSecretKey = 'version secret'
const tableKeyPrefix = 'table '

export function createSettingsSql({ quoteTable }: Engine): string {
  return `create table ${quoteTable(settingsTable)} (key text primary key, value text not null)`
}

/** Empty if the database has none. */
export async function readSettings(
  { quoteTable }: Engine,
  session: SqlSession,
  schema: DatabaseSchema,
): Promise<Settings> {
  if (!findTable(schema, settingsTable)) return new Map()
  const sql = `select key, value from ${quoteTable(settingsTable)}`
  const [settings] = await session.run([{ sql, parameters: [] }])
  return new Map(settings!.rows.map(([key, value]) => [key as string, value as string]))
}

/** The quoted names of the tables that the store made. */
export function ownTables(settings: Settings): ReadonlySet<string> {
  const keys = [...settings.keys()].filter((key) => key.startsWith(tableKeyPrefix))
  return new Set(keys.map((key) => key.slice(tableKeyPrefix.length)))
}

/** Did the store make this table? It may have been noted with its schema, or without. */
export function isOwnTable(
  engine: Engine,
  settings: Settings,
  schema: DatabaseSchema,
  table: TableName,
): boolean {
  return quotedNames(engine, schema, table).some((name) => settings.has(tableKeyPrefix + name))
}

/** How statements may name the table: with its schema, and without if it is on the search path. */
export function quotedNames(
  { quoteTable }: Engine,
  schema: DatabaseSchema,
  table: TableName,
): readonly string[] {
  const existing = findTable(schema, table)
  if (!existing) return [quoteTable(table)]
  const { name, isOnSearchPath } = existing
  const names = [table, { schema: existing.schema, name }]
  if (isOnSearchPath) names.push({ schema: undefined, name })
  return [...new Set(names.map(quoteTable))]
}

/** That of the processes that manage the database; undefined if there is none. */
export function storedVersionSecret(settings: Settings): string | undefined {
  return settings.get(versionSecretKey)
}

/** Notes that the store made a table. It is text, so that a printed plan has it too. */
export function noteTableSql(engine: Engine, table: TableName): string {
  const values = `${textLiteral(tableKeyPrefix + engine.quoteTable(table))}, 'managed'`
  return `insert into ${engine.quoteTable(settingsTable)} (key, value) values (${values}) on conflict (key) do nothing`
}

/** Removes the note about a table: a new one of another program may get its name. */
export function forgetTableSql(engine: Engine, table: TableName): string {
  return forgetQuotedTableSql(engine, engine.quoteTable(table))
}

export function forgetQuotedTableSql(engine: Engine, quotedTable: string): string {
  return `delete from ${engine.quoteTable(settingsTable)} where key = ${textLiteral(tableKeyPrefix + quotedTable)}`
}

/** Notes a secret behind the versions of items, which the first process makes for all. */
export async function writeVersionSecret(engine: Engine, session: SqlSession): Promise<void> {
  await session.run([addSetting(engine, versionSecretKey, newVersionSecret())])
}

export function newVersionSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Sets a setting, whatever it was before. */
export function writeSetting(
  { dialect, quoteTable }: Engine,
  key: string,
  value: string,
): Statement {
  return writeEntry(dialect, quoteTable(settingsTable), key, value)
}

/** The same for a table of keys and values with this quoted name. */
export function writeEntry(dialect: Dialect, table: string, key: string, value: string): Statement {
  return insertEntry(dialect, table, key, value, 'update set value = excluded.value')
}

/** Sets a setting that has no value yet. */
function addSetting({ dialect, quoteTable }: Engine, key: string, value: string): Statement {
  return insertEntry(dialect, quoteTable(settingsTable), key, value, 'nothing')
}

function insertEntry(
  { placeholder }: Dialect,
  table: string,
  key: string,
  value: string,
  onConflict: string,
): Statement {
  return {
    sql: `insert into ${table} (key, value) values (${placeholder(1)}, ${placeholder(2)}) on conflict (key) do ${onConflict}`,
    parameters: [key, value],
  }
}
