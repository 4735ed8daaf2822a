import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * Watches standbys until one of them is the primary.
 *
 * @param {readonly Machine[]} standbys
 */
export async function watchPromotion(standbys) {
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
     * both by `performance.now()`.
     */
    async promotion() {
      try {
        const client = await firstPrimary(clients)
        const promotedAt = performance.now()
        await client.query('insert into promotions default values')
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
  await client.query('create table promotions (at timestamptz default now())')
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
