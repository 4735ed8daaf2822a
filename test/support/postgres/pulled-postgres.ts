import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeNewFiles } from '../../../src/tools/cli/pull-command.ts'
import { pull } from '../../../src/tools/pull/pull.ts'
import { client } from '../client.ts'
import { temporaryFolder } from '../documentation.ts'
import type { PulledService } from '../pulled-sqlite.ts'
import type { TestDatabase } from './postgres-server.ts'
import { newDatabase, sharedServer } from './shared-server.ts'

/** A service of models that were pulled from PostgreSQL. */
export interface PulledPostgres extends PulledService {
  readonly database: TestDatabase
}

/** @param schema the SQL that makes the tables and fills them */
export async function pulledPostgres(schema: string): Promise<PulledPostgres> {
  const database = await newDatabase({ logsStatements: true })
  const run = async (sql: string) => {
    await (await sharedServer()).run(sql, [], database.name)
  }
  await run(schema)
  const folder = temporaryFolder('pulled')
  const pulled = await pull(database.url, undefined)
  writeNewFiles(folder, pulled.files)
  process.env.DATABASE_URL = database.url
  const { router, models }: Pick<PulledService, 'router' | 'models'> = await import(
    join(folder, 'index.ts')
  )
  await router.open()
  return {
    ...pulled,
    url: database.url,
    models,
    database,
    router,
    api: client(router),
    run,
    close: async () => {
      await router.close()
      rmSync(folder, { recursive: true, force: true })
      await database.drop()
    },
  }
}
