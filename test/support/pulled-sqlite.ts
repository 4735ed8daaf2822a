import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyModel, Router } from 'resourcery'
import { loadDriver } from '../../src/store/sqlite/driver.ts'
import { writeNewFiles } from '../../src/tools/cli/pull-command.ts'
import { type Pulled, pull } from '../../src/tools/pull/pull.ts'
import { type Client, client } from './client.ts'
import { temporaryFolder } from './documentation.ts'

/** A service of models that were pulled from an SQLite file. */
export interface PulledService extends Pulled {
  /** Of the database, or the path of its file. */
  readonly url: string
  readonly models: readonly AnyModel[]
  /** Of the models, with the policy `rest`. */
  readonly router: Router
  readonly api: Client
  /** Runs SQL beside the service. */
  run(sql: string): Promise<void>
  close(): Promise<void>
}

/** @param schema the SQL that makes the tables and fills them */
export async function pulledService(schema: string): Promise<PulledService> {
  const folder = temporaryFolder('pulled')
  const file = join(folder, 'shop.db')
  const run = async (sql: string) => {
    const database = (await loadDriver()).open(file, { readOnly: false })
    database.exec(sql)
    database.close()
  }
  await run(schema)
  const pulled = await pull(`sqlite:${file}`, undefined)
  writeNewFiles(join(folder, 'models'), pulled.files)
  process.env.DATABASE_FILE = file
  const { router, models }: Pick<PulledService, 'router' | 'models'> = await import(
    join(folder, 'models', 'index.ts')
  )
  await router.open()
  return {
    ...pulled,
    url: file,
    models,
    router,
    api: client(router),
    run,
    close: async () => {
      await router.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
