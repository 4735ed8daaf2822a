// One step of the load: a number of connections, each with one request in flight.

import { setTimeout as wait } from 'node:timers/promises'
import { openConnection } from '../load/connection.mjs'
import { summary } from '../load/summary.mjs'

/**
 * @typedef {object} Step
 * @property {number} connections
 * @property {number} requestsPerSecond that were answered as they should be
 * @property {number | null} p50 milliseconds of those
 * @property {number | null} p99
 * @property {number | null} itemP99 of the reads by id alone
 * @property {Record<string, number>} refusals with 503, by code and kind of request: `overloaded
 * scan`
 * @property {number} refusalsPerSecond
 * @property {string[]} failures broken connections and unexpected statuses
 */

/**
 * @param {number} port
 * @param {number} connections
 * @param {number} seconds
 * @param {() => import('./mixed-requests.mjs').MixedRequest} nextRequest
 * @returns {Promise<Step>}
 */
export async function runStep(port, connections, seconds, nextRequest) {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  /** @type {number[]} */
  const latencies = []
  /** @type {number[]} */
  const itemLatencies = []
  /** @type {Record<string, number>} */
  const refusals = {}
  /** @type {Set<string>} */
  const failures = new Set()
  const startTime = performance.now()
  const endTime = startTime + seconds * 1_000

  /** @param {import('../load/connection.mjs').Connection} connection */
  const drive = async (connection) => {
    while (performance.now() < endTime) {
      const { kind, request } = nextRequest()
      const sentAt = performance.now()
      const { status, error } = await connection.ask(request)
      if (status < 300) {
        const ms = performance.now() - sentAt
        latencies.push(ms)
        if (kind === 'item') itemLatencies.push(ms)
      } else if (status === 503) {
        const key = `${/"code":"([^"]+)"/.exec(error)?.[1]} ${kind}`
        refusals[key] = (refusals[key] ?? 0) + 1
        // Less than Retry-After says, but enough that the load is not made of refusals.
        await wait(100)
      } else failures.add(`${kind}: ${status} ${error}`)
    }
  }
  const outcomes = await Promise.allSettled(open.map(drive))
  // The last responses may come long after the end, so they count in the time that they took.
  const elapsed = (performance.now() - startTime) / 1_000
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') failures.add(String(outcome.reason))
  for (const { socket } of open) socket.destroy()
  const { p50, p99 } = summary(latencies)
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0)
  return {
    connections,
    requestsPerSecond: latencies.length / elapsed,
    p50,
    p99,
    itemP99: summary(itemLatencies).p99,
    refusals,
    refusalsPerSecond: refused / elapsed,
    failures: [...failures],
  }
}
