import { setTimeout as wait } from 'node:timers/promises'

/** @typedef {import('../harness/postgres-server.mjs').PostgresServer} PostgresServer */

/**
 * Lets commits wait for a standby that is not there, and ends some of the waits, as operators do.
 *
 * @param {PostgresServer} server
 * @param {number} seconds
 * @param {() => void} onEffect called when commits wait
 */
export async function loseStandby(server, seconds, onEffect) {
  await configure(server, 'nobody')
  const waiting = "select pid from pg_stat_activity where wait_event = 'SyncRep'"
  while ((await server.query(waiting)).length === 0) await wait(10)
  // What was answered before arrives.
  await wait(200)
  onEffect()
  const ends = ['pg_cancel_backend', 'pg_terminate_backend']
  const deadline = performance.now() + seconds * 1_000
  for (let turn = 0; performance.now() < deadline; turn++) {
    await wait(400)
    const limit = 1 + (turn % 3)
    await server.query(`select ${ends[turn % 2]}(pid) from (${waiting} limit ${limit}) as waiting`)
  }
}

/** @param {PostgresServer} server */
export async function forgetStandby(server) {
  await configure(server, '')
}

/**
 * @param {PostgresServer} server
 * @param {string} standbys
 */
async function configure(server, standbys) {
  await server.query(`alter system set synchronous_standby_names = '${standbys}'`)
  await server.query('select pg_reload_conf()')
}
