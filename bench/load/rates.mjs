// Sends as many requests as the connections allow: warm-up, then a measurement of fixed duration.

import { openConnection } from './connection.mjs'
import { processorTime } from './processor-time.mjs'
import { summary } from './summary.mjs'

/**
 * @typedef {{ port: number, pid: number, seconds: number, warmup: number, connections: number }}
 * Options
 */

/**
 * @param {import('./requests.mjs').RowOf} rowOf
 * @param {Options} options
 */
export async function measureRate(rowOf, { port, pid, seconds, warmup, connections }) {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const [first] = open
  if (!first) throw new Error('At least one connection is needed.')
  const row = await rowOf((request) => first.ask(request))
  /** @type {number[]} */
  const latencies = []
  /** @type {Map<string, number>} */
  const errors = new Map()
  let bytes = 0
  let index = 0
  let phase = 'warm-up'

  /** @param {string} what */
  const miss = (what) => {
    errors.set(what, (errors.get(what) ?? 0) + 1)
  }

  /**
   * @param {import('./connection.mjs').Connection} connection
   * @returns {Promise<void>} when the phase is over and the last response is in
   */
  const drive = (connection) =>
    new Promise((resolve) => {
      const next = () => {
        if (phase === 'over') return resolve()
        const startTime = performance.now()
        connection.send(
          row.request(index++),
          (response) => {
            if (response.status !== row.status) miss(`status ${response.status} for ${row.status}`)
            else if (phase === 'measuring') {
              latencies.push(performance.now() - startTime)
              bytes += response.bytes
            }
            next()
          },
          (error) => {
            miss(error.message)
            resolve()
          },
        )
      }
      next()
    })

  // The load has a core of its own and never sleeps: waking another process costs a server up to 10
  // µs per response, which says nothing about the server.
  const stayAwake = () => {
    if (phase !== 'over') setImmediate(stayAwake)
  }
  stayAwake()

  const driven = open.map(drive)
  await after(warmup)
  const [startTime, worked] = [performance.now(), processorTime(pid)]
  const from = Date.now()
  phase = 'measuring'
  await after(seconds)
  phase = 'over'
  const to = Date.now()
  const [elapsed, work] = [(performance.now() - startTime) / 1_000, processorTime(pid)]
  const requests = latencies.length
  await Promise.all(driven)
  for (const connection of open) connection.socket.destroy()
  return {
    requests,
    from,
    to,
    rps: requests / elapsed,
    ...summary(latencies),
    processorMicroseconds:
      work === undefined || worked === undefined ? null : ((work - worked) * 1e6) / requests,
    bytes,
    errors: Object.fromEntries(errors),
  }
}

/** @param {number} seconds */
const after = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
