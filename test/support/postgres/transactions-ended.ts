import { setTimeout as wait } from 'node:timers/promises'
import { sharedServer } from './shared-server.ts'

/**
 * Waits until all transactions of now have ended, those of the server itself too: PostgreSQL shows
 * in the log of changes what stands below the oldest of them.
 * @param database the name of one of the shared server
 */
export async function transactionsEndedIn(database: string): Promise<void> {
  const server = await sharedServer()
  const [current] = await server.run('select pg_current_xact_id()::text as id', [], database)
  const ended = 'select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as ended'
  while (!(await server.run(ended, [current!['id']], database))[0]!['ended']) await wait(10)
}
