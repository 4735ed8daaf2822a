import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { run } from './processes.mjs'

const FILE = fileURLToPath(new URL('../load.mjs', import.meta.url))

/** Memory needs time to grow, and slow readers need time to be slow. */
const SECONDS_OF_SLOW_READERS = 3

/**
 * @typedef {{ requests: number, rps?: number, processorMicroseconds?: number | null, firstByte?:
 * number, total?: number, others?: { p50: number, p99: number, max: number }, growth?: number,
 * transactionsPerCommit?: number | null, p50?: number | null, p99?: number | null, from?: number,
 * to?: number, allocatedBytes?: number, promotedBytes?: number, pauseMicroseconds?: number }}
 * Result `from` and `to`: when it was measured, in milliseconds since the epoch
 */

/**
 * @param {string} row
 * @param {import('./servers.mjs').Server} server
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<Result>}
 */
export async function load(row, server, options) {
  const seconds =
    row === 'slow' ? Math.max(options.seconds, SECONDS_OF_SLOW_READERS) : options.seconds
  const child = run(FILE, [
    `--row=${row}`,
    `--port=${server.port}`,
    `--pid=${server.pid}`,
    `--seconds=${seconds}`,
    `--warmup=${options.warmup}`,
    `--connections=${options.connections}`,
  ])
  const impatience = setTimeout(
    () => child.kill('SIGKILL'),
    (seconds + options.warmup + 30) * 1_000,
  )
  const output = text(/** @type {import('node:stream').Readable} */ (child.stdout))
  const [code] = await once(child, 'exit')
  clearTimeout(impatience)
  if (code !== 0) throw new Error(`The load of row ${row} failed with ${code}: ${await output}`)
  return JSON.parse(await output)
}
