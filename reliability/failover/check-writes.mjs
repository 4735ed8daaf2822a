import pg from 'pg'

/**
 * Compares what the database has with what was acknowledged.
 *
 * @param {string} url
 * @param {ReadonlyMap<number, Date>} acknowledged
 * @returns {Promise<{ lost: readonly Date[], twice: number, halfApplied: number }>}
 */
export async function checkWrites(url, acknowledged) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const counts = await countWrites(client)
    return {
      lost: [...acknowledged].filter(([number]) => !counts.has(number)).map(([, at]) => at),
      twice: [...counts.values()].filter((count) => count > 1).length,
      halfApplied: await countHalves(client),
    }
  } finally {
    await client.end()
  }
}

/**
 * How often the database has each write.
 *
 * @param {pg.Client} client
 * @returns {Promise<Map<number, number>>}
 */
async function countWrites(client) {
  const { rows } = await client.query(
    `select number::int, count(*)::int as count from entries group by number
     union all select number::int, ((count(*) + 1) / 2)::int from sides group by number`,
  )
  return new Map(rows.map(({ number, count }) => [number, count]))
}

/**
 * Batches of which one side is missing, and accounts whose rollups differ from their entries.
 *
 * @param {pg.Client} client
 * @returns {Promise<number>}
 */
async function countHalves(client) {
  const { rows } = await client.query(
    `select (select count(*) from (select from sides group by number
       having count(*) filter (where name = 'left') <> count(*) filter (where name = 'right'))
       as halves)
     + (select count(*) from accounts where (entry_count, total) <>
       (select count(*), coalesce(sum(number), 0) from entries where account_id = accounts.id))
     as count`,
  )
  return Number(rows[0].count)
}
