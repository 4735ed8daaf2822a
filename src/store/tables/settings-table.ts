import { randomBytes } from 'node:crypto'
import type { Engine } from './engine.ts'
import type { SqlSession } from './sql-database.ts'

const settingsTable = { schema: undefined, name: 'resourcery_settings' }

/**
 * The secret behind the versions of items, the same for all processes: the first one makes it. Call
 * it in a transaction that holds the lock of the schema.
 */
export async function versionSecretIn(engine: Engine, session: SqlSession): Promise<string> {
  const table = engine.quoteTable(settingsTable)
  const [first] = [1].map(engine.dialect.placeholder)
  const catalog = await engine.readCatalog(session, [settingsTable])
  if (!catalog.columnsOf(settingsTable))
    await session.run([
      {
        sql: `create table ${table} (key text primary key, value text not null)`,
        parameters: [],
      },
    ])
  const [, secrets] = await session.run([
    {
      sql: `insert into ${table} (key, value) values ('version secret', ${first}) on conflict (key) do nothing`,
      parameters: [randomBytes(32).toString('base64url')],
    },
    { sql: `select value from ${table} where key = 'version secret'`, parameters: [] },
  ])
  return secrets!.rows[0]![0] as string
}
