import pg from 'pg'
import { databaseUrl } from '../../harness/child.mjs'

const BIGINT = 20
const DATE = 1082

export const FOREIGN_KEY_MISSING = '23503'
export const KEY_TAKEN = '23505'

/** As many connections as the library opens. */
export function openPool() {
  return new pg.Pool({
    connectionString: databaseUrl(),
    max: 10,
    types: {
      getTypeParser: (oid, format) => {
        if (oid === BIGINT) return Number
        return oid === DATE ? String : pg.types.getTypeParser(oid, format)
      },
    },
  })
}

/**
 * @template T
 * @param {pg.Pool} pool
 * @param {(client: pg.PoolClient) => Promise<T>} work
 */
export async function inTransaction(pool, work) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/**
 * @param {unknown} error
 * @param {string} state
 */
export function hasState(error, state) {
  return error instanceof Error && 'code' in error && error.code === state
}
