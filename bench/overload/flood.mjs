// Requests at a rate, whether earlier ones have their responses or not: clients of the internet do
// not wait for one another.

import { setTimeout as wait } from 'node:timers/promises'
import { openConnection } from '../load/connection.mjs'
import { summary } from '../load/summary.mjs'

/**
 * @typedef {object} Flood
 * @property {number} sentPerSecond
 * @property {number} unsent had no connection that was free
 * @property {number} goodPerSecond were answered as they should be
 * @property {number | null} goodP50 milliseconds
 * @property {number | null} goodP99
 * @property {number} refusedPerSecond
 * @property {number | null} refusedP50 milliseconds from the request to its 503
 * @property {number | null} refusedP99
 * @property {string[]} failures broken connections and unexpected statuses
 */

/**
 * @param {number} port
 * @param {object} load
 * @param {number} load.perSecond
 * @param {number} load.connections
 * @param {number} load.seconds
 * @param {() => import('./mixed-requests.mjs').MixedRequest} nextRequest
 * @returns {Promise<Flood>}
 */
export async function flood(port, { perSecond, connections, seconds }, nextRequest) {
  const free = []
  // A few at a time, because a server accepts one connection in each turn.
  while (free.length < connections)
    free.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(50, connections - free.length) }, () => openConnection(port)),
      )),
    )
  const all = [...free]
  /** @type {number[]} */
  const good = []
  /** @type {number[]} */
  const refused = []
  /** @type {Set<string>} */
  const failures = new Set()
  let sent = 0
  let unsent = 0
  /** @type {(connection: import('../load/connection.mjs').Connection) => void} */
  const send = (connection) => {
    const { kind, request } = nextRequest()
    const sentAt = performance.now()
    sent++
    connection.send(
      request,
      ({ status, error }) => {
        const ms = performance.now() - sentAt
        if (status < 300) good.push(ms)
        else if (status === 503) refused.push(ms)
        else failures.add(`${kind}: ${status} ${error}`)
        free.push(connection)
      },
      (error) => failures.add(String(error)),
    )
  }
  const startTime = performance.now()
  let due = 0
  for (let elapsed = 0; elapsed < seconds * 1_000; elapsed = performance.now() - startTime) {
    const now = Math.floor((elapsed / 1_000) * perSecond)
    for (; due < now; due++) {
      const connection = free.shift()
      if (connection) send(connection)
      else unsent++
    }
    await wait(1)
  }
  // The last responses are of requests that were sent within the time.
  for (let waits = 0; good.length + refused.length + failures.size < sent && waits < 200; waits++)
    await wait(50)
  for (const { socket } of all) socket.destroy()
  const ofGood = summary(good)
  const ofRefused = summary(refused)
  return {
    sentPerSecond: sent / seconds,
    unsent,
    goodPerSecond: good.length / seconds,
    goodP50: ofGood.p50,
    goodP99: ofGood.p99,
    refusedPerSecond: refused.length / seconds,
    refusedP50: ofRefused.p50,
    refusedP99: ofRefused.p99,
    failures: [...failures],
  }
}
