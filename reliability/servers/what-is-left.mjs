import { setTimeout as wait } from 'node:timers/promises'

const query = `select
  (select count(*)::int from pg_stat_activity where datname = 'disturbed') as connections,
  (select count(*)::int from pg_stat_activity
   where datname = 'disturbed' and state <> 'idle') as busy,
  (select count(*)::int from pg_locks where database =
   (select oid from pg_database where datname = 'disturbed')) as locks`

/**
 * The connections, transactions and locks that the service has while it has nothing to do; those
 * that end within 15 s do not count, because the server sees late that a connection is gone.
 *
 * @param {import('../harness/postgres-server.mjs').PostgresServer} server
 * @param {number} mostConnections
 * @returns {Promise<{ connections: number, busy: number, locks: number }>}
 */
export async function whatIsLeft(server, mostConnections) {
  const deadline = performance.now() + 15_000
  for (;;) {
    const [left] = await server.query(query)
    const { connections, busy, locks } = /** @type {Record<string, number>} */ (left)
    const isFine = Number(connections) <= mostConnections && busy === 0 && locks === 0
    if (isFine || performance.now() > deadline)
      return { connections: connections ?? 0, busy: busy ?? 0, locks: locks ?? 0 }
    await wait(100)
  }
}
