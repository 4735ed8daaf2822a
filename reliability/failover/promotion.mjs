import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * Watches until a standby is the primary.
 *
 * @param {readonly Machine[]} machines
 * @param {Machine} leader
 */
export async function watchPromotion(machines, leader) {
  const standbys = machines.filter((machine) => machine !== leader)
  const clients = await Promise.all(
    standbys.map(async ({ url }) => {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      return client
    }),
  )
  const end = () => Promise.all(clients.map((client) => client.end().catch(() => {})))
  return {
    /**
     * `promotedAt` is when it was one, and `commitsAt` when a commit first got to a standby of it,
     * both by `performance.now()`. A commit may return earlier: PostgreSQL takes a standby for
     * synchronous that is further on another timeline, and does not follow it yet.
     */
    async promotion() {
      try {
        const client = await firstPrimary(clients)
        const promotedAt = performance.now()
        const { rows } = await client.query(
          'insert into promotions default values returning number',
        )
        await firstStandbyWith(rows[0].number, machines)
        return { promotedAt, commitsAt: performance.now() }
      } finally {
        await end()
      }
    },
  }
}

/** The table that the watch writes to. @param {Machine} leader */
export async function createPromotionTable({ url }) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('create table promotions (number int generated always as identity)')
  await client.end()
}

/** @param {readonly pg.Client[]} clients */
async function firstPrimary(clients) {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; await wait(10))
    for (const client of clients) {
      const { rows } = await client
        .query('select pg_is_in_recovery() as standby')
        .catch(() => ({ rows: [] }))
      if (rows[0]?.standby === false) return client
    }
  throw new Error('No standby was promoted for two minutes.')
}

/**
 * Waits until a standby has a row of the table.
 *
 * @param {number} number
 * @param {readonly Machine[]} machines
 */
async function firstStandbyWith(number, machines) {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await wait(20))
    if (
      (await Promise.all(machines.map((machine) => isStandbyWith(number, machine)))).includes(true)
    )
      return
  throw new Error('No standby follows the new leader for a minute.')
}

/** A machine may be frozen, or cut off. */
const timeouts = { connectionTimeoutMillis: 500, query_timeout: 500 }

/**
 * @param {number} number
 * @param {Machine} machine
 */
async function isStandbyWith(number, { url }) {
  const client = new pg.Client({ connectionString: url, ...timeouts })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query(
      'select from promotions where number = $1 and pg_is_in_recovery()',
      [number],
    )
    return rowCount === 1
  } catch {
    return false
  } finally {
    void client.end().catch(() => {})
  }
}
