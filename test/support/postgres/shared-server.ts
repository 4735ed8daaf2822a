import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createCluster } from './cluster.ts'
import { oncePerRun, runFolder } from './once-per-run.ts'
import { type DatabaseOptions, PostgresServer, type TestDatabase } from './postgres-server.ts'
import { giveToUser } from './run-program.ts'

/**
 * The server that all test files of a run share. Whoever first needs it starts it, so that runs
 * without such files do not wait for it. Nobody may stop it: {@link PostgresServer.start} starts
 * one to stop.
 */
export async function sharedServer(): Promise<PostgresServer> {
  const folder = join(runFolder(), 'shared')
  const server = new PostgresServer(folder)
  await oncePerRun('shared', async () => {
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
