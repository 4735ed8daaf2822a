import { openConnection } from '../load/connection.mjs'
import { ROWS } from '../load/requests.mjs'

/** @typedef {import('../load/connection.mjs').Connection} Connection */

const CONNECTIONS = 16
const MAX_MEASUREMENTS = 12
/** Two values that differ by no more are the same. */
const EQUAL = 1.02
const REQUESTS_BEFORE_CALLS = 20
const REQUESTS_OF_CALLS = 50
/** V8 has then compiled what they call. */
const REQUESTS_BEFORE_MEMORY = 4_000
const REQUESTS_OF_MEMORY = 1_500

/**
 * Calls are counted with one connection, so that no two requests share a commit or a statement.
 * What the process does in the background can only add to a figure, so each is measured until the
 * smallest value has been seen twice.
 *
 * @param {string} name of the row
 * @param {import('../harness/servers.mjs').Server} server with the meter
 * @returns {Promise<import('./figures.mjs').Costs>}
 */
export async function measureRow(name, server) {
  const one = [await openConnection(server.port)]
  const rowOf = ROWS[name]
  if (!rowOf) throw new Error(`There is no row ${name}.`)
  const row = await rowOf((request) => /** @type {Connection} */ (one[0]).ask(request))
  let turn = 0

  /**
   * @param {number} count
   * @param {Connection[]} clients
   */
  const send = async (count, clients) => {
    let left = count
    const drive = async (/** @type {Connection} */ client) => {
      while (left-- > 0) {
        const { status } = await client.ask(row.request(turn++))
        if (status !== row.status) throw new Error(`The status of ${name} is ${status}.`)
      }
    }
    await Promise.all(clients.map(drive))
  }

  /**
   * @param {'calls' | 'memory'} what
   * @param {string} figure by which the measurements are compared
   * @param {number} count
   * @param {Connection[]} clients
   * @returns {Promise<(figure: string) => number>} the smallest, for one request
   */
  const measure = async (what, figure, count, clients) => {
    /** @type {Record<string, number>[]} */
    const results = []
    const valuesOf = (/** @type {string} */ name) =>
      results.map((result) => (result[name] ?? Number.NaN) / count).sort((a, b) => a - b)
    const isSettled = () => {
      const [first = 0, second = Number.POSITIVE_INFINITY] = valuesOf(figure)
      return second <= first * EQUAL
    }
    while (!isSettled() && results.length < MAX_MEASUREMENTS) {
      await server.ask(what)
      await send(count, clients)
      results.push(/** @type {Record<string, number>} */ (await server.ask(what)))
    }
    return (name) => Math.round(valuesOf(name)[0] ?? Number.NaN)
  }

  await send(REQUESTS_BEFORE_CALLS, one)
  const code = await measure('calls', 'calls', REQUESTS_OF_CALLS, one)
  // Only now: a server closes connections on which no request comes for long.
  const others = Array.from({ length: CONNECTIONS - 1 }, () => openConnection(server.port))
  const connections = [...one, ...(await Promise.all(others))]
  await send(REQUESTS_BEFORE_MEMORY, connections)
  const memory = await measure('memory', 'allocatedBytes', REQUESTS_OF_MEMORY, connections)
  for (const { socket } of connections) socket.destroy()
  return {
    calls: code('calls'),
    allocatedBytes: memory('allocatedBytes'),
    promotedBytes: memory('promotedBytes'),
  }
}
