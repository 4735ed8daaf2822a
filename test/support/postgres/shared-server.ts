import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createCluster } from './cluster.ts'
import { oncePerRun, runFolder } from './once-per-run.ts'
import { type DatabaseOptions, PostgresServer, type TestDatabase } from './postgres-server.ts'
import { giveToUser } from './run-program.ts'

/**
 * The server that test files share which run one after the other. Files that run beside them have
 * another one: a log of changes shows nothing that came after the oldest transaction of its server
 * began. Whoever first needs it starts it, so that runs without such files do not wait for it.
 * Nobody may stop it: {@link PostgresServer.start} starts one to stop.
 */
export async function sharedServer(): Promise<PostgresServer> {
  // The places of a run, counted from 1, in each of which one process after the other runs files.
  const name = `shared-${process.env['VITEST_POOL_ID']}`
  const folder = join(runFolder(), name)
  const server = new PostgresServer(folder)
  await oncePerRun(name, async () => {
    await mkdir(folder)
    await giveToUser(folder)
    await createCluster(folder)
    await server.start()
  })
  return server
}

/** A new database on the shared server. */
export async function newDatabase(options?: DatabaseOptions): Promise<TestDatabase> {
  return (await sharedServer()).newDatabase(options)
}
