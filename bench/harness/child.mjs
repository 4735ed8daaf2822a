// What every server of the bench has in common: it prints its port, and stops when it is told to.

import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * FULL by default, and the same for every server: a commit that may be lost is cheaper for all of
 * them.
 */
export const durability = process.env.DURABILITY === 'normal' ? 'normal' : 'full'

export const HOST = '127.0.0.1'
export const PORT = Number(process.env.PORT ?? 0)

/**
 * The server's own database file; empty on the very first start, which then seeds it.
 * @param {string} name
 */
export function databaseFile(name) {
  const folder = process.env.DATA_DIR ?? join(tmpdir(), 'resourcery-bench')
  mkdirSync(folder, { recursive: true })
  return join(folder, `${name}.db`)
}

/** Does the server refuse requests while it has too many? */
export const overload = process.env.OVERLOAD === '1'

/** The database of a server over PostgreSQL. */
export function databaseUrl() {
  const url = process.env.DATABASE_URL
  if (!url) throw new Error('DATABASE_URL is not set; run this server by bench/run.mjs.')
  return url
}

/**
 * @param {number} port
 * @param {() => unknown} close finishes what is in flight and closes the database, so that its file
 * is complete
 * @param {() => object} facts figures that only the server knows
 */
export function serving(port, close, facts = () => ({})) {
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    await close()
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  process.on('message', (message) => {
    if (message === 'facts') process.send?.(facts())
  })
  // The harness holds the other end of the channel: if it is killed, the server exits too.
  process.once('disconnect', stop)
  console.log(`listening on http://${HOST}:${port}`)
}
