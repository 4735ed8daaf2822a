import { expect } from 'vitest'
import type { TestDatabase } from './postgres-server.ts'
import { sharedServer } from './shared-server.ts'

/** How many deadlocks a database had. The server counts those of connections that have ended. */
export async function deadlocksOf({ name }: TestDatabase): Promise<number> {
  const server = await sharedServer()
  const connections = 'select 1 from pg_stat_activity where datname = $1'
  await expect.poll(() => server.run(connections, [name]), { timeout: 30_000 }).toEqual([])
  const sql = 'select deadlocks::int from pg_stat_database where datname = $1'
  const [row] = await server.run(sql, [name])
  return Number(row!['deadlocks'])
}
